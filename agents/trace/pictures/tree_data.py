"""A tree as data, for a page that lays it out and draws it itself."""

from collections.abc import Hashable
from typing import Any, NamedTuple

from agents.trace.pictures.picture import PictureNode, Shape, by_importance, whole_picture
from agents.trace.trace import Path, SearchTrace

FIELDS = ("action", "probability", "value", "visits", "alpha", "beta", "cutoff", "mark")
"""The fields of a node in a picture; empty ones are left out."""


class TreeData(NamedTuple):
    """The most important nodes of a tree."""

    title: str
    notes: tuple[str, ...]
    nodes: list[dict[str, Any]]
    """Each after its parent: any first of them are a tree, the best with so many nodes.

    `parent` is a node's index, `place` its place among its siblings, `move` the action that leads
    to it, `shape` one of `Shape`, `below` the number of visited nodes below it, `share` its part of
    its parent's simulations, `principal` whether it is on the line that is expected, `unvisited`
    the labels of children that were never visited, `board` its cells as digits; the rest is as in
    `PictureNode`."""


def tree_data(trace: SearchTrace, limit: int, top: Path = (), way: Path = ()) -> TreeData:
    """The tree of a trace, with at most `limit` nodes.

    Args:
        trace: what was recorded.
        limit: nodes, at least 1.
        top: the node below which they are; () for the whole tree.
        way: the path of a node that is among them, with those above it, where there is room.

    Raises:
        ValueError: the trace holds no search, or no such node.
    """
    picture = whole_picture(trace, top)
    ordered = by_importance(picture.root, way)
    below: dict[Path, int] = {}
    for node in reversed(list(picture.root.walk())):
        visited = [child for child in node.children if child.shape is not Shape.UNVISITED]
        below[node.path] = sum(1 + below[child.path] for child in visited)
    indices = {node.path: index for index, node in enumerate(ordered[:limit])}
    places = {
        child.path: place
        for node in ordered[:limit]
        for place, child in enumerate(node.children)
        if child.path in indices
    }
    nodes = [
        {
            "parent": indices.get(node.path[:-1]) if node is not picture.root else None,
            "place": places.get(node.path, 0),
            "move": _last(node.path),
            "shape": str(node.shape),
            "below": below[node.path],
            **_said(node),
        }
        for node in ordered[:limit]
    ]
    return TreeData(picture.title, picture.notes, nodes)


def _last(path: Path) -> Hashable:
    return path[-1] if path else None


def _said(node: PictureNode) -> dict[str, Any]:
    """What a node says of itself."""
    said = {name: getattr(node, name) for name in FIELDS if getattr(node, name) not in ("", None)}
    if node.principal:
        said["principal"] = True
    if node.share:
        said["share"] = round(node.share, 4)
    if node.board is not None:
        said["board"] = "".join(map(str, node.board))
    unvisited = [child.action for child in node.children if child.shape is Shape.UNVISITED]
    return said | ({"unvisited": unvisited} if unvisited else {})
