"""The tree of a trace as a stand-alone SVG document, with a legend."""

from collections.abc import Callable
from functools import partial
from math import hypot
from textwrap import wrap
from typing import NamedTuple

from agents.trace.pictures.layout import Block, arrange
from agents.trace.pictures.nodes import (
    ALPHA,
    BETA,
    CORNERS,
    CUT,
    EDGE,
    FAINT_INK,
    HALF,
    INK,
    LABEL,
    PRINCIPAL,
    SMALL,
    Row,
    box,
    figure,
    node_rows,
)
from agents.trace.pictures.picture import LIMIT, Picture, PictureNode, Shape, picture_of
from agents.trace.trace import SearchTrace
from envs.svg import (
    CHARACTER,
    Point,
    document,
    element,
    polyline,
    text,
    text_width,
    title,
    translated,
)

Placed = Block[tuple[PictureNode, list[Row]]]  # a node with its rows and position

BORDER = 16.0
LEAST_WIDTH = 600.0  # least width of the text around the tree
TITLE = 16.0  # size of the title's text
SPACE = 18.0  # between the text and the tree
FOOT = 3.0  # between a node's last row and the edges to its children

THIN = 1.2
PRINCIPAL_WIDTH = 3.0
THICKEST = 9.0
"""Widths of an edge in pixels: the least, that of the principal variation, and the greatest."""
CUT_PLACE = 0.72  # the place of a cut mark on its edge, from the parent (0) to the child (1)
CUT_LENGTH = 5.0  # from the edge to the end of a cut mark

SIGN_WIDTH = 36.0
SIGN_CENTRE = 14.0
ROW_HEIGHT = 26.0
ENTRY_SPACE = 22.0  # between two entries of a row

SHAPE_WORDS = {
    Shape.MAX: "player 1 maximises",
    Shape.MIN: "player 2 minimises",
    Shape.CHANCE: "a mean by probabilities",
    Shape.TERMINAL: "the game is over",
    Shape.DEPTH: "the search looks no deeper",
}


def draw(trace: SearchTrace, limit: int = LIMIT) -> str:
    """The tree of a search as a stand-alone SVG document.

    It shows the last iteration of iterative deepening. Children are in the order of the search,
    followed by pruned ones; in Monte Carlo tree search they are sorted by visits. Values, alpha and
    beta are on the game's own scale (the trace's `scale`), from player 1's view; columns and cells
    of a board are counted from 1. At most `limit` nodes are drawn; subtrees without room become one
    mark `+ n nodes`. Raises ValueError if the trace holds no search, or the limit is below 1.
    """
    picture = picture_of(trace, limit)
    tree = _tree(trace, picture.root)
    width = max(tree.width, LEAST_WIDTH, text_width(picture.title, TITLE))
    sections = {
        "heading": _heading(picture, width),
        "tree": tree,
        "legend": _legend(legend_entries(list(picture.root.walk())), width),
    }

    content, y = [], BORDER
    for name, section in sections.items():
        place = BORDER + (width - section.width) / 2, y
        content.append(translated(section.svg, place, class_=name))
        y += section.height + SPACE
    size = width + 2 * BORDER, y - SPACE + BORDER
    return document(size, picture.title, " ".join(picture.notes), content)


class Section(NamedTuple):
    """A part of the document, drawn at the origin."""

    svg: str
    width: float
    height: float


def _heading(picture: Picture, width: float) -> Section:
    """The title and the notes, broken into lines."""
    line_height = 1.5 * LABEL
    lines = [text(picture.title, (0.0, TITLE), TITLE, fill=INK, font_weight="bold")]
    characters = int(width / (CHARACTER * LABEL))
    y = TITLE + 4
    for note in picture.notes:
        for line in wrap(note, characters):
            y += line_height
            lines.append(text(line, (0.0, y), LABEL, fill=INK))
    return Section("\n".join(lines), width, y + 4)


def _tree(trace: SearchTrace, root: PictureNode) -> Section:
    """All edges, and all nodes on top of them."""
    by_level = arrange(_blocks(root, trace.columns))
    bottoms = [max(block.y + block.height for block in level) for level in by_level]
    pairs = [
        (block, child, bottom)
        for level, bottom in zip(by_level, bottoms, strict=True)
        for block in level
        for child in block.children
    ]
    pairs.sort(key=lambda pair: pair[1].content[0].principal)  # the principal variation on top
    edges = [edge(*pair) for pair in pairs]
    nodes = [_node(trace, block) for level in by_level for block in level]
    width = max(block.x + block.width / 2 for level in by_level for block in level)
    return Section("\n".join([*edges, *nodes]), width, bottoms[-1])


def _blocks(root: PictureNode, columns: int | None) -> Placed:
    """The rectangles of the nodes of a tree, not yet placed."""
    blocks: dict[PictureNode, Placed] = {}
    for node in reversed(list(root.walk())):
        rows = [*node_rows(node, columns)]
        width = max(row.width for row in rows)
        height = sum(row.height for row in rows) + FOOT
        children = [blocks.pop(child) for child in node.children]
        blocks[node] = Block((node, rows), width, height, children)
    return blocks[root]


def _node(trace: SearchTrace, block: Placed) -> str:
    node, rows = block.content
    y, painted = block.y, []
    for row in rows:
        painted.append(row.paint(block.x, y))
        y += row.height
    classes = f"node {node.shape} principal" if node.principal else f"node {node.shape}"
    return element("g", title(trace.path_label(node.path)), *painted, class_=classes)


def edge(parent: Placed, child: Placed, bottom: float) -> str:
    """The edge between two blocks, vertical down to `bottom`, where the parent's level ends.

    So it does not cross other blocks of that level.
    """
    node = child.content[0]
    points = [(parent.x, parent.y + parent.height), (parent.x, bottom), (child.x, child.y)]
    if node.shape is Shape.UNVISITED:
        return pruned_edge(points)
    colour, width = (PRINCIPAL, PRINCIPAL_WIDTH) if node.principal else (EDGE, THIN)
    if node.visits is not None:
        width = THIN + (THICKEST - THIN) * node.share
    return polyline(points, stroke=colour, stroke_width=width, stroke_linejoin="round")


def pruned_edge(points: list[Point]) -> str:
    """A dashed line, with a short line across its last segment."""
    (x0, y0), (x1, y1) = points[-2:]
    x, y = x0 + CUT_PLACE * (x1 - x0), y0 + CUT_PLACE * (y1 - y0)
    across = CUT_LENGTH / hypot(x1 - x0, y1 - y0)
    right, down = across * (y1 - y0), -across * (x1 - x0)
    cut = polyline([(x - right, y - down), (x + right, y + down)], stroke=CUT, stroke_width=2)
    return polyline(points, stroke=EDGE, stroke_width=THIN, stroke_dasharray="4 3") + cut


def _legend(entries: "list[Entry]", width: float) -> Section:
    """The entries, in rows of at most `width` pixels."""
    painted, x, y = [], 0.0, ROW_HEIGHT / 2
    for entry in entries:
        if x > 0 and x + entry.width > width:
            x, y = 0.0, y + ROW_HEIGHT
        painted.append(entry.sign(x + SIGN_CENTRE, y))
        painted.append(text(entry.words, (x + SIGN_WIDTH, y + 4), LABEL, fill=INK))
        x += entry.width + ENTRY_SPACE
    return Section("\n".join(painted), width, y + ROW_HEIGHT / 2)


class Entry(NamedTuple):
    """A sign and its meaning."""

    sign: Callable[[float, float], str]  # the SVG of the sign, given its centre
    words: str

    @property
    def width(self) -> float:
        """The width of the entry in pixels."""
        return SIGN_WIDTH + text_width(self.words, LABEL)


def legend_entries(nodes: list[PictureNode]) -> list[Entry]:
    """The legend's entries for a picture of these nodes."""
    present = {node.shape for node in nodes}
    shapes = [
        Entry(partial(_shape_sign, shape), words)
        for shape, words in SHAPE_WORDS.items()
        if shape in present
    ]
    has_visits = any(node.visits is not None for node in nodes)
    has_line = sum(node.principal for node in nodes) > 1
    has_windows = any(node.alpha for node in nodes)
    has_cutoffs = any("≥" in node.cutoff for node in nodes)
    has_bounds = any(node.value.startswith(("≥", "≤")) for node in nodes)
    others = (
        (Shape.UNVISITED in present, _pruned_sign, "never visited"),
        (has_visits, partial(_edge_sign, EDGE, 5.0), "as thick as its share of simulations"),
        (has_line, partial(_edge_sign, PRINCIPAL, PRINCIPAL_WIDTH), "the line that is expected"),
        (has_windows, partial(_letter_sign, f"{ALPHA} {BETA}", FAINT_INK), "on entry → on return"),
        (
            has_cutoffs,
            partial(_letter_sign, f"{ALPHA} ≥ {BETA}", CUT),
            "why the rest was not visited",
        ),
        (has_bounds, partial(_letter_sign, "≥ ≤", INK), "the value is at least, at most"),
    )
    return [*shapes, *(Entry(sign, words) for is_needed, sign, words in others if is_needed)]


def _shape_sign(shape: Shape, x: float, y: float) -> str:
    if shape in CORNERS:
        return figure(shape, x, y - HALF)
    return box(shape, x, y - 7, 20, 14)


def _edge_sign(colour: str, width: float, x: float, y: float) -> str:
    return polyline([(x - HALF, y), (x + HALF, y)], stroke=colour, stroke_width=width)


def _pruned_sign(x: float, y: float) -> str:
    return pruned_edge([(x - HALF, y), (x + HALF, y)])


def _letter_sign(letters: str, colour: str, x: float, y: float) -> str:
    return text(letters, (x, y + 4), SMALL, fill=colour, text_anchor="middle")
