"""Random explicit trees, and their values, computed from the nested lists themselves."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from envs import ChanceNode, MaxNode, MinNode

LEAVES = st.integers(-9, 9)


def plain_trees(most_leaves: int = 16) -> st.SearchStrategy[Any]:
    """Nested lists and dicts of at least one ply, whose players take turns."""
    return _branches(st.recursive(LEAVES, _branches, max_leaves=most_leaves))


def mixed_trees(most_leaves: int = 16) -> st.SearchStrategy[Any]:
    """Trees in which a player may move twice in a row, and chance may decide below the root."""

    def nodes(subtrees: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        branches = _branches(subtrees)
        return st.one_of(
            branches,
            st.builds(MaxNode, branches),
            st.builds(MinNode, branches),
            st.builds(ChanceNode, _outcomes(subtrees)),
        )

    subtrees = st.recursive(LEAVES, nodes, max_leaves=most_leaves)
    return st.builds(MaxNode, _branches(subtrees)) | st.builds(MinNode, _branches(subtrees))


def _branches(subtrees: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(subtrees, min_size=1, max_size=4)
    return lists | st.dictionaries(st.sampled_from("abcdef"), subtrees, min_size=1, max_size=4)


@st.composite
def _outcomes(draw: st.DrawFn, subtrees: st.SearchStrategy[Any]) -> list[tuple[float, Any]]:
    """Pairs of probability and subtree; some probabilities are 0."""
    weights = draw(st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any))
    return [(weight / sum(weights), draw(subtrees)) for weight in weights]


def worth(tree: Any, turn: int = 1) -> float:
    """The value of a tree for player 1 under best play, in the tree's own numbers."""
    if isinstance(tree, ChanceNode):
        return sum(share * worth(subtree, 3 - turn) for share, subtree in tree.outcomes)
    if isinstance(tree, MaxNode | MinNode):
        tree, turn = tree.branches, 1 if isinstance(tree, MaxNode) else 2
    if isinstance(tree, int | float):
        return tree
    best = max if turn == 1 else min
    return best(worth(subtree, 3 - turn) for subtree in subtrees(tree))


def subtrees(branches: Any) -> list[Any]:
    """The subtrees of a list or a dict."""
    return list(branches.values() if isinstance(branches, dict) else branches)


def subtree(tree: Any, path: Sequence[Any], turn: int = 1) -> tuple[Any, int]:
    """The subtree at the end of a path, and whose turn it is there if the tree does not say."""
    if not path:
        return tree, turn
    if isinstance(tree, ChanceNode):
        return subtree(tree.outcomes[path[0]][1], path[1:], 3 - turn)
    if isinstance(tree, MaxNode | MinNode):
        tree, turn = tree.branches, 1 if isinstance(tree, MaxNode) else 2
    return subtree(tree[path[0]], path[1:], 3 - turn)


def replaced(tree: Any, path: Sequence[Any], leaf: Any) -> Any:
    """The tree with a leaf in place of the subtree at the end of a path."""
    if not path:
        return leaf
    branches = dict(enumerate(tree)) if isinstance(tree, list) else dict(tree)
    branches[path[0]] = replaced(branches[path[0]], path[1:], leaf)
    return list(branches.values()) if isinstance(tree, list) else branches
