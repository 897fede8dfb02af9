"""The positions of an opening book, ply by ply, as arrays of keys.

A position and its mirror image have the same key, the smaller `mover + mask` of the two, as in
`agents.solver.solver_kernel.table_key`. The stones follow from the key: with the lowest cell of
each column added, the highest bit of a column is its lowest free cell, and the bits below it are
the stones of the player to move.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from agents.options import require_within
from envs.bitboard import (
    BoardMasks,
    board_masks,
    cell_bit,
    column_cells,
    fits_in_wide_word,
    has_run,
    mirrored,
)
from envs.compiled.jit import WORDS, Flags, Words
from envs.connectx import ConnectX

LARGEST_BOOK_BITS = 63  # the most cells and guard bits: keys are signed words


@dataclass(frozen=True)
class BookScope:
    """A board, and the number of plies that its book covers.

    The book has all unfinished positions with at most `plies` stones.

    Raises:
        ValueError: the board is impossible or too large, or its games are shorter than `plies`.
    """

    rows: int
    columns: int
    inarow: int
    plies: int

    def __post_init__(self) -> None:
        board = self.rows, self.columns, self.inarow
        fits = (self.rows + 1) * self.columns <= LARGEST_BOOK_BITS and fits_in_wide_word(*board)
        if not fits:  # checked before a huge board is created
            raise ValueError(
                f"a book takes boards with columns * (rows + 1) at most {LARGEST_BOOK_BITS} and "
                f"(inarow - 1) * (rows + 2) below {max(WORDS)}, not {self.rows} rows, "
                f"{self.columns} columns and {self.inarow} in a row"
            )
        env = ConnectX(*board)
        require_within(f"the plies of a book for {env!r}", self.plies, 0, self.cells - 1)

    @property
    def cells(self) -> int:
        """The number of cells of the board."""
        return self.rows * self.columns

    @property
    def board(self) -> BoardMasks:
        """The board's masks."""
        return board_masks(self.rows, self.columns, self.inarow)


class Drop(NamedTuple):
    """A stone dropped into one column, in each of many positions."""

    wins: Flags  # True where the column is not full and the stone wins
    going_on: Flags  # True where the column is not full and the stone does not win
    keys: Words  # of the positions after the stone, valid where `going_on`


FEW_POSITIONS = 2**18  # this many positions of a ply take little time and memory


def most_positions(deepest: int) -> int:
    """The most positions that a book may have after any ply, given the number after its last."""
    return max(deepest, FEW_POSITIONS)


def positions_by_ply(scope: BookScope, most: int) -> tuple[Words, ...]:
    """The keys of a book's positions for each ply from 0 on, ascending; at most `most` per ply."""
    import numpy as np

    plies = [np.zeros(1, np.int64)]
    for ply in range(1, scope.plies + 1):
        drops = drops_into_columns(scope, plies[-1])
        keys = np.sort(np.concatenate([drop.keys[drop.going_on] for drop in drops]))
        plies.append(keys[np.diff(keys, prepend=-1) > 0])  # faster than np.unique, which hashes
        if len(plies[-1]) > most:
            raise ValueError(
                f"a book of {scope.plies} plies may have {most} positions after each, but there "
                f"are {len(plies[-1])} after {ply}: choose fewer plies with `connectx book`"
            )
    return tuple(plies)


def drops_into_columns(scope: BookScope, keys: Words) -> Iterator[Drop]:
    """Drop a stone into each column in turn, from the left, in all positions."""
    movers, masks = stones_of_keys(scope.board, keys)
    for column in range(scope.columns):
        bottom = cell_bit(scope.rows, scope.rows - 1, column)
        cells = (masks + bottom) & column_cells(scope.rows, column)
        next_keys = keys_of_stones(scope, masks ^ movers, masks | cells)
        wins: Any = has_run(movers | cells, scope.rows, scope.inarow)
        yield Drop(wins, (cells != 0) & ~wins, next_keys)


def keys_of_stones(board: BookScope | ConnectX, movers: Words, masks: Words) -> Words:
    """The keys of positions."""
    import numpy as np

    keys: Any = movers + masks
    smaller: Words = np.minimum(keys, mirrored(board.rows, board.columns, keys))
    return smaller


def stones_of_keys(board: BoardMasks, keys: Any) -> tuple[Any, Any]:
    """The stones of the player to move and of both, of one key or of an array of keys."""
    marked = keys + board.bottom  # a bit on the lowest free cell of each column
    filled = marked
    for _ in range(board.rows):
        filled = filled | ((filled >> 1) & board.board)
    masks = (filled >> 1) & board.board
    return marked & masks, masks
