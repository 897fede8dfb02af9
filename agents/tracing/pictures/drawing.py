"""A trace as a picture: one SVG document that needs nothing else."""

from textwrap import wrap
from typing import NamedTuple

from agents.tracing.labels import path_label
from agents.tracing.pictures.edges import Placed, edge
from agents.tracing.pictures.layout import Block, arrange, levels
from agents.tracing.pictures.legend import legend, legend_entries
from agents.tracing.pictures.node_rows import LABEL, node_rows
from agents.tracing.pictures.palette import INK
from agents.tracing.pictures.picture import Picture, PictureNode
from agents.tracing.pictures.picture_tree import LIMIT, picture_of
from agents.tracing.pictures.svg import (
    CHARACTER,
    document,
    element,
    text,
    text_width,
    title,
    translated,
)
from agents.tracing.trace import SearchTrace

BORDER = 16.0
LEAST_WIDTH = 600.0
"""Of the text around the tree, however narrow the tree."""
TITLE = 16.0
"""Size of the title's text."""
SPACE = 18.0
"""Between the text and the tree."""
FOOT = 3.0
"""Between what stands at a node and the edges to its children."""


class Section(NamedTuple):
    """A part of the document, drawn at the origin."""

    svg: str
    width: float
    height: float


def draw(trace: SearchTrace, limit: int = LIMIT) -> str:
    """The tree of a search as a stand-alone SVG document.

    It shows the last iteration of iterative deepening. Children stand in the order of the search,
    those that were pruned behind them; of a Monte Carlo tree search by their visits. Values, alpha
    and beta are in the numbers of the game (the trace's `scale`), from player 1's view; columns and
    cells of a board are counted from 1.

    Args:
        trace: what `agents.tracing.recording.recorded` has filled.
        limit: nodes to draw; subtrees that have no room become one mark `+ n nodes`.

    Raises:
        ValueError: the trace holds no search, or the limit is below 1.
    """
    picture = picture_of(trace, limit)
    tree = _tree(trace, picture.root)
    width = max(tree.width, LEAST_WIDTH, text_width(picture.title, TITLE))
    sections = [_heading(picture, width), tree, _legend(picture.root, width)]

    content, y = [], BORDER
    for section in sections:
        content.append(translated(section.svg, (BORDER + (width - section.width) / 2, y)))
        y += section.height + SPACE
    size = width + 2 * BORDER, y - SPACE + BORDER
    return document(size, picture.title, " ".join(picture.notes), content)


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
    placed = _blocks(root, trace.columns)
    arrange(placed)
    by_level = levels(placed)
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
    """The rectangles that the nodes of a tree fill, not yet placed."""
    blocks: dict[PictureNode, Placed] = {}
    for node in reversed(list(root.walk())):
        rows = node_rows(node, columns)
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
    return element("g", title(path_label(trace, node.path)), *painted, class_=classes)


def _legend(root: PictureNode, width: float) -> Section:
    svg, height = legend(legend_entries(list(root.walk())), width)
    return Section(svg, width, height)
