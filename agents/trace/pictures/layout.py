"""A tidy layout of a tree, top-down, with each parent above the middle of its children."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Generic, TypeVar

Content = TypeVar("Content")

MARGIN = 10.0  # pixels between two blocks of one level
GAP = 30.0  # pixels between two levels, at least
WIDEST_GAP = 140.0
SLOPE = 0.12  # height of a gap, relative to the longest horizontal reach of an edge across it


@dataclass
class Block(Generic[Content]):
    """A rectangle of the tree; `arrange` sets its position."""

    content: Content
    width: float
    height: float
    children: "list[Block[Content]]" = field(default_factory=list)
    x: float = 0.0  # the x of its middle
    y: float = 0.0  # the y of its upper edge


Contour = list[tuple[float, float]]
"""The left and right end of a subtree on each level, relative to the middle of its root."""


def arrange(root: Block[Content]) -> list[list[Block[Content]]]:
    """Place all blocks so that none overlap and the leftmost begins at x = 0, the root at y = 0.

    Subtrees are as close together as their outlines allow (E. M. Reingold and J. S. Tilford,
    "Tidier Drawings of Trees", 1981), with inner ones centred in the available room.

    Returns:
        The blocks of each level, from left to right.
    """
    by_level = [[root]]
    while below := [child for block in by_level[-1] for child in block.children]:
        by_level.append(below)
    contours: dict[int, Contour] = {}
    for level in reversed(by_level):
        for block in level:
            outlines = [contours.pop(id(child)) for child in block.children]
            offsets = _offsets(outlines)
            for child, offset in zip(block.children, offsets, strict=True):
                child.x = offset
            contours[id(block)] = [
                (-block.width / 2, block.width / 2),
                *_outline(outlines, offsets),
            ]
    root.x = -min(left for left, _ in contours[id(root)])
    for level in by_level:
        for block in level:
            for child in block.children:
                child.x += block.x
    _stack(by_level)
    return by_level


def _offsets(outlines: Sequence[Contour]) -> list[float]:
    """The positions of the subtrees of a block, relative to its middle.

    Packing to the left and packing to the right both keep the distances required by the outlines;
    so does the mean of the two, which distributes the free room.
    """
    count = len(outlines)
    distances = {
        (i, j): _distance(outlines[i], outlines[j]) for j in range(count) for i in range(j)
    }
    from_left: list[float] = []
    for j in range(count):
        from_left.append(max((from_left[i] + distances[i, j] for i in range(j)), default=0.0))
    from_right = [from_left[-1]] * count if count else []
    for i in reversed(range(count - 1)):
        from_right[i] = min(from_right[j] - distances[i, j] for j in range(i + 1, count))
    middle = from_left[-1] / 2 if count else 0.0
    return [(left + right) / 2 - middle for left, right in zip(from_left, from_right, strict=True)]


def _distance(left: Contour, right: Contour) -> float:
    """The least distance from one subtree to another one on its right."""
    shared = zip(left, right, strict=False)
    return max(right_end - left_end for (_, right_end), (left_end, _) in shared) + MARGIN


def _outline(outlines: Sequence[Contour], offsets: Sequence[float]) -> Contour:
    outline = []
    for level in range(max(map(len, outlines), default=0)):
        ends = [
            (contour[level][0] + offset, contour[level][1] + offset)
            for contour, offset in zip(outlines, offsets, strict=True)
            if level < len(contour)
        ]
        outline.append((min(left for left, _ in ends), max(right for _, right in ends)))
    return outline


def _stack(by_level: Sequence[Sequence[Block[Content]]]) -> None:
    """Put each level below the previous one, farther for edges that reach farther sideways."""
    for upper, lower in pairwise(by_level):
        bottom = upper[0].y + max(block.height for block in upper)
        reach = max(abs(child.x - block.x) for block in upper for child in block.children)
        gap = min(max(GAP, SLOPE * reach), WIDEST_GAP)
        for block in lower:
            block.y = bottom + gap
