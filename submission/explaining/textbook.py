"""Explicit trees searched as textbooks do it: from left to right, with nothing remembered."""

from collections.abc import Mapping
from typing import Any

from agents.tracing.trace import Path
from envs.explicit_tree import ExplicitTree, TreePath, parse_tree

TEXTBOOK_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "minimax": {"depth": None, "ordering": "natural"},
    "expectimax": {"depth": None, "ordering": "natural"},
    "alphabeta": {
        "depth": None,
        "time_limit": None,
        "ordering": "natural",
        "iterative_deepening": False,
        "killer_moves": False,
        "table_size": 0,
    },
}
"""With these options an agent searches a tree as it is written."""


def textbook_tree(text: str) -> ExplicitTree:
    """The tree of a text, with a scale that no leaf reaches.

    So no leaf is as good as a win, by which a search could end early or try a branch first. The
    scale is a power of two: dividing by it and multiplying changes no digit.

    Raises:
        ValueError: as `envs.explicit_tree.parse_tree`.
    """
    tree = parse_tree(text)
    return ExplicitTree(tree.tree, scale=2.0 * tree.scale)


def leaf_values(tree: ExplicitTree, path: TreePath = ()) -> dict[Path, float]:
    """Every leaf below a node with its number, from left to right."""
    leaves: dict[Path, float] = {}
    for action in tree.get_available_actions(path):
        child = tree.get_next_state(path, action)
        if tree.get_available_actions(child):
            leaves |= leaf_values(tree, child)
        else:
            leaves[child] = tree.reward(path, action) * tree.scale
    return leaves
