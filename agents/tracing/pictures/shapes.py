"""The figures of a tree's nodes: each kind has its own shape and colour."""

from agents.tracing.pictures.palette import EDGE, FILLS, INK
from agents.tracing.pictures.picture import Shape
from agents.tracing.pictures.svg import element, polygon

SIDE = 20.0
"""Width and height of a node in which someone chooses."""
STUB = 8.0
"""Width and height of a node that was not visited."""
HALF = SIDE / 2

CORNERS = {
    Shape.MAX: ((0.0, 0.0), (HALF, SIDE), (-HALF, SIDE)),
    Shape.MIN: ((-HALF, 0.0), (HALF, 0.0), (0.0, SIDE)),
    Shape.CHANCE: ((0.0, 0.0), (HALF, HALF), (0.0, SIDE), (-HALF, HALF)),
}
"""Corners by shape, from the middle of the upper edge."""


def figure(shape: Shape, x: float, y: float) -> str:
    """A node in which someone chooses, the middle of its upper edge at (x, y)."""
    corners = [(x + right, y + down) for right, down in CORNERS[shape]]
    return polygon(corners, fill=FILLS[shape], stroke=INK)


def box(shape: Shape, x: float, y: float, width: float, height: float) -> str:
    """The frame of a leaf or of a mark, the middle of its upper edge at (x, y)."""
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
    """A node that was not visited, the middle of its upper edge at (x, y)."""
    return element(
        "circle",
        cx=x,
        cy=y + STUB / 2,
        r=STUB / 2,
        fill=FILLS[Shape.UNVISITED],
        stroke=EDGE,
        stroke_dasharray="2 2",
    )
