"""A board as small as the node of a tree."""

from collections.abc import Sequence

from agents.tracing.pictures.svg import Point, element, number
from envs.render import BOARD_COLOUR, COLOURS

WIDTH = 56.0
"""Pixels that a board takes, as far as the cells' least size allows."""
LARGEST_CELL = 12.0
SMALLEST_CELL = 4.0


def board_size(rows: int, columns: int) -> Point:
    """The width and height of the picture."""
    cell = _cell(columns)
    return columns * cell, rows * cell


def small_board(cells: Sequence[int], columns: int, at: Point) -> str:
    """The board, row 0 on top, with its upper left corner at `at`."""
    cell = _cell(columns)
    width, height = board_size(len(cells) // columns, columns)
    left, top = at
    shapes = [
        element("rect", x=left, y=top, width=width, height=height, rx=2, fill=BOARD_COLOUR),
        _free_cells(cells, columns, at),
    ]
    for index, stone in enumerate(cells):
        if stone:
            x, y = _centre(index, columns, at)
            shapes.append(element("circle", cx=x, cy=y, r=0.42 * cell, fill=COLOURS[stone]))
    return "".join(shapes)


def _free_cells(cells: Sequence[int], columns: int, at: Point) -> str:
    """All free cells in one element: lines of no length, whose round ends make the circles."""
    cell = _cell(columns)
    dots = []
    for index, stone in enumerate(cells):
        if not stone:
            x, y = _centre(index, columns, at)
            dots.append(f"M{number(x)} {number(y)}h0")
    return element(
        "path",
        d="".join(dots),
        stroke=COLOURS[0],
        stroke_width=0.6 * cell,
        stroke_linecap="round",
        stroke_opacity=0.9,
    )


def _centre(index: int, columns: int, at: Point) -> Point:
    row, column = divmod(index, columns)
    return at[0] + (column + 0.5) * _cell(columns), at[1] + (row + 0.5) * _cell(columns)


def _cell(columns: int) -> float:
    return min(LARGEST_CELL, max(SMALLEST_CELL, WIDTH / columns))
