"""The compiled trees of one search, one for each thread, and their common statistics.

Each thread grows a tree of its own from the same root, and their statistics are added up, as in
`agents.parallel.merged_trees`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import repeat

from agents.agent import Clock
from agents.compiled.pooled_tree import PooledTree, path_between
from agents.compiled.tree_kernel import MADE
from agents.tree import MergedNode, SearchedNode
from envs.board import BoardState


class Forest:
    """The trees of one search, at least one, with one root in common."""

    def __init__(self, trees: Sequence[PooledTree]) -> None:
        self.trees = trees
        self.env = trees[0].env
        self.state = trees[0].state

    @property
    def nodes(self) -> int:
        """Nodes made so far."""
        return sum(int(tree.counters[MADE]) for tree in self.trees)

    @property
    def root(self) -> SearchedNode[int]:
        """The root, with the statistics of all trees."""
        roots = [tree.root for tree in self.trees]
        return roots[0] if len(roots) == 1 else MergedNode(roots)

    def grow(self, simulations: int | None, clock: Clock, through: int | None = None) -> int:
        """Run simulations until all are run, the time is up or a tree has proven its root.

        Like `agents.tree.MonteCarloTree.grow`, but in all trees at once, slice by slice.
        """
        for tree in self.trees:
            tree.require_room(simulations)
        trees, done = len(self.trees), 0
        round_size = trees * self.trees[0].slice
        with ThreadPoolExecutor(trees) if trees > 1 else nullcontext() as executor:
            run: Callable[..., Iterable[int]] = map if executor is None else executor.map
            while True:
                batch = round_size if simulations is None else min(round_size, simulations - done)
                shares = [(batch + number) // trees for number in range(trees)]
                done += sum(run(PooledTree.grow, self.trees, shares, repeat(through)))
                proven = any(tree.is_proven() for tree in self.trees)
                if proven or done == simulations or clock.expired():
                    return done

    def set_priors(self, priors: Mapping[int, float]) -> None:
        """Give the children of the root, which has been expanded, other priors."""
        for tree in self.trees:
            for action, child in tree.root.children.items():
                tree.nodes["prior"][child.place] = priors[action]

    def descend(self, state: BoardState) -> bool:
        """Make `state` the root if a tree has it at most two plies ahead; return whether."""
        path = path_between(self.env, self.state, state)
        places = [] if path is None else [tree.place_of(path) for tree in self.trees]
        if all(place is None for place in places):
            return False
        self.state = state
        for tree, place in zip(self.trees, places, strict=True):
            if place is None:
                tree.begin(state)
            else:
                tree.place, tree.state = place, state
        return True
