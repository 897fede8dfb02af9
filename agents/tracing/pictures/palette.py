"""The colours of pictures of traces, for a white ground; players have those of their stones."""

from agents.tracing.pictures.picture import Shape
from envs.render import COLOURS, LINE_COLOUR

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
