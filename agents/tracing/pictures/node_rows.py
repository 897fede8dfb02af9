"""What stands at a node of the drawn tree, row below row."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from agents.tracing.labels import ALPHA, BETA, shortened
from agents.tracing.pictures.palette import CUT, FAINT_INK, INK
from agents.tracing.pictures.picture import PictureNode, Shape
from agents.tracing.pictures.shapes import CORNERS, SIDE, STUB, box, figure, stub
from agents.tracing.pictures.small_board import board_size, small_board
from agents.tracing.pictures.svg import text, text_width

LABEL = 11.0
VALUE = 13.0
SMALL = 9.0
"""Sizes of text in pixels: of actions, values, and all the rest."""
LINE = 1.35
"""Height of a line, in parts of the size of its text."""
BASELINE = 1.0
"""Of a line below its upper edge, likewise."""
PADDING = 6.0
"""Between the value of a leaf and its box."""


class Row(NamedTuple):
    """A part of a node."""

    width: float
    height: float
    paint: Callable[[float, float], str]
    """The SVG of the row, given the middle of its upper edge."""


def node_rows(node: PictureNode, columns: int | None) -> list[Row]:
    """All rows of a node from top to bottom; `columns` is the width of the board, if any."""
    rows = list(_heading(node))
    rows += _figure(node)
    if node.board is not None and columns is not None:
        rows.append(_board(node.board, columns))
    rows += _remarks(node)
    return rows


def _heading(node: PictureNode) -> Iterator[Row]:
    label = shortened(node.action)
    if node.probability:
        label = f"{label} ({node.probability})"
    if label:
        yield _line(label, LABEL, FAINT_INK if node.shape is Shape.UNVISITED else INK)


def _figure(node: PictureNode) -> Iterator[Row]:
    if node.shape is Shape.UNVISITED:
        yield Row(STUB, STUB, stub)
    elif node.shape in CORNERS:
        yield Row(SIDE, SIDE, partial(figure, node.shape))
        if node.value:
            yield _line(node.value, VALUE, INK, font_weight="bold")
    else:
        yield _boxed(node.shape, node.value)


def _remarks(node: PictureNode) -> Iterator[Row]:
    if node.visits is not None:
        yield _line(f"n {node.visits}", SMALL, INK)
    if node.mark:
        yield _line(node.mark, SMALL, FAINT_INK)
    if node.alpha:
        yield _line(_greek(f"alpha {node.alpha}"), SMALL, FAINT_INK)
    if node.beta:
        yield _line(_greek(f"beta {node.beta}"), SMALL, FAINT_INK)
    if node.cutoff:
        yield _line(_greek(node.cutoff), SMALL, CUT)


def _greek(words: str) -> str:
    """The same with letters for alpha and beta, which take less room."""
    return words.replace("alpha", ALPHA).replace("beta", BETA)


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


def _board(cells: tuple[int, ...], columns: int) -> Row:
    width, height = board_size(len(cells) // columns, columns)

    def paint(x: float, y: float) -> str:
        return small_board(cells, columns, (x - width / 2, y + 1))

    return Row(width, height + 3, paint)
