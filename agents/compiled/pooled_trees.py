"""Compiled trees in pools of nodes, read-only snapshots of nodes, and the forest of a search.

Each thread of a search grows its own tree from the same root, and the statistics of all trees are
added up, as in `agents.parallel.merged_trees`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import cached_property
from itertools import repeat
from typing import Any, TypeVar

from agents.agent import Clock
from agents.compiled.tree_kernel import (
    COUNTERS,
    MADE,
    NO_ACTION,
    NO_PLACE,
    NODE,
    ROOT,
    STREAM,
    TAKEN,
    UNPROVEN,
    GrowKernel,
    Setup,
    TreeArrays,
    transplant,
)
from agents.tree import MergedNode, SearchedNode
from envs.bitboard import word_of_board
from envs.board import BoardGame, BoardState
from envs.compiled.jit import compiled, zeros

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

LARGEST_POOL = 1 << 23  # the most nodes of a tree, of 24 or 40 bytes each


class PooledTree(ABC):
    """A tree that grows by compiled kernels, on a board that fits a wide word.

    The state of the random `stream` is below 2^63. If `plain`, the kernels run in plain Python.
    """

    fields: Sequence[tuple[str, str]] = NODE  # of a node
    slice: int  # simulations between two looks at the clock: about a millisecond
    make_root: Callable[..., None]
    """Makes the root; not compiled, which would not pay off for a single node."""

    def __init__(
        self, env: BoardGame, state: BoardState, setup: Setup, stream: int = 0, plain: bool = False
    ) -> None:
        self.env = env
        self.counters = zeros(COUNTERS)
        self.counters[STREAM] = stream
        self.plain = plain
        self.setup = setup
        self._path = zeros(env.rows * env.columns + 2)
        self.begin(state)

    @property
    @abstractmethod
    def kernel(self) -> GrowKernel:
        """The kernel that grows the tree, to be compiled on first use."""

    def begin(self, state: BoardState) -> None:
        """Start a new tree with only the root; the random stream continues."""
        self.state, self.place = state, ROOT
        self.nodes = empty_nodes(1, self.fields)
        self.make_root(self._arrays, ROOT, NO_ACTION, *self._stones, self.setup)
        self.counters[TAKEN] = 1

    @property
    def root(self) -> "PooledNode":
        """The root."""
        sign = 1 if self.state.player == 1 else -1
        return PooledNode(self, self.place, sign, self.nodes[self.place].item())

    def grow(self, simulations: int, through: int | None = None) -> int:
        """Run at most `simulations`, until the root is proven; return the number run.

        All of them go `through` an action of the root; if it is None, the rule selects it.
        """
        first = NO_PLACE if through is None else self.root.children[through].place
        return int(
            self._runnable(self.kernel)(
                self._arrays, self.place, first, *self._stones, self.setup, simulations
            )
        )

    def is_proven(self) -> bool:
        """Whether the value of the root is proven."""
        return bool(self.nodes["proven"][self.place] != UNPROVEN)

    def place_of(self, path: Sequence[int]) -> int | None:
        """The place of the node that these actions lead to from the root, or None."""
        node = self.root
        for action in path:
            if action not in node.children:
                return None
            node = node.children[action]
        return node.place

    def require_room(self, simulations: int | None) -> None:
        """Make room for further simulations if there is too little and room can be gained."""
        is_short = self.counters[TAKEN] + self._wanted(simulations) > len(self.nodes)
        if is_short and (len(self.nodes) < LARGEST_POOL or self.place != ROOT):
            self.make_room(simulations)

    def make_room(self, simulations: int | None) -> None:
        """Make room for further simulations (None: as many as possible), and drop unused nodes.

        The pool is limited to `LARGEST_POOL`; when it is full, the tree stops growing.
        """
        taken = int(self.counters[TAKEN])
        places = taken + max(taken, self._wanted(simulations))  # at least doubled, for few copies
        pool = empty_nodes(max(taken, min(LARGEST_POOL, places)), self.fields)
        self._runnable(transplant)(records(self.nodes), self.counters, self.place, records(pool))
        self.nodes, self.place = pool, ROOT

    def _wanted(self, simulations: int | None) -> int:
        return LARGEST_POOL if simulations is None else simulations * len(self.env.action_cells)

    @property
    def _arrays(self) -> TreeArrays:
        return TreeArrays(records(self.nodes), self.counters, self._path)

    @property
    def _stones(self) -> tuple[int, int]:
        """The root's `mover` and `mask`, in words as wide as the board needs."""
        word = word_of_board(*self.env.size)
        return word(self.state.mover), word(self.state.mask)

    def _runnable(self, kernel: Kernel) -> Kernel:
        return kernel if self.plain else compiled(kernel)

    def __getstate__(self) -> dict[str, Any]:
        """The state without the free places of the pool."""
        return {**self.__dict__, "nodes": self.nodes[: self.counters[TAKEN]].copy()}


def empty_nodes(places: int, fields: Sequence[tuple[str, str]]) -> Any:
    """A pool of empty places for nodes with these fields."""
    import numpy as np

    return np.empty(places, np.dtype(list(fields), align=True))


def records(nodes: Any) -> Any:
    """A view of a pool for kernels, with its fields as attributes."""
    import numpy as np

    return nodes.view(np.recarray)


class PooledNode(SearchedNode[int]):
    """A read-only snapshot of a node in a pooled tree, with the interface of the reference's nodes.

    Its children are read from the tree on first access. The sign is +1 if player 1 is to move, -1
    if player 2 is.
    """

    def __init__(self, tree: PooledTree, place: int, sign: int, fields: tuple[Any, ...]) -> None:
        visits, first, total, proven, draw_at_hand, children, _, action, *guided = fields
        self.place, self.sign, self.action = place, sign, action
        self.visits: int = visits
        self.total = -sign * total
        self.proven = None if proven == UNPROVEN else float(-sign * proven)
        self.assured = 0.0 if draw_at_hand else None
        prior, evaluation = guided or (1.0, 0.0)
        self.prior, self.evaluation = prior, -sign * evaluation
        self._tree, self._first, self._end = tree, first, first + children

    @cached_property
    def children(self) -> Mapping[int, "PooledNode"]:
        """The children by action."""
        known = self._tree.nodes[self._first : self._end].tolist()
        children = [
            PooledNode(self._tree, place, -self.sign, fields)
            for place, fields in enumerate(known, self._first)
        ]
        return {child.action: child for child in children}


def path_between(env: BoardGame, state: BoardState, target: BoardState) -> tuple[int, ...] | None:
    """The actions that lead from `state` to `target`, if at most two suffice; else None."""
    paths: dict[BoardState, tuple[int, ...]] = {state: ()}
    for _ in range(2):
        for known, path in list(paths.items()):
            for action in env.get_available_actions(known):
                paths.setdefault(env.get_next_state(known, action), (*path, action))
    return paths.get(target)


class Forest:
    """The trees of one search, at least one, with a common root."""

    def __init__(self, trees: Sequence[PooledTree]) -> None:
        self.trees = trees
        self.env = trees[0].env
        self.state = trees[0].state

    @property
    def nodes(self) -> int:
        """The number of nodes made so far."""
        return sum(int(tree.counters[MADE]) for tree in self.trees)

    @property
    def root(self) -> SearchedNode[int]:
        """The root, with the statistics of all trees."""
        roots = [tree.root for tree in self.trees]
        return roots[0] if len(roots) == 1 else MergedNode(roots)

    def grow(self, simulations: int | None, clock: Clock, through: int | None = None) -> int:
        """Run simulations until all are run, the time is up or a tree has proven its root.

        As `agents.tree.MonteCarloTree.grow`, but in all trees at once, slice by slice.
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
        """Set the priors of the root's children; the root must be expanded."""
        for tree in self.trees:
            for action, child in tree.root.children.items():
                tree.nodes["prior"][child.place] = priors[action]

    def descend(self, state: BoardState) -> bool:
        """Make `state` the root, and return True, if a tree has it at most two plies ahead."""
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
