"""Reads from an SVG document what its picture of a tree shows, and where."""

from dataclasses import dataclass, field
from typing import NamedTuple
from unicodedata import east_asian_width
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"

CHARACTER, ASCENT, DESCENT = 0.62, 0.95, 0.3
"""Sizes of monospaced fonts, as shares of the font size; no common font exceeds them."""

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
        """Whether the line passes through the interior (Liang and Barsky's clipping)."""
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
        """The box around everything that belongs to the node."""
        left, top, right, bottom = zip(*self.boxes, strict=True)
        return Box(min(left), min(top), max(right), max(bottom))


class Line(NamedTuple):
    """A line that belongs to no node: an edge or a cut mark."""

    points: list[Point]
    dashed: bool
    width: float


@dataclass
class Drawing:
    """The contents of a document."""

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
    """Everything that the document shows, in its own coordinates."""
    root = ElementTree.fromstring(document)
    size = Box(0, 0, float(root.attrib["width"]), float(root.attrib["height"]))
    title, description = (root.findtext(f"{SVG}{name}", "") for name in ("title", "desc"))
    drawing = Drawing(size, title, description)
    _read(root, (0.0, 0.0), None, drawing)
    return drawing


def _read(
    parent: ElementTree.Element, shift: Point, node: DrawnNode | None, drawing: Drawing
) -> None:
    """Add the drawings below a translated element to the node that it belongs to."""
    for element in parent:
        tag, words = element.tag.removeprefix(SVG), element.text or ""
        inner, (right, down) = node, shift
        if "transform" in element.attrib:
            moved = element.attrib["transform"].removeprefix("translate(")[:-1].split()
            right, down = right + float(moved[0]), down + float(moved[1])
        if element.get("class", "").startswith("node"):
            inner = DrawnNode(element.findtext(f"{SVG}title", ""), element.attrib["class"].split())
            drawing.nodes.append(inner)
        if tag == "polyline":
            points = [(x + right, y + down) for x, y in _points(element)]
            width = float(element.attrib["stroke-width"])
            drawing.lines.append(Line(points, "stroke-dasharray" in element.attrib, width))
        if (own := _box(element, tag)) is not None:
            box = Box(own.left + right, own.top + down, own.right + right, own.bottom + down)
            if inner is not None:
                inner.boxes.append(box)
            if tag == "text":
                drawing.texts.append((words, box))
                if inner is not None:
                    inner.texts.append(words)
        _read(element, (right, down), inner, drawing)


def _points(element: ElementTree.Element) -> list[Point]:
    pairs = (point.split(",") for point in element.attrib["points"].split())
    return [(float(x), float(y)) for x, y in pairs]


def _box(element: ElementTree.Element, tag: str) -> Box | None:
    """The box that a text or a shape covers."""

    def at(name: str) -> float:
        return float(element.attrib[name])

    if tag == "text":
        x, y, size = at("x"), at("y"), at("font-size")
        cells = sum(2 if east_asian_width(char) in "WF" else 1 for char in element.text or "")
        width = cells * CHARACTER * size
        left = x - width / 2 if element.get("text-anchor") == "middle" else x
        return Box(left, y - ASCENT * size, left + width, y + DESCENT * size)
    if tag == "circle":
        x, y, r = at("cx"), at("cy"), at("r")
        return Box(x - r, y - r, x + r, y + r)
    if tag == "rect" and "x" in element.attrib:
        return Box(at("x"), at("y"), at("x") + at("width"), at("y") + at("height"))
    if tag == "polygon":
        across, down = zip(*_points(element), strict=True)
        return Box(min(across), min(down), max(across), max(down))
    return None
