"""A whole step of many games in one compiled loop: nothing in it returns to Python."""

from collections.abc import Callable
from functools import lru_cache

from envs.jit import jit, jit_parallel, parallel_range
from envs.learning.vector_kernel import (
    Bytes,
    Flags,
    Rewards,
    Words,
    chosen_cell,
    drawn_cell,
    drawn_seat,
    obstacles,
    played,
    seen,
    stones_of_second,
    to_move,
)
from envs.learning.vector_threads import threading_of_numba

StepKernel = Callable[..., int]
"""See `make_step`."""


@lru_cache
def make_step(
    rows: int,
    inarow: int,
    board: int,
    flat: bool,
    replies: bool,
) -> StepKernel:
    """The kernel that steps all games.

    Args:
        rows: height of the board.
        inarow: how many stones in a row win.
        board: all cells.
        flat: whether observations are flat boards, of shape (games, cells), or planes, of shape
            (games, 2, cells).
        replies: whether random opponents answer; in self-play nobody does.
    """

    @jit
    def step(
        draws_seats: bool,
        actions: Words,
        mover: Words,
        mask: Words,
        over: Flags,
        seats: Bytes,
        streams: Words,
        observations: Bytes,
        masks: Bytes,
        rewards: Rewards,
        terminations: Flags,
        lowest: Words,
        cells: Words,
        highest: Words,
        shifts: Words,
    ) -> int:
        planes = observations.reshape((len(over), -1, len(shifts)))
        faults = 0
        for game in range(len(over)):
            own, stones, begins, viewer, reward = mover[game], mask[game], over[game], 0, 0.0
            if begins:
                own, stones, ended = 0, 0, False
            else:
                cell = chosen_cell(actions[game], stones, lowest, cells)
                own, stones, ended, reward = played(cell, own, stones, rows, inarow, board)
            if replies:
                stream = streams[game]
                if begins and draws_seats:
                    seats[game], stream = drawn_seat(stream)
                viewer = seats[game]
                if not ended and viewer != to_move(stones):
                    _, cell, stream = drawn_cell(stream, stones, lowest, cells)
                    own, stones, ended, reward = played(cell, own, stones, rows, inarow, board)
                    reward = 0.0 - reward
                    if begins and ended:
                        faults += 1
                streams[game] = stream
            mover[game], mask[game], over[game], rewards[game] = own, stones, ended, reward
            terminations[game] = ended
            if flat:
                second = stones_of_second(own, stones)
                for place in range(len(shifts)):
                    planes[game, 0, place] = ((stones >> shifts[place]) & 1) + (
                        (second >> shifts[place]) & 1
                    )
            else:
                viewers, others = seen(viewer, own, stones)
                for place in range(len(shifts)):
                    planes[game, 0, place] = (viewers >> shifts[place]) & 1
                for place in range(len(shifts)):
                    planes[game, 1, place] = (others >> shifts[place]) & 1
            blocked = obstacles(ended, stones)
            for action in range(len(highest)):
                masks[game, action] = (blocked & highest[action]) == 0
        return faults

    return step


@lru_cache
def make_shared_step(
    rows: int, inarow: int, board: int, flat: bool, replies: bool, threads: int
) -> StepKernel:
    """The same in parts, each a call of the serial kernel, that Numba's threads share.

    The serial code is faster than what Numba makes of a loop that is written out here. The number
    of threads is set in here too, which takes a third of the time that it takes in Python.

    Args:
        rows: as `make_step` has it, like `inarow`, `board`, `flat` and `replies`.
        inarow: see there.
        board: see there.
        flat: see there.
        replies: see there.
        threads: how many threads, each with one part; `most_threads()` at most.
    """
    step_part = make_step(rows, inarow, board, flat, replies)
    numba = threading_of_numba()

    @jit_parallel
    def step(
        draws_seats: bool,
        actions: Words,
        mover: Words,
        mask: Words,
        over: Flags,
        seats: Bytes,
        streams: Words,
        observations: Bytes,
        masks: Bytes,
        rewards: Rewards,
        terminations: Flags,
        lowest: Words,
        cells: Words,
        highest: Words,
        shifts: Words,
    ) -> int:
        allowed = numba.get_num_threads()
        numba.set_num_threads(threads)
        games, faults = len(over), 0
        for part in parallel_range(threads):
            first, last = part * games // threads, (part + 1) * games // threads
            faults += step_part(
                draws_seats,
                actions[first:last],
                mover[first:last],
                mask[first:last],
                over[first:last],
                seats[first:last],
                streams[first:last],
                observations[first:last],
                masks[first:last],
                rewards[first:last],
                terminations[first:last],
                lowest,
                cells,
                highest,
                shifts,
            )
        numba.set_num_threads(allowed)
        return faults

    return step
