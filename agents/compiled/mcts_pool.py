"""One compiled search tree: its pool of nodes, its random numbers, its kept root."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from agents.compiled.mcts_kernel import (
    CELL,
    CHILDREN,
    COUNTERS,
    FIRST_CHILD,
    LONGEST_PATH,
    MADE,
    NODE_FIELDS,
    PROVEN,
    ROOT,
    STREAM,
    TAKEN,
    UNPROVEN,
    TreeArrays,
    TreeSettings,
    grow_tree,
    make_node,
    transplant,
)
from agents.compiled.mcts_playouts import PlayoutBoard
from agents.words import zeros
from envs.board import BoardState
from envs.jit import compiled

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

LARGEST_POOL = 1 << 23
"""Nodes that a tree has places for, 32 bytes each; a simulation takes about two places."""


class PooledTree:
    """One tree, with its stream of random numbers.

    Args:
        state: the root, in which the game goes on.
        board: the board.
        settings: how to grow.
        stream: the seed of the random numbers, below 2^63.
        plain: whether the kernels run as they stand, in plain Python.
    """

    def __init__(
        self,
        state: BoardState,
        board: PlayoutBoard,
        settings: TreeSettings,
        stream: int,
        plain: bool = False,
    ) -> None:
        self._plain = plain
        self.board = board
        self.settings = settings
        self.counters = zeros(COUNTERS)
        self._path = zeros(LONGEST_PATH)
        self.counters[STREAM] = stream
        self.begin(state)

    def begin(self, state: BoardState) -> None:
        """Begin anew, with the root alone; the random numbers go on."""
        self.state = state
        self.root = ROOT
        self.nodes = new_pool(1)
        make_root = self._runnable(make_node)
        make_root(self.nodes, ROOT, state.mover, state.mask, self.board, self.settings)
        self.counters[TAKEN] = 1
        self.counters[MADE] += 1

    def grow(self, simulations: int) -> int:
        """Run simulations until the root is proven; how many were run."""
        return self._runnable(grow_tree)(
            TreeArrays(self.nodes, self.counters, self._path),
            self.root,
            self.state.mover,
            self.state.mask,
            self.board,
            self.settings,
            simulations,
        )

    def is_proven(self) -> bool:
        """Whether the value of the root is proven."""
        return bool(self.nodes[self.root, PROVEN] != UNPROVEN)

    def children(self, place: int) -> Iterator[tuple[int, int]]:
        """The column and the place of each child of a node."""
        first = int(self.nodes[place, FIRST_CHILD])
        for child in range(first, first + int(self.nodes[place, CHILDREN])):
            yield int(self.nodes[child, CELL]) // (self.board.rows + 1), child

    def place_of(self, path: Sequence[int]) -> int | None:
        """The place of the node that these columns lead to from the root; None if there is none."""
        place: int | None = self.root
        for column in path:
            place = None if place is None else dict(self.children(place)).get(column)
        return place

    def make_room(self, simulations: int | None) -> None:
        """Make room for so many simulations (None: as many as possible), and drop what is unused.

        Where the largest pool is too small for them, the tree grows until that is full.
        """
        taken = int(self.counters[TAKEN])
        wanted = LARGEST_POOL
        if simulations is not None:
            wanted = min(wanted, taken + simulations * self.board.columns)
        pool = new_pool(max(taken, wanted))
        self._runnable(transplant)(self.nodes, self.counters, self.root, pool)
        self.nodes, self.root = pool, ROOT

    def _runnable(self, kernel: Kernel) -> Kernel:
        return kernel if self._plain else compiled(kernel)

    def __getstate__(self) -> dict[str, Any]:
        """Without the places that are free."""
        return {**self.__dict__, "nodes": self.nodes[: self.counters[TAKEN]].copy()}


def new_pool(places: int) -> Any:
    """A pool of empty places."""
    import numpy as np

    return np.empty((places, NODE_FIELDS), dtype=np.int32)
