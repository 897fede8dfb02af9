"""k-in-a-row on boards of at most 64 bits: what the compiled searches are made of.

The bit layout is that of `envs.bitboard`. A compiled search has `rows`, `inarow` or the whole
`BoardMasks` as constants, so that the loops below unroll and the shifts become immediate.
"""

from functools import lru_cache
from typing import NamedTuple

from envs.bitboard import cell_bit, column_cells
from envs.jit import inlined

WORD_BITS = 64


class BoardMasks(NamedTuple):
    """A board's size and the bit masks that follow from it."""

    rows: int
    columns: int
    inarow: int
    cells: int
    """How many cells the board has."""
    board: int
    """All cells."""
    bottom: int
    """The lowest cell of each column."""
    top: int
    """The highest cell of each column."""
    answers: int
    """Every second cell of a column from its top: those that close a pair of cells."""


def fits_in_word(rows: int, columns: int, inarow: int) -> bool:
    """Whether the compiled searches can play on a board: its cells, its guards, its longest shift.

    All boards up to 6 rows and 9 columns or 7 rows and 8 columns do, with lines of up to 7.
    """
    return (rows + 1) * columns <= WORD_BITS and (inarow - 1) * (rows + 2) < WORD_BITS


@lru_cache
def board_masks(rows: int, columns: int, inarow: int) -> BoardMasks:
    """The masks of a board that `fits_in_word`."""
    return BoardMasks(
        rows,
        columns,
        inarow,
        rows * columns,
        board=sum(column_cells(rows, column) for column in range(columns)),
        bottom=sum(cell_bit(rows, rows - 1, column) for column in range(columns)),
        top=sum(cell_bit(rows, 0, column) for column in range(columns)),
        answers=sum(
            cell_bit(rows, row, column) for column in range(columns) for row in range(0, rows, 2)
        ),
    )


@inlined
def column_from_middle(columns: int, place: int) -> int:
    """The column at a place, from 0, of the order from the middle outwards, the left one first."""
    distance = (place + 1) // 2
    to_the_left = place % 2 == columns % 2
    return (columns - 1) // 2 + (-distance if to_the_left else distance)


@inlined
def safe_cells(possible: int, threats: int) -> int:
    """The possible cells after which the other player does not win at once.

    Args:
        possible: the cells in which a stone may come to rest.
        threats: the cells that complete a line of the other player.
    """
    blocks = possible & threats
    if blocks:
        if blocks & (blocks - 1):
            return 0  # two wins cannot be stopped by one stone
        possible = blocks
    return possible & ~(threats >> 1)  # a stone is a step to the cell above it


@inlined
def completing_cells(stones: int, rows: int, inarow: int) -> int:
    """The cells that would complete a line of `stones`, whether free or not.

    Also bits outside the board, which the caller masks.
    """
    upright = stones << 1  # a vertical line is completed at its upper end only
    for distance in range(2, inarow):
        upright &= stones << distance
    return (
        upright
        | completing_along(stones, rows, inarow)
        | completing_along(stones, rows + 1, inarow)
        | completing_along(stones, rows + 2, inarow)
    )


@inlined
def completing_along(stones: int, step: int, inarow: int) -> int:
    """The cells that would complete a line in the direction of a step."""
    if inarow == 4:  # written out, because nested loops are not unrolled in every place
        two_before = (stones << step) & (stones << 2 * step)
        two_after = (stones >> step) & (stones >> 2 * step)
        return (
            two_before & (stones << 3 * step)
            | two_before & (stones >> step)
            | two_after & (stones << step)
            | two_after & (stones >> 3 * step)
        )
    found = 0
    for before in range(inarow):
        line = -1
        for distance in range(1, before + 1):
            line &= stones << distance * step
        for distance in range(1, inarow - before):
            line &= stones >> distance * step
        found |= line
    return found


@inlined
def has_run(stones: int, rows: int, inarow: int) -> bool:
    """Whether `stones` hold a line."""
    return (
        runs_along(stones, 1, inarow)
        | runs_along(stones, rows, inarow)
        | runs_along(stones, rows + 1, inarow)
        | runs_along(stones, rows + 2, inarow)
    ) != 0


@inlined
def runs_along(stones: int, step: int, inarow: int) -> int:
    """The lowest cell of each line that `stones` hold in the direction of a step."""
    run = stones
    length = 1
    while length < inarow:
        further = min(length, inarow - length)
        run &= run >> further * step
        length += further
    return run
