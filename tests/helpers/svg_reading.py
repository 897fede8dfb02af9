"""Reads what an SVG picture of a tree shows, and where, from the document alone."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from unicodedata import east_asian_width
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"

CHARACTER, ASCENT, DESCENT = 0.62, 0.95, 0.3
"""Of monospaced fonts, in parts of their size: no common one is larger."""

Point = tuple[float, float]


class Box(NamedTuple):
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "Box") -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def is_crossed_by(self, start: Point, end: Point) -> bool:
        """Whether the line passes through the inside (Liang and Barsky's clipping)."""
        enter, leave = 0.0, 1.0
        for axis, low, high in ((0, self.left, self.right), (1, self.top, self.bottom)):
            length = end[axis] - start[axis]
            if length == 0:
                if not low < start[axis] < high:
                    return False
                continue
            ends = sorted(((low - start[axis]) / length, (high - start[axis]) / length))
            enter, leave = max(enter, ends[0]), min(leave, ends[1])
        return leave - enter > 1e-9


@dataclass
class DrawnNode:
    """A node of the tree."""

    name: str
    classes: list[str]
    texts: list[str] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)

    @property
    def box(self) -> Box:
        """All that belongs to it."""
        return Box(
            min(box.left for box in self.boxes),
            min(box.top for box in self.boxes),
            max(box.right for box in self.boxes),
            max(box.bottom for box in self.boxes),
        )


class Line(NamedTuple):
    """A line that belongs to no node: an edge, a cut mark."""

    points: list[Point]
    dashed: bool
    colour: str
    width: float


@dataclass
class Drawing:
    """What a document shows."""

    size: Box
    title: str = ""
    description: str = ""
    nodes: list[DrawnNode] = field(default_factory=list)
    texts: list[tuple[str, Box]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)

    @property
    def words(self) -> list[str]:
        return [words for words, _ in self.texts]

    def named(self, name: str) -> DrawnNode:
        (node,) = (node for node in self.nodes if node.name == name)
        return node


def read_drawing(document: str) -> Drawing:
    """All that the document shows, in its own coordinates."""
    root = ElementTree.fromstring(document)
    drawing = Drawing(Box(0, 0, float(root.attrib["width"]), float(root.attrib["height"])))
    drawing.title = root.findtext(f"{SVG}title", "")
    drawing.description = root.findtext(f"{SVG}desc", "")
    for element, (right, down), node in _elements(root, (0.0, 0.0), None, drawing):
        tag = element.tag.removeprefix(SVG)
        if tag == "polyline":
            points = [(x + right, y + down) for x, y in _points(element)]
            dashed = "stroke-dasharray" in element.attrib
            colour, width = element.attrib["stroke"], float(element.attrib["stroke-width"])
            drawing.lines.append(Line(points, dashed, colour, width))
        box = _box(element, tag)
        if box is None:
            continue
        box = Box(box.left + right, box.top + down, box.right + right, box.bottom + down)
        if tag == "text":
            drawing.texts.append((element.text or "", box))
        if node is not None:
            node.boxes.append(box)
            if tag == "text":
                node.texts.append(element.text or "")
    return drawing


def _elements(
    parent: ElementTree.Element, shift: Point, node: DrawnNode | None, drawing: Drawing
) -> Iterator[tuple[ElementTree.Element, Point, DrawnNode | None]]:
    """Every element with how far it is moved, and the node that it belongs to."""
    for element in parent:
        inner, moved = node, shift
        if "transform" in element.attrib:
            right, down = element.attrib["transform"].removeprefix("translate(")[:-1].split()
            moved = shift[0] + float(right), shift[1] + float(down)
        if element.get("class", "").startswith("node"):
            inner = DrawnNode(element.findtext(f"{SVG}title", ""), element.attrib["class"].split())
            drawing.nodes.append(inner)
        yield element, moved, inner
        yield from _elements(element, moved, inner, drawing)


def _points(element: ElementTree.Element) -> list[Point]:
    pairs = (point.split(",") for point in element.attrib["points"].split())
    return [(float(x), float(y)) for x, y in pairs]


def _box(element: ElementTree.Element, tag: str) -> Box | None:
    """What a text or a figure covers."""

    def at(name: str) -> float:
        return float(element.attrib[name])

    if tag == "text":
        return _text_box(element)
    if tag == "circle":
        x, y, r = at("cx"), at("cy"), at("r")
        return Box(x - r, y - r, x + r, y + r)
    if tag == "rect" and "x" in element.attrib:
        return Box(at("x"), at("y"), at("x") + at("width"), at("y") + at("height"))
    if tag == "polygon":
        across, down = zip(*_points(element), strict=True)
        return Box(min(across), min(down), max(across), max(down))
    return None


def _text_box(element: ElementTree.Element) -> Box:
    x, y, size = (float(element.attrib[name]) for name in ("x", "y", "font-size"))
    cells = sum(2 if east_asian_width(char) in "WF" else 1 for char in element.text or "")
    width = cells * CHARACTER * size
    left = x - width / 2 if element.get("text-anchor") == "middle" else x
    return Box(left, y - ASCENT * size, left + width, y + DESCENT * size)
