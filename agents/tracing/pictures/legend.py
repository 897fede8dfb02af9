"""The key to the signs of a drawn tree: an entry for each that occurs in it."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from agents.tracing.labels import ALPHA, BETA
from agents.tracing.pictures.edges import PRINCIPAL_WIDTH, THIN, cut_mark
from agents.tracing.pictures.node_rows import LABEL, SMALL
from agents.tracing.pictures.palette import CUT, EDGE, FAINT_INK, INK, PRINCIPAL
from agents.tracing.pictures.picture import PictureNode, Shape
from agents.tracing.pictures.shapes import CORNERS, HALF, box, figure
from agents.tracing.pictures.svg import Point, polyline, text, text_width

SIGN_WIDTH = 36.0
SIGN_CENTRE = 14.0
ROW_HEIGHT = 26.0
ENTRY_SPACE = 22.0
"""Between two entries of a row."""

SHAPES = {
    Shape.MAX: "player 1 maximises",
    Shape.MIN: "player 2 minimises",
    Shape.CHANCE: "a mean by probabilities",
    Shape.TERMINAL: "the game is over",
    Shape.DEPTH: "the search looks no deeper",
}


class Entry(NamedTuple):
    """A sign and what it means."""

    sign: Callable[[float, float], str]
    """The SVG of the sign, given its centre."""
    words: str

    @property
    def width(self) -> float:
        """Pixels that it takes in its row."""
        return SIGN_WIDTH + text_width(self.words, LABEL)


def legend_entries(nodes: list[PictureNode]) -> list[Entry]:
    """What the picture of these nodes needs explained."""
    return [*_shapes(nodes), *_edges(nodes), *_words(nodes)]


def legend(entries: list[Entry], width: float) -> tuple[str, float]:
    """The entries in rows of at most `width` pixels, and the height that they take."""
    painted, x, y = [], 0.0, ROW_HEIGHT / 2
    for entry in entries:
        if x > 0 and x + entry.width > width:
            x, y = 0.0, y + ROW_HEIGHT
        painted.append(entry.sign(x + SIGN_CENTRE, y))
        painted.append(text(entry.words, (x + SIGN_WIDTH, y + 4), LABEL, fill=INK))
        x += entry.width + ENTRY_SPACE
    return "\n".join(painted), y + ROW_HEIGHT / 2


def _shapes(nodes: list[PictureNode]) -> Iterator[Entry]:
    present = {node.shape for node in nodes}
    for shape, words in SHAPES.items():
        if shape in present:
            yield Entry(partial(_shape_sign, shape), words)


def _edges(nodes: list[PictureNode]) -> Iterator[Entry]:
    if any(node.shape is Shape.UNVISITED for node in nodes):
        yield Entry(_pruned_sign, "never visited")
    if any(node.visits is not None for node in nodes):
        yield Entry(partial(_edge_sign, EDGE, 5.0), "as thick as its share of simulations")
    if sum(node.principal for node in nodes) > 1:
        yield Entry(partial(_edge_sign, PRINCIPAL, PRINCIPAL_WIDTH), "the line that is expected")


def _words(nodes: list[PictureNode]) -> Iterator[Entry]:
    if any(node.alpha for node in nodes):
        yield Entry(partial(_letter_sign, f"{ALPHA} {BETA}", FAINT_INK), "on entry → on return")
    if any("≥" in node.cutoff for node in nodes):
        yield Entry(partial(_letter_sign, f"{ALPHA} ≥ {BETA}", CUT), "why the rest was not visited")
    if any(node.value.startswith(("≥", "≤")) for node in nodes):
        yield Entry(partial(_letter_sign, "≥ ≤", INK), "the value is at least, at most")


def _shape_sign(shape: Shape, x: float, y: float) -> str:
    if shape in CORNERS:
        return figure(shape, x, y - HALF)
    return box(shape, x, y - 7, 20, 14)


def _edge_sign(colour: str, width: float, x: float, y: float) -> str:
    return polyline([(x - HALF, y), (x + HALF, y)], stroke=colour, stroke_width=width)


def _pruned_sign(x: float, y: float) -> str:
    start: Point = (x - HALF, y)
    end: Point = (x + HALF, y)
    dashes = polyline([start, end], stroke=EDGE, stroke_width=THIN, stroke_dasharray="4 3")
    return dashes + cut_mark(start, end)


def _letter_sign(letters: str, colour: str, x: float, y: float) -> str:
    return text(letters, (x, y + 4), SMALL, fill=colour, text_anchor="middle")
