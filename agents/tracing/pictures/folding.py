"""Leaving out what a picture has no room for, and saying so in its place."""

from collections.abc import Callable

from agents.tracing.pictures.picture import PictureNode, Shape


def fold(root: PictureNode, limit: int, rank: Callable[[PictureNode], float]) -> int:
    """Replace nodes by `+ n nodes` until at most `limit` are left; unvisited ones do not count.

    The principal variation is kept first, then the nodes of the lowest rank, of equals the
    leftmost. No node may rank before its parent.

    Returns:
        How many nodes were left out.
    """
    nodes = [node for node in root.walk() if node.shape is not Shape.UNVISITED]
    nodes.sort(key=lambda node: (not node.principal, rank(node)))
    kept = set(nodes[:limit])
    for node in kept:
        _fold_children(node, kept)
    return len(nodes[limit:])


def _fold_children(node: PictureNode, kept: set[PictureNode]) -> None:
    """Put one mark in the place of the children that are not kept."""
    folded = [
        child for child in node.children if child not in kept and child.shape is not Shape.UNVISITED
    ]
    if not folded:
        return
    count = sum(below.shape is not Shape.UNVISITED for child in folded for below in child.walk())
    first = node.children.index(folded[0])
    node.children = [child for child in node.children if child not in folded]
    noun = "node" if count == 1 else "nodes"
    node.children.insert(first, PictureNode(node.path, Shape.FOLDED, value=f"+ {count}", mark=noun))
