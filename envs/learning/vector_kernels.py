"""The compiled games of a vector environment: one game in two words of 64 bits, and a step of many.

One game of a vector environment as compiled code plays it: two words of 64 bits.

`mover` and `mask` are the fields of a `BoardState`, on boards that
`envs.bitboard.fits_in_word`. A game is told to the kernels by the cells that each action
fills, from `lowest` up to `highest`: the columns of ConnectX; in tic-tac-toe each cell is a column
of its own.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from envs.bitboard import has_run
from envs.jit import fastest, inlined, jit, jit_parallel, parallel_range
from envs.learning.vector_threads import most_threads, threading_of_numba
from envs.random_stream import drawn_index, next_stream

Words = NDArray[np.int64]
Flags = NDArray[np.bool_]
Bytes = NDArray[np.int8]
Rewards = NDArray[np.float64]

SELF_PLAY = 0
"""The seat of a learner who plays both sides."""

RandomGamesKernel = Callable[[int, int, Words, Words], tuple[int, int, int, int]]


@inlined
def landing_cell(mask: int, lowest: int, cells: int) -> int:
    """The cell that a stone takes, or 0: the sum carries through the stones to the free one."""
    return (mask + lowest) & cells


@inlined
def chosen_cell(action: int, mask: int, lowest: Words, cells: Words) -> int:
    """The cell of an action, or 0 where it is illegal."""
    if 0 <= action < len(cells):
        return landing_cell(mask, lowest[action], cells[action])
    return 0


@inlined
def drawn_cell(stream: int, mask: int, lowest: Words, cells: Words) -> tuple[int, int, int]:
    """A legal action, drawn as `random_stream.random_action` does.

    Returns:
        The action, its cell, and the stream where it stopped.
    """
    action, cell = 0, 0
    while cell == 0:
        stream = next_stream(stream)
        action = drawn_index(stream, len(cells))
        cell = landing_cell(mask, lowest[action], cells[action])
    return action, cell, stream


@inlined
def drawn_seat(stream: int) -> tuple[int, int]:
    """Who the learner is, player 1 or 2, and the stream where it stopped."""
    stream = next_stream(stream)
    return 1 + drawn_index(stream, 2), stream


@inlined
def to_move(mask: int) -> int:
    """Whose turn it is, player 1 or 2."""
    return 1 + (mask.bit_count() & 1)


@inlined
def played(
    cell: int, mover: int, mask: int, rows: int, inarow: int, board: int
) -> tuple[int, int, bool, float]:
    """A ply: a stone in a free cell, or an illegal action (0), which leaves the board as it is.

    Returns:
        `mover` and `mask` after it, whether the game is over, and the reward of who made it.
    """
    if cell == 0:
        return mover, mask, True, -1.0
    own = mover | cell
    mover, mask = mover ^ mask, mask | cell
    if has_run(own, rows, inarow):
        return mover, mask, True, 1.0
    return mover, mask, mask == board, 0.0


@inlined
def seen(viewer: int, mover: int, mask: int) -> tuple[int, int]:
    """The stones of who sees the board and of the other player; viewer 0 is whoever is to move."""
    other = mask ^ mover
    if viewer == 3 - to_move(mask):
        return other, mover
    return mover, other


@inlined
def stones_of_second(mover: int, mask: int) -> int:
    """The stones of player 2."""
    return mask ^ mover if to_move(mask) == 1 else mover


@inlined
def obstacles(over: bool, mask: int) -> int:
    """The cells that make the actions illegal whose highest cell they have: all once over."""
    return -1 if over else mask


@lru_cache
def make_random_games(rows: int, inarow: int, board: int) -> RandomGamesKernel:
    """The kernel that plays whole games; it counts wins of either player, draws and plies."""

    @jit
    def random_games(
        games: int, stream: int, lowest: Words, cells: Words
    ) -> tuple[int, int, int, int]:
        wins_first, wins_second, plies = 0, 0, 0
        for _ in range(games):
            mover, mask, over = 0, 0, False
            while not over:
                _, cell, stream = drawn_cell(stream, mask, lowest, cells)
                mover, mask, over, reward = played(cell, mover, mask, rows, inarow, board)
                if reward != 0.0:
                    by_first = mask.bit_count() & 1
                    wins_first += by_first
                    wins_second += 1 - by_first
            plies += mask.bit_count()
        return wins_first, wins_second, games - wins_first - wins_second, plies

    return fastest(random_games)


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
        threads: how many threads, each with one part; as many as Numba has, at most.
    """
    step_part = make_step(rows, inarow, board, flat, replies)
    numba = threading_of_numba()
    threads = min(threads, most_threads())

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
