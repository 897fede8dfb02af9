"""One game of a vector environment as compiled code plays it: two words of 64 bits.

`mover` and `mask` are the fields of a `BoardState`, on boards that
`envs.board_kernels.fits_in_word`. A game is told to the kernels by the cells that each action
fills, from `lowest` up to `highest`: the columns of ConnectX; in tic-tac-toe each cell is a column
of its own.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from envs.board_kernels import has_run
from envs.jit import fastest, inlined, jit
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
