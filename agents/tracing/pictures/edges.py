"""The edges of the drawn tree."""

from math import hypot

from agents.tracing.pictures.layout import Block
from agents.tracing.pictures.node_rows import Row
from agents.tracing.pictures.palette import CUT, EDGE, PRINCIPAL
from agents.tracing.pictures.picture import PictureNode, Shape
from agents.tracing.pictures.svg import Point, polyline

Placed = Block[tuple[PictureNode, list[Row]]]
"""A node with its rows, in its place."""

THIN = 1.2
PRINCIPAL_WIDTH = 3.0
THICKEST = 9.0
"""Widths of an edge in pixels: any, on the principal variation, for all simulations of a node."""
CUT_PLACE = 0.72
"""Where on its edge a cut mark stands, from the parent (0) to the child (1)."""
CUT_LENGTH = 5.0
"""From the edge to the end of a cut mark."""


def edge(parent: Placed, child: Placed, bottom: float) -> str:
    """The edge between two blocks; down to `bottom`, where the parent's level ends, it is upright.

    So it meets no other block of that level.
    """
    node = child.content[0]
    start, end = (parent.x, bottom), (child.x, child.y)
    points = [(parent.x, parent.y + parent.height), start, end]
    if node.shape is Shape.UNVISITED:
        pruned = polyline(points, stroke=EDGE, stroke_width=THIN, stroke_dasharray="4 3")
        return pruned + cut_mark(start, end)
    width = PRINCIPAL_WIDTH if node.principal else THIN
    if node.visits is not None:
        width = THIN + (THICKEST - THIN) * node.share
    colour = PRINCIPAL if node.principal else EDGE
    return polyline(points, stroke=colour, stroke_width=width, stroke_linejoin="round")


def cut_mark(start: Point, end: Point) -> str:
    """A short line across the edge from `start` to `end`."""
    (x0, y0), (x1, y1) = start, end
    x, y = x0 + CUT_PLACE * (x1 - x0), y0 + CUT_PLACE * (y1 - y0)
    across = CUT_LENGTH / hypot(x1 - x0, y1 - y0)
    right, down = across * (y1 - y0), -across * (x1 - x0)
    return polyline([(x - right, y - down), (x + right, y + down)], stroke=CUT, stroke_width=2)
