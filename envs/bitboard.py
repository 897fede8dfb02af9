"""k-in-a-row on bitboards: plain functions of plain integers, for boards of any size.

A cell is a bit. Columns stand one after the other, each from the bottom up, with one guard bit on
top that no stone ever occupies. On 6 rows and 7 columns:

     6 13 20 27 34 41 48   <- guard bits, always 0
     5 12 19 26 33 40 47   <- top row
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42   <- bottom row

So a step to the neighbouring cell is a shift by a constant: 1 up, `rows + 1` to the right,
`rows + 2` right and up, `rows` right and down; the guard bits keep a line from running on into the
next column. The layout is the customary one (J. Tromp's Fhourstones, P. Pons' solver tutorial).
"""

from collections.abc import Iterable, Iterator

LineSteps = tuple[tuple[int, int, tuple[int, ...]], ...]


def cell_bit(rows: int, row: int, column: int) -> int:
    """The bit of the cell in `row` (0 is the top, as on Kaggle's board) and `column`."""
    return 1 << (column * (rows + 1) + rows - 1 - row)


def column_cells(rows: int, column: int) -> int:
    """All cells of a column, without its guard bit."""
    return ((1 << rows) - 1) << (column * (rows + 1))


def directions(rows: int) -> tuple[int, int, int, int]:
    """The shifts of a step: up, right, right and up, right and down."""
    return 1, rows + 1, rows + 2, rows


def line_steps(rows: int, inarow: int) -> LineSteps:
    """For each direction, the shifts by which `has_line` doubles runs until they reach `inarow`.

    Stones that start a run of n cells, and'ed with themselves shifted by m <= n cells, start runs
    of n + m: for four in a row that takes shifts by 1 and 2 cells. Two shifts are always given
    (0 keeps a run as it is); what longer lines need beyond them comes as a tuple.
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
    """Whether `stones` hold a line; `steps` are the board's `line_steps`."""
    for first, second, further in steps:
        run = stones & (stones >> first)
        if run & (run >> second):
            run &= run >> second
            for shift in further:
                run &= run >> shift
            if run:
                return True
    return False


def lines(rows: int, columns: int, inarow: int) -> Iterator[int]:
    """Every line of `inarow` cells on the board, as a mask of its cells.

    6 rows, 7 columns, 4 in a row have 69. A line of one cell is given once, not per direction.
    """
    board = sum(column_cells(rows, column) for column in range(columns))
    for shift in directions(rows)[: 1 if inarow == 1 else None]:
        line = sum(1 << (shift * i) for i in range(inarow))
        for start in range(columns * (rows + 1)):
            if (line << start) & board == line << start:
                yield line << start


def cells_in_line(rows: int, columns: int, line_masks: Iterable[int]) -> dict[int, int]:
    """For each cell of the board, the other cells of the lines that run through it."""
    others = {cell_bit(rows, row, column): 0 for row in range(rows) for column in range(columns)}
    for line in line_masks:
        rest = line
        while rest:
            cell = rest & -rest
            others[cell] |= line ^ cell
            rest ^= cell
    return others
