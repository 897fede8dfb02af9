"""Compiled Monte Carlo tree search: its trees, one for each thread, and what they know together.

Each thread grows a tree of its own from the same root, and their statistics are added up ("root
parallelisation": G. M. J-B. Chaslot, M. H. M. Winands and H. J. van den Herik, "Parallel
Monte-Carlo Tree Search", 2008).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache, partial
from typing import Any, TypeVar

from agents.agent import Clock
from agents.compiled.compilation import Compilation, takes_wide_words
from agents.compiled.learned_value import CERTAINTY, LearnedValue
from agents.compiled.mcts_kernel import (
    CELL,
    COUNTERS,
    LONGEST_PATH,
    MADE,
    NO_CELL,
    NODE_FIELDS,
    STREAM,
    TAKEN,
    TOTAL,
    TreeArrays,
    TreeKernels,
    TreeSettings,
    grow_by_guesses,
    grow_by_playouts,
    make_kernels_on_board,
    make_node,
    transplant,
)
from agents.compiled.mcts_playouts import PlayoutBoard
from agents.compiled.tree_nodes import (
    CHILDREN,
    DRAW_AT_HAND,
    FIRST_CHILD,
    PROVEN,
    ROOT,
    UNPROVEN,
    VISITS,
)
from envs.bitboard import board_masks
from envs.board import BoardGame, BoardState
from envs.compiled.jit import compiled, kind_of_word, zeros
from envs.connectx import ConnectX

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
        self._word = kind_of_word(board.bottom)
        self.settings = settings
        self.counters = zeros(COUNTERS)
        self._path = zeros(LONGEST_PATH)
        self.counters[STREAM] = stream
        self.begin(state)

    def begin(self, state: BoardState) -> None:
        """Begin anew, with the root alone; the random numbers go on."""
        self.state = state
        self.root = ROOT
        self.nodes = self._new_pool(1)
        make_root = self._kernels.make_node
        make_root(self.nodes, ROOT, *self._stones, self.board, self.settings)
        self.counters[TAKEN] = 1
        self.counters[MADE] += 1

    def grow(self, simulations: int) -> int:
        """Run simulations until the root is proven; how many were run."""
        return self._kernels.grow(
            TreeArrays(self.nodes, self.counters, self._path),
            self.root,
            *self._stones,
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
        """Make room for further simulations (None: as many as possible), and drop what is unused.

        Where the largest pool is too small for them, the tree grows until that is full.
        """
        taken = int(self.counters[TAKEN])
        wanted = LARGEST_POOL
        if simulations is not None:
            wanted = min(wanted, taken + simulations * self.board.columns)
        pool = self._new_pool(max(taken, wanted))
        self._runnable(transplant)(self.nodes, self.counters, self.root, pool)
        self.nodes, self.root = pool, ROOT

    @property
    def _stones(self) -> tuple[int, int]:
        """The stones at the root, as words."""
        return self._word(self.state.mover), self._word(self.state.mask)

    @property
    def _kernels(self) -> TreeKernels:
        """The kernels, which wide words have compiled for each board."""
        grow = grow_by_guesses if self._guesses else grow_by_playouts
        kernels = TreeKernels(make_node, grow)
        if self._word is not int and not self._plain:
            kernels = make_kernels_on_board(self.board)
        return TreeKernels(self._runnable(kernels.make_node), self._runnable(kernels.grow))

    @property
    def _guesses(self) -> bool:
        """Whether leaves are guessed, and not played out."""
        return bool(self.board.network != ())

    def _new_pool(self, places: int) -> Any:
        """A pool of empty places."""
        import numpy as np

        return np.empty((places, NODE_FIELDS), np.int64 if self._guesses else np.int32)

    def _runnable(self, kernel: Kernel) -> Kernel:
        return kernel if self._plain else compiled(kernel)

    def __getstate__(self) -> dict[str, Any]:
        """Without the places that are free."""
        return {**self.__dict__, "nodes": self.nodes[: self.counters[TAKEN]].copy()}


SLICE = 1000
"""Simulations of each tree between two looks at the clock: about a millisecond."""


class MergedNode:
    """A state as several trees know it: like `agents.mcts.Node`, but to be read only.

    Args:
        places: the trees that know the state, with its place in each.
        sign: +1 where player 1 is to move and -1 where player 2 is.
    """

    def __init__(self, places: Sequence[tuple[PooledTree, int]], sign: int) -> None:
        self._places = places
        self.sign = sign

    @property
    def visits(self) -> int:
        """Simulations that went through the node."""
        return sum(self._read(VISITS))

    @property
    def total(self) -> float:
        """Sum of the results, from player 1's view."""
        win = self._places[0][0].settings.win
        return -self.sign * sum(self._read(TOTAL)) / win

    @property
    def proven(self) -> float | None:
        """The exact value from player 1's view where a tree knows it, else None."""
        known = (value for value in self._read(PROVEN) if value != UNPROVEN)
        return next((float(-self.sign * value) for value in known), None)

    @property
    def assured(self) -> float | None:
        """The best proven value of a child where it is neither a win nor a loss, else None."""
        return 0.0 if any(self._read(DRAW_AT_HAND)) else None

    @property
    def value(self) -> float:
        """The proven value, or else the mean result with a drawn game counted beside."""
        return self.total / (self.visits + 1) if self.proven is None else self.proven

    @cached_property
    def children(self) -> Mapping[int, "MergedNode"]:
        """The children by column."""
        places: dict[int, list[tuple[PooledTree, int]]] = {}
        for tree, place in self._places:
            for column, child in tree.children(place):
                places.setdefault(column, []).append((tree, child))
        return {column: MergedNode(known, -self.sign) for column, known in places.items()}

    def _read(self, part: int) -> list[int]:
        return [int(tree.nodes[place, part]) for tree, place in self._places]


class Forest:
    """The trees of one search.

    Args:
        env: the rules, which `agents.compiled.compilation.is_compiled_game` accepts.
        state: the root, in which the game goes on.
        settings: how to grow.
        streams: for each tree the seed of its random numbers, below 2^63.
        plain: whether the kernels run as they stand, in plain Python.
        learned: guesses the value of leaves, in the place of playouts.
    """

    def __init__(
        self,
        env: ConnectX,
        state: BoardState,
        settings: TreeSettings,
        streams: Sequence[int],
        plain: bool = False,
        learned: LearnedValue | None = None,
    ) -> None:
        masks = board_masks(env.rows, env.columns, env.inarow)
        board = PlayoutBoard(*masks[:3], masks.bottom, masks.board, masks.column)
        self.env = env
        self.state = state
        if learned is None:
            boards = [board for _ in streams]
        else:
            settings = settings._replace(win=CERTAINTY)
            boards = [board._replace(network=learned.arrays(env)) for _ in streams]
        self.trees = [
            PooledTree(state, board, settings, stream, plain)
            for board, stream in zip(boards, streams, strict=True)
        ]

    @property
    def nodes(self) -> int:
        """Nodes made so far."""
        return sum(int(tree.counters[MADE]) for tree in self.trees)

    @property
    def root(self) -> MergedNode:
        """The root, as all trees know it."""
        sign = 1 if self.state.player == 1 else -1
        return MergedNode([(tree, tree.root) for tree in self.trees], sign)

    def grow(self, simulations: int | None, clock: Clock) -> int:
        """Run simulations until all are run, the time is up or a tree has proven its root.

        Returns:
            The simulations run, in all trees together.
        """
        for tree in self.trees:
            tree.make_room(simulations)
        if len(self.trees) == 1:
            return self._grow_by(map, simulations, clock)
        with ThreadPoolExecutor(len(self.trees)) as executor:
            return self._grow_by(executor.map, simulations, clock)

    def descend(self, state: BoardState) -> bool:
        """Make `state` the root, if it is at most two plies on and known; tell if it was."""
        path = path_between(self.env, self.state, state)
        places = [] if path is None else [tree.place_of(path) for tree in self.trees]
        if all(place is None for place in places):
            return False
        self.state = state
        for tree, place in zip(self.trees, places, strict=True):
            if place is None:
                tree.begin(state)
            else:
                tree.root, tree.state = place, state
        return True

    def _grow_by(
        self, map_: Callable[..., Iterable[int]], simulations: int | None, clock: Clock
    ) -> int:
        trees = len(self.trees)
        round_size = trees * max(1, SLICE // self.trees[0].settings.rollouts_per_leaf)
        done = 0
        while True:
            batch = round_size if simulations is None else min(round_size, simulations - done)
            shares = [(batch + number) // trees for number in range(trees)]
            done += sum(map_(PooledTree.grow, self.trees, shares))
            proven = any(tree.is_proven() for tree in self.trees)
            if proven or done == simulations or clock.expired():
                return done


def path_between(env: BoardGame, state: BoardState, target: BoardState) -> tuple[int, ...] | None:
    """The actions that lead from `state` to `target`, if they are at most two; else None."""
    paths: dict[BoardState, tuple[int, ...]] = {state: ()}
    for _ in range(2):
        for known, path in list(paths.items()):
            for action in env.get_available_actions(known):
                paths.setdefault(env.get_next_state(known, action), (*path, action))
    return paths.get(target)


def _grows_what_plain_python_grows(env: ConnectX, learns: bool) -> bool:
    """Whether the compiled kernels, once they are compiled, grow the same trees as the plain."""
    learned = LearnedValue.of_stones(env) if learns else None
    grown = []
    for plain in (False, True):
        for decisive in (False, True):
            settings = TreeSettings(1.0, 1, True, decisive, decisive)
            forest = Forest(env, env.initial_state(), settings, (7,), plain, learned)
            forest.grow(30, Clock())
            tree = forest.trees[0]
            nodes = tree.nodes[: tree.counters[TAKEN]].tolist()
            made = [nodes[ROOT], *(node for node in nodes if node[CELL] != NO_CELL)]
            grown.append((made, tree.counters.tolist()))
    return grown[:2] == grown[2:]


PROOF_BOARD = ConnectX(rows=4, columns=5, inarow=3)
MCTS = Compilation("Monte Carlo", partial(_grows_what_plain_python_grows, PROOF_BOARD, False))
LEARNED_MCTS = Compilation(
    "Monte Carlo with a network", partial(_grows_what_plain_python_grows, PROOF_BOARD, True)
)


def mcts_of_wide_board(env: object) -> Compilation | None:
    """The compilation of the search for a board of wide words; None for another game."""
    return _mcts_on(env) if takes_wide_words(env) else None


@lru_cache
def _mcts_on(env: ConnectX) -> Compilation:
    prove = partial(_grows_what_plain_python_grows, env, False)
    return Compilation(f"Monte Carlo on {env!r}", prove, env)
