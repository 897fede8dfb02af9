"""A tree as data, for a page that lays it out and draws it itself."""

from typing import Any

from agents.trace.pictures.picture import Picture, PictureNode, Shape, by_importance
from agents.trace.trace import Path

FIELDS = ("action", "probability", "value", "visits", "alpha", "beta", "cutoff", "mark")
"""The fields of a node in a picture; empty ones are left out."""


def tree_data(picture: Picture, limit: int, way: Path = ()) -> list[dict[str, Any]]:
    """The most important nodes of a tree.

    Args:
        picture: the whole tree.
        limit: nodes, at least 1.
        way: the path of a node that is among them, with those above it, where there is room.

    Returns:
        Each node after its parent: the first n of them are a tree, the most important one of n
        nodes. `parent` is a node's index, `place` its place among its siblings, `move` the action
        that leads to it, `shape` one of `Shape`, `below` the number of visited nodes below it,
        `share` its part of its parent's simulations, `principal` whether it is on the line that is
        expected, `unvisited` the labels of children that were never visited, `board` its cells as
        digits; the rest is as in `PictureNode`.
    """
    shown = by_importance(picture.root, way)[:limit]
    below: dict[Path, int] = {}
    for node in reversed(list(picture.root.walk())):
        visited = [child for child in node.children if child.shape is not Shape.UNVISITED]
        below[node.path] = sum(1 + below[child.path] for child in visited)
    indices = {node.path: index for index, node in enumerate(shown)}
    places = {child.path: place for node in shown for place, child in enumerate(node.children)} | {
        picture.root.path: 0
    }
    return [
        {
            "parent": None if node is picture.root else indices[node.path[:-1]],
            "place": places[node.path],
            "move": node.path[-1] if node.path else None,
            "shape": str(node.shape),
            "below": below[node.path],
            **_said(node),
        }
        for node in shown
    ]


def _said(node: PictureNode) -> dict[str, Any]:
    said = {name: getattr(node, name) for name in FIELDS if getattr(node, name) not in ("", None)}
    if node.principal:
        said["principal"] = True
    if node.share:
        said["share"] = round(node.share, 4)
    if node.board is not None:
        said["board"] = "".join(map(str, node.board))
    unvisited = [child.action for child in node.children if child.shape is Shape.UNVISITED]
    return said | ({"unvisited": unvisited} if unvisited else {})
