"""Kernels that step many games at once, each game in two words.

`mover` and `mask` are the fields of a `BoardState`. The rules are given by the cells that each
action can fill (`BoardGame.action_cells`), from the `lowest` to the `highest`: a column in
ConnectX, a single cell in tic-tac-toe. `shifts` are the numbers of the cells' bits, in the order of
the flat board. Arrays have a row for each game.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from envs.bitboard import has_run
from envs.compiled.jit import Flags, Words, bit_of, inlined, jit, parallel_range
from envs.compiled.random_stream import drawn_index, next_stream
from envs.compiled.shared_loops import jit_parallel

Bytes = NDArray[np.int8]
Rewards = NDArray[np.float64]

SELF_PLAY = 0  # the seat of a learner who plays both sides

StepKernel = Callable[..., int]
"""Steps games; returns the number of games that are over before their learner has moved."""
ReplyKernel = Callable[[Any, int, int, int, int], tuple[int, int]]
"""Chooses an opponent's action, given its tables, the number of the thread, a random stream,
`mover` and `mask`; returns the action and the stream after the last draw."""


class KernelOpponent(NamedTuple):
    """An opponent that a kernel plays within the step of many games.

    It plays like the agent of the same name, with the agent's seed or, if it has none, the game's.
    """

    reply: ReplyKernel
    seed: int | None
    tables: Callable[[int], Any]
    """Makes the kernel's tables, with memory for this number of threads."""


class StepKind(NamedTuple):
    """The kind of games that a step is compiled for."""

    rows: int
    inarow: int
    board: int  # all cells
    flat: bool
    """Observations are flat boards, of shape (games, cells), not planes, (games, 2, cells)."""
    replies: bool  # whether opponents reply; False in self-play
    reply: ReplyKernel  # chooses their replies


GameRows: TypeAlias = tuple[Words, Words, Flags, Bytes, Words, Words]
"""The arrays of games between two steps: mover, mask, over, seats, streams and reply streams."""
BoardCells: TypeAlias = tuple[Words, Words, Words, Words]
"""The lowest, all and the highest cells of each action, and the shifts."""
FilledRows: TypeAlias = tuple[Bytes, Bytes, Rewards, Flags]
"""The arrays that a step fills: observations, action masks, rewards and terminations."""


@lru_cache
def make_step(kind: StepKind) -> StepKernel:
    """Make the kernel that steps all games.

    A game that is over restarts; in the others the learner's action is played and, where there are
    opponents, a reply.
    """
    rows, inarow, board, flat, replies, reply = kind

    @jit
    def step(
        thread: int,
        tables: Any,
        draws_seats: bool,
        games: GameRows,
        board_cells: BoardCells,
        actions: Words,
        filled: FilledRows,
    ) -> int:
        mover, mask, over, seats, streams, reply_streams = games
        observations, masks, rewards, terminations = filled
        lowest, cells, highest, shifts = board_cells
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
                if begins and draws_seats:
                    seats[game], streams[game] = drawn_seat(streams[game])
                viewer = seats[game]
                if not ended and viewer != to_move(stones):
                    answer, stream = reply(tables, thread, reply_streams[game], own, stones)
                    reply_streams[game] = stream
                    cell = landing_cell(stones, lowest[answer], cells[answer])
                    own, stones, ended, reward = played(cell, own, stones, rows, inarow, board)
                    reward = 0.0 - reward
                    if begins and ended:
                        faults += 1
            mover[game], mask[game], over[game], rewards[game] = own, stones, ended, reward
            terminations[game] = ended
            write_observation(planes, game, flat, viewer, own, stones, shifts)
            write_action_mask(masks, game, ended, stones, highest)
        return faults

    return step


@lru_cache
def make_shared_step(kind: StepKind) -> StepKernel:
    """Make the kernel that steps equal parts of the games in parallel, for a `ThreadedKernel`.

    It calls the serial kernel on slices, which is faster than a loop with bounds of its own: the
    indices of a slice start at 0, so Numba sees that none is negative.
    """
    step_part = make_step(kind)

    @jit_parallel
    def step(
        parts: int,
        tables: Any,
        draws_seats: bool,
        games: GameRows,
        board_cells: BoardCells,
        actions: Words,
        filled: FilledRows,
    ) -> int:
        mover, mask, over, seats, streams, reply_streams = games
        observations, masks, rewards, terminations = filled
        count, faults = len(over), 0
        for part in parallel_range(parts):
            first, last = part * count // parts, (part + 1) * count // parts
            games_of_part = (
                mover[first:last],
                mask[first:last],
                over[first:last],
                seats[first:last],
                streams[first:last],
                reply_streams[first:last],
            )
            faults += step_part(
                np.int64(part),  # signed, as a caller's; the loop's own number is unsigned
                tables,
                draws_seats,
                games_of_part,
                board_cells,
                actions[first:last],
                (
                    observations[first:last],
                    masks[first:last],
                    rewards[first:last],
                    terminations[first:last],
                ),
            )
        return faults

    return step


@lru_cache
def make_choose(reply: ReplyKernel) -> Callable[..., None]:
    """Make the kernel that chooses for the opponents of all games in `turn`."""

    @jit
    def choose(
        thread: int,
        tables: Any,
        turn: Flags,
        streams: Words,
        mover: Words,
        mask: Words,
        actions: Words,
    ) -> None:
        for game in range(len(turn)):
            if turn[game]:
                actions[game], streams[game] = reply(
                    tables, thread, streams[game], mover[game], mask[game]
                )

    return choose


@inlined
def random_reply(
    tables: tuple[Words, Words], thread: int, stream: int, mover: int, mask: int
) -> tuple[int, int]:
    """Draw a legal action as `random_action` does; `tables`: the lowest and all cells of each."""
    lowest, cells = tables
    action, cell = 0, 0
    while cell == 0:
        stream = next_stream(stream)
        action = drawn_index(stream, len(cells))
        cell = landing_cell(mask, lowest[action], cells[action])
    return action, stream


@inlined
def played(
    cell: int, mover: int, mask: int, rows: int, inarow: int, board: int
) -> tuple[int, int, bool, float]:
    """Play a stone in a free cell; cell 0 is an illegal action, which leaves the board as it is.

    Returns:
        `mover` and `mask` after the ply, whether the game is over, and the reward of its player.
    """
    if cell == 0:
        return mover, mask, True, -1.0
    own = mover | cell
    mover, mask = mover ^ mask, mask | cell
    if has_run(own, rows, inarow):
        return mover, mask, True, 1.0
    return mover, mask, mask == board, 0.0


@inlined
def chosen_cell(action: int, mask: int, lowest: Words, cells: Words) -> int:
    """Find the cell of an action; 0 where it is illegal."""
    if 0 <= action < len(cells):
        return landing_cell(mask, lowest[action], cells[action])
    return 0


@inlined
def landing_cell(mask: int, lowest: int, cells: int) -> int:
    """Find the cell that a stone takes, or 0; the sum carries through stones to the free cell."""
    return (mask + lowest) & cells


@inlined
def drawn_seat(stream: int) -> tuple[int, int]:
    """Draw the learner's player, 1 or 2; return it and the next stream."""
    stream = next_stream(stream)
    return 1 + drawn_index(stream, 2), stream


@inlined
def to_move(mask: int) -> int:
    """Return the player to move, 1 or 2."""
    return 1 + (mask.bit_count() & 1)


@inlined
def write_observation(
    observations: Bytes, game: int, flat: bool, viewer: int, mover: int, mask: int, shifts: Words
) -> None:
    """Write a flat board, or else planes as the viewer sees them; viewer 0 is the player to move.

    `observations` has the shape (games, 1 or 2, cells).
    """
    if flat:
        write_flat_board(observations, game, mover, mask, shifts)
    else:
        write_planes(observations, game, viewer, mover, mask, shifts)


@inlined
def write_planes(
    planes: Bytes, game: int, viewer: int, mover: int, mask: int, shifts: Words
) -> None:
    """Write the viewer's stones, then the other player's."""
    own, other = mover, mask ^ mover
    if viewer == 3 - to_move(mask):  # the player who is not to move
        own, other = other, own
    for place in range(len(shifts)):
        planes[game, 0, place] = bit_of(own, shifts[place])
    for place in range(len(shifts)):
        planes[game, 1, place] = bit_of(other, shifts[place])


@inlined
def write_flat_board(boards: Bytes, game: int, mover: int, mask: int, shifts: Words) -> None:
    """Write Kaggle's board: 1 and 2 are the players' stones."""
    second = mask ^ mover if to_move(mask) == 1 else mover
    for place in range(len(shifts)):
        stone = bit_of(mask, shifts[place])
        boards[game, 0, place] = stone + bit_of(second, shifts[place])


@inlined
def write_action_mask(masks: Bytes, game: int, over: bool, mask: int, highest: Words) -> None:
    """Write 1 for each legal action: its highest cell is free, and the game is not over."""
    blocked = -1 if over else mask  # -1: all cells
    for action in range(len(highest)):
        masks[game, action] = (blocked & highest[action]) == 0
