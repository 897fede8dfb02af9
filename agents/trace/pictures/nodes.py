"""The nodes of a drawn tree: colours, shapes, small boards, and the rows of text at each."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from agents.trace.pictures.picture import PictureNode, Shape
from agents.trace.trace import shortened
from envs.render import BOARD_COLOUR, COLOURS, LINE_COLOUR
from envs.svg import element, number, polygon, text, text_width

ALPHA, BETA = "\N{GREEK SMALL LETTER ALPHA}", "\N{GREEK SMALL LETTER BETA}"

INK = LINE_COLOUR
FAINT_INK = "#5b6b80"
EDGE = "#8494a9"
GRID = "#e2e8f0"
PRINCIPAL = "#1d6fd1"
CUT = "#c01f2e"
LEAF = "#eef2f7"

FILLS = {
    Shape.MAX: COLOURS[1],
    Shape.MIN: COLOURS[2],
    Shape.CHANCE: "#b39ddb",
    Shape.TERMINAL: "#cfd8e3",
    Shape.DEPTH: "#ffffff",
    Shape.UNVISITED: "#ffffff",
    Shape.FOLDED: LEAF,
}

SIDE = 20.0  # width and height of a player's or chance node
STUB = 8.0  # width and height of a node that was not visited
HALF = SIDE / 2
CORNERS = {
    Shape.MAX: ((0.0, 0.0), (HALF, SIDE), (-HALF, SIDE)),
    Shape.MIN: ((-HALF, 0.0), (HALF, 0.0), (0.0, SIDE)),
    Shape.CHANCE: ((0.0, 0.0), (HALF, HALF), (0.0, SIDE), (-HALF, HALF)),
}
"""Corners by shape, relative to the middle of the upper edge."""

WIDTH = 56.0  # width of a board in pixels, unless cells would be too small or too large
LARGEST_CELL = 12.0
SMALLEST_CELL = 4.0

LABEL = 11.0
VALUE = 13.0
SMALL = 9.0
"""Sizes of text in pixels: of actions, values, and everything else."""
LINE = 1.35  # height of a line, relative to the size of its text
BASELINE = 1.0  # from the upper edge of a line to its baseline, in the same unit
PADDING = 6.0  # between the value of a leaf and its box


class Row(NamedTuple):
    """A row of a drawn node."""

    width: float
    height: float
    paint: Callable[[float, float], str]  # the SVG of the row, given the middle of its upper edge


def node_rows(node: PictureNode, columns: int | None) -> Iterator[Row]:
    """All rows of a node from top to bottom; `columns` is the width of the board, if any."""
    label = shortened(node.action)
    if node.probability:
        label = f"{label} ({node.probability})"
    if label:
        yield _line(label, LABEL, FAINT_INK if node.shape is Shape.UNVISITED else INK)
    if node.shape is Shape.UNVISITED:
        yield Row(STUB, STUB, stub)
    elif node.shape in CORNERS:
        yield Row(SIDE, SIDE, partial(figure, node.shape))
        if node.value:
            yield _line(node.value, VALUE, INK, font_weight="bold")
    else:
        yield _boxed(node.shape, node.value)
    if node.board is not None and columns is not None:
        yield _board(node.board, columns)
    if node.visits is not None:
        yield _line(f"n {node.visits}", SMALL, INK)
    if node.mark:
        yield _line(node.mark, SMALL, FAINT_INK)
    if node.alpha:
        yield _line(f"{ALPHA} {node.alpha}", SMALL, FAINT_INK)
        yield _line(f"{BETA} {node.beta}", SMALL, FAINT_INK)
    if node.cutoff:
        yield _line(node.cutoff.replace("alpha", ALPHA).replace("beta", BETA), SMALL, CUT)


def _line(words: str, size: float, fill: str, **style: object) -> Row:
    def paint(x: float, y: float) -> str:
        at = x, y + BASELINE * size
        return text(words, at, size, text_anchor="middle", fill=fill, **style)

    return Row(text_width(words, size), LINE * size, paint)


def _boxed(shape: Shape, words: str) -> Row:
    line = _line(words, LABEL if shape is Shape.FOLDED else VALUE, INK)
    width, height = line.width + 2 * PADDING, line.height + 2

    def paint(x: float, y: float) -> str:
        return box(shape, x, y, width, height) + line.paint(x, y + 2)

    return Row(width, height + 2, paint)


def figure(shape: Shape, x: float, y: float) -> str:
    """The shape of a player's or chance node, with the middle of its upper edge at (x, y)."""
    corners = [(x + right, y + down) for right, down in CORNERS[shape]]
    return polygon(corners, fill=FILLS[shape], stroke=INK)


def box(shape: Shape, x: float, y: float, width: float, height: float) -> str:
    """The frame of a leaf or of a mark, with the middle of its upper edge at (x, y)."""
    style: dict[str, object] = {"stroke": INK}
    if shape is Shape.TERMINAL:
        style["stroke_width"] = 2
    else:
        style["rx"] = height / 2
    if shape is Shape.FOLDED:
        style["stroke"] = EDGE
    left = x - width / 2
    return element("rect", x=left, y=y, width=width, height=height, fill=FILLS[shape], **style)


def stub(x: float, y: float) -> str:
    """The sign of an unvisited node, with the middle of its upper edge at (x, y)."""
    return element(
        "circle",
        cx=x,
        cy=y + STUB / 2,
        r=STUB / 2,
        fill=FILLS[Shape.UNVISITED],
        stroke=EDGE,
        stroke_dasharray="2 2",
    )


def _board(cells: Sequence[int], columns: int) -> Row:
    cell = min(LARGEST_CELL, max(SMALLEST_CELL, WIDTH / columns))
    width, height = columns * cell, len(cells) // columns * cell

    def paint(x: float, y: float) -> str:
        left, top = x - width / 2, y + 1
        free, stones = [], []
        for index, stone in enumerate(cells):
            row, column = divmod(index, columns)
            cx, cy = left + (column + 0.5) * cell, top + (row + 0.5) * cell
            if stone:
                stones.append(element("circle", cx=cx, cy=cy, r=0.42 * cell, fill=COLOURS[stone]))
            else:  # all in one element: lines of length 0 with round ends are drawn as circles
                free.append(f"M{number(cx)} {number(cy)}h0")
        frame = element("rect", x=left, y=top, width=width, height=height, rx=2, fill=BOARD_COLOUR)
        holes = element(
            "path",
            d="".join(free),
            stroke=COLOURS[0],
            stroke_width=0.6 * cell,
            stroke_linecap="round",
            stroke_opacity=0.9,
        )
        return "".join([frame, holes, *stones])

    return Row(width, height + 3, paint)
