"""k-in-a-row on bitboards: functions of integers, compiled where a board fits a word.

A cell is a bit. Columns follow one another, each from the bottom up, with one guard bit on top
that no stone ever occupies. On 6 rows and 7 columns:

     6 13 20 27 34 41 48   <- guard bits, always 0
     5 12 19 26 33 40 47   <- top row
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42   <- bottom row

So a step to the neighbouring cell is a shift by a constant: 1 up, `rows + 1` to the right,
`rows + 2` right and up, `rows` right and down; the guard bits keep a line from continuing in the
next column. The layout is the customary one (J. Tromp's Fhourstones, P. Pons' solver tutorial).
`x & -x` is the lowest set bit of `x`, and `x & (x - 1)` has the other set bits.

The rules use the first half of this module, on boards of any size. Compiled searches use the
`inlined` functions of the second half, on words of 64, 128 or 256 bits: if `rows`, `inarow` or the
whole `BoardMasks` are constants, their loops unroll and their shifts are immediate.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from envs.compiled.jit import WORDS, WordKind, inlined

LineSteps = tuple[tuple[int, int, tuple[int, ...]], ...]


def cell_bit(rows: int, row: int, column: int) -> int:
    """Return the bit of the cell in `row` (0 is the top, as on Kaggle's board) and `column`."""
    return 1 << (column * (rows + 1) + rows - 1 - row)


def column_cells(rows: int, column: int) -> int:
    """Return all cells of a column, without its guard bit."""
    return ((1 << rows) - 1) << (column * (rows + 1))


@inlined
def mirrored(rows: int, columns: int, cells: int) -> int:
    """Return the mirror image of cells: the left column becomes the right one."""
    height = rows + 1
    image = 0
    for _ in range(columns):
        left_column = cells ^ (cells >> height << height)  # the lowest `height` bits
        image = image << height | left_column  # each one pushes those before it to the right
        cells = cells >> height  # not in place: it may be an array
    return image


def directions(rows: int) -> tuple[int, int, int, int]:
    """Return the shifts of a step: up, right, right and up, right and down."""
    return 1, rows + 1, rows + 2, rows


def line_steps(rows: int, inarow: int) -> LineSteps:
    """Return, by direction, the shifts by which `has_line` extends runs to `inarow` stones.

    Where the bits of `run` start runs of n stones, those of `run & (run >> m)` (shifted by m <= n
    cells) start runs of n + m: four in a row take shifts by 1 and 2 cells. The first two shifts
    always exist (a shift by 0 changes nothing); longer lines have the others in a tuple.
    """
    cells = []
    run = 1
    while run < inarow:
        cells.append(min(run, inarow - run))
        run += cells[-1]
    cells += [0] * (2 - len(cells))
    return tuple(
        (shift * cells[0], shift * cells[1], tuple(shift * further for further in cells[2:]))
        for shift in directions(rows)
    )


def has_line(stones: int, steps: LineSteps) -> bool:
    """Return whether `stones` contain a line; `steps` are the board's `line_steps`."""
    for first, second, further in steps:
        run = stones & (stones >> first)
        if run & (run >> second):
            run &= run >> second
            for shift in further:
                run &= run >> shift
            if run:
                return True
    return False


def winning_lines(rows: int, columns: int, inarow: int) -> Iterator[int]:
    """Yield every line of `inarow` cells on the board, as a mask of its cells.

    A board of 6 rows and 7 columns has 69 lines of 4. A line of one cell is yielded once only.
    """
    if inarow > max(rows, columns):
        return  # before a line is built, which could be arbitrarily long
    board = sum(column_cells(rows, column) for column in range(columns))
    for shift in directions(rows)[: 1 if inarow == 1 else None]:
        line = sum(1 << (shift * i) for i in range(inarow))
        for start in range(columns * (rows + 1)):
            if (line << start) & board == line << start:
                yield line << start


def cells_in_line(rows: int, columns: int, inarow: int, cell: int) -> int:
    """Return the other cells of the lines of `inarow` cells that run through a cell."""
    if inarow > max(rows, columns):
        return 0
    board = sum(column_cells(rows, column) for column in range(columns))
    cells = 0
    for shift in directions(rows):
        line = sum(1 << (shift * i) for i in range(inarow))
        for before in range(inarow):
            through = line * (cell >> shift * before)
            if through & board == through:
                cells |= through
    return cells & ~cell


WORD_BITS = 64


class BoardMasks(NamedTuple):
    """A board's size and the bit masks that follow from it, in words of the board's width."""

    rows: int
    columns: int
    inarow: int
    cells: int  # number of cells
    board: int  # all cells
    bottom: int  # the lowest cell of each column
    top: int  # the highest cell of each column
    answers: int  # every second cell of a column from its top: the upper cell of each pair
    column: int  # the cells of the left column


def bits_needed(rows: int, columns: int, inarow: int) -> int:
    """Return the bits that a board needs in a word: its cells, guard bits and longest shift."""
    return max((rows + 1) * columns, (inarow - 1) * (rows + 2) + 1)


def fits_in_word(rows: int, columns: int, inarow: int) -> bool:
    """Return whether a board fits a word of 64 bits.

    All boards up to 6 rows and 9 columns or 7 rows and 8 columns do, with lines of up to 7.
    """
    return bits_needed(rows, columns, inarow) <= WORD_BITS


def fits_in_wide_word(rows: int, columns: int, inarow: int) -> bool:
    """Return whether a board fits the widest words of the compiled searches."""
    return bits_needed(rows, columns, inarow) <= max(WORDS)


def word_of_board(rows: int, columns: int, inarow: int) -> WordKind:
    """Return the narrowest kind of word for a board that `fits_in_wide_word`."""
    needed = bits_needed(rows, columns, inarow)
    return WORDS[min(bits for bits in WORDS if bits >= needed)]


@lru_cache
def board_masks(rows: int, columns: int, inarow: int) -> BoardMasks:
    """Return the masks of a board that `fits_in_wide_word`."""
    word = word_of_board(rows, columns, inarow)
    return BoardMasks(
        rows,
        columns,
        inarow,
        rows * columns,
        board=word(sum(column_cells(rows, column) for column in range(columns))),
        bottom=word(sum(cell_bit(rows, rows - 1, column) for column in range(columns))),
        top=word(sum(cell_bit(rows, 0, column) for column in range(columns))),
        answers=word(
            sum(
                cell_bit(rows, row, column)
                for column in range(columns)
                for row in range(0, rows, 2)
            )
        ),
        column=word(column_cells(rows, 0)),
    )


@inlined
def possible_cells(board: BoardMasks, mask: int) -> int:
    """Return the cells in which a stone may come to rest, at most one in each column.

    Adding the lowest cell of a column carries through its stones to the lowest free cell.
    """
    return (mask + board.bottom) & board.board


@inlined
def line_ends(board: BoardMasks, stones: int) -> int:
    """Return the cells of the board that would complete a line of `stones`, free or not."""
    return completing_cells(stones, board.rows, board.inarow) & board.board


@inlined
def cell_of_number(bottom: int, number: int) -> int:
    """Return the cell at bit `number`, in a word as wide as `bottom`, a board's lowest cells."""
    return (bottom & -bottom) << number


@inlined
def column_from_middle(columns: int, place: int) -> int:
    """Return the column at index `place` in the order from the middle outwards, left first."""
    distance = (place + 1) // 2  # 0, 1, 1, 2, 2 ...
    to_the_left = place % 2 == columns % 2
    return (columns - 1) // 2 + (-distance if to_the_left else distance)


@inlined
def safe_cells(possible: int, threats: int) -> int:
    """Return the possible cells after which the other player's threats do not win at once."""
    # A stone makes the cell above it playable.
    return unbeaten_cells(possible, threats) & ~(threats >> 1)


@inlined
def unbeaten_cells(possible: int, threats: int) -> int:
    """Return the possible cells that stop every immediate win of the other player.

    A win in the cell above the stone, which becomes playable, is not considered.
    """
    blocks = possible & threats
    if not blocks:
        return possible
    if blocks & (blocks - 1):
        return 0  # one stone cannot stop two wins
    return blocks


@inlined
def completing_cells(stones: int, rows: int, inarow: int) -> int:
    """Return the cells that would complete a line of `stones`, whether free or not.

    The result may have bits outside the board, which the caller masks.
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
    """Return the cells that would complete a line in the direction of a step."""
    if inarow == 4:  # written out, because nested loops are not always unrolled
        # `stones << step` are the cells with a stone one step before them, `>>` one step after.
        two_before = (stones << step) & (stones << 2 * step)
        two_after = (stones >> step) & (stones >> 2 * step)
        return (
            two_before & (stones << 3 * step)  # OOO_
            | two_before & (stones >> step)  # OO_O
            | two_after & (stones << step)  # O_OO
            | two_after & (stones >> 3 * step)  # _OOO
        )
    found = 0
    for before in range(inarow):  # stones of the line before the cell; the others are after it
        line = -1  # all bits
        for distance in range(1, before + 1):
            line &= stones << distance * step
        for distance in range(1, inarow - before):
            line &= stones >> distance * step
        found |= line
    return found


@inlined
def has_run(stones: int, rows: int, inarow: int) -> bool:
    """Return whether `stones` contain a line."""
    return (
        runs_along(stones, 1, inarow)
        | runs_along(stones, rows, inarow)
        | runs_along(stones, rows + 1, inarow)
        | runs_along(stones, rows + 2, inarow)
    ) != 0


@inlined
def runs_along(stones: int, step: int, inarow: int) -> int:
    """Return the lowest cell of each line of `stones` in the direction of a step."""
    run = stones  # the first cells of runs of `length` stones
    length = 1
    while length < inarow:
        further = min(length, inarow - length)  # a run of n continues one of m <= n cells
        run = run & (run >> further * step)  # not in place: it may be an array
        length += further
    return run
