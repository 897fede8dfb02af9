"""The tree of the compiled PUCT: its pool of nodes, and nodes to read as the reference's are."""

from collections.abc import Callable, Mapping
from functools import cache, cached_property, partial
from math import prod
from typing import Any, TypeVar

from agents.agent import Clock
from agents.compiled.compilation import Compilation
from agents.compiled.mcts_forest import path_between
from agents.compiled.puct_kernel import (
    ACTION,
    COUNTERS,
    EVALUATION,
    NO_ACTION,
    NODE_FIELDS,
    PRIOR,
    SUM_FIELDS,
    TAKEN,
    TOTAL,
    PuctArrays,
    PuctSettings,
    grow_puct,
    make_node,
    transplant_tree,
)
from agents.compiled.tree_nodes import (
    CHILDREN,
    DRAW_AT_HAND,
    FIRST_CHILD,
    NO_PLACE,
    PROVEN,
    ROOT,
    UNPROVEN,
    VISITS,
)
from agents.policy.features import feature_board
from agents.policy.network import PolicyNetwork
from agents.policy.network_kernel import network_arrays
from agents.policy.puct import noisy_priors
from envs.bitboard import word_of_board
from envs.board import BoardGame, BoardState
from envs.compiled.jit import bits_of_word, compiled, zeros
from envs.connectx import ConnectX

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

LARGEST_POOL = 1 << 23
"""Nodes that a tree has places for, 48 bytes each."""
FIRST_POOL = 1 << 12
"""Places of a new tree."""
SLICE = 250
"""Simulations between two looks at the clock: about a millisecond."""


class PooledNode:
    """A node of a tree in a pool: like `agents.policy.puct.GuidedNode`, but to be read only.

    It is one of the tree as it stands, until that grows or descends.

    Args:
        arrays: the tree.
        place: of the node in the pool.
        sign: +1 where player 1 is to move and -1 where player 2 is.
    """

    def __init__(self, arrays: PuctArrays, place: int, sign: int) -> None:
        self._arrays = arrays
        self.place = place
        self.sign = sign

    @property
    def visits(self) -> int:
        """Simulations that went through the node."""
        return int(self._arrays.nodes[self.place, VISITS])

    @property
    def total(self) -> float:
        """Sum of the results, from player 1's view."""
        return -self.sign * float(self._arrays.sums[self.place, TOTAL])

    @property
    def proven(self) -> float | None:
        """The exact value from player 1's view where it is known, else None."""
        value = int(self._arrays.nodes[self.place, PROVEN])
        return None if value == UNPROVEN else float(-self.sign * value)

    @property
    def assured(self) -> float | None:
        """The best proven value of a child where it is neither a win nor a loss, else None."""
        return 0.0 if self._arrays.nodes[self.place, DRAW_AT_HAND] else None

    @property
    def value(self) -> float:
        """The proven value, or else the mean result with a drawn game counted beside."""
        return self.total / (self.visits + 1) if self.proven is None else self.proven

    @property
    def prior(self) -> float:
        """The probability of the action that leads here, among those that have a node."""
        return float(self._arrays.sums[self.place, PRIOR])

    @property
    def evaluation(self) -> float:
        """The network's value of the state, from player 1's view, once it has been asked."""
        return -self.sign * float(self._arrays.sums[self.place, EVALUATION])

    @cached_property
    def children(self) -> Mapping[int, "PooledNode"]:
        """The children by action."""
        nodes = self._arrays.nodes
        first = int(nodes[self.place, FIRST_CHILD])
        return {
            int(nodes[child, ACTION]): PooledNode(self._arrays, child, -self.sign)
            for child in range(first, first + int(nodes[self.place, CHILDREN]))
        }


class PooledGuidedTree:
    """A tree that grows as `agents.policy.puct.GuidedTree` does, by the compiled kernels.

    Args:
        env: the rules, of a board that `envs.bitboard.fits_in_wide_word`.
        state: the root, in which the game goes on.
        network: the policy and the value.
        settings: how to grow.
        plain: whether the kernels run as they stand, in plain Python.
    """

    def __init__(
        self,
        env: BoardGame,
        state: BoardState,
        network: PolicyNetwork,
        settings: PuctSettings,
        plain: bool = False,
    ) -> None:
        self.env = env
        self.state = state
        self.nodes = 1
        """Nodes made so far."""
        self._network = network_arrays(network, env)
        self._settings = settings
        self._plain = plain
        self._place = ROOT
        path = zeros(env.rows * env.columns + 1)
        self._arrays = PuctArrays(*new_pool(FIRST_POOL), zeros(COUNTERS), path)
        self._word = word_of_board(env.rows, env.columns, env.inarow)
        make_root = self._runnable(make_node)
        make_root(self._arrays, ROOT, NO_ACTION, *self._stones, self._network.board)
        self._arrays.counters[TAKEN] = 1

    @property
    def root(self) -> PooledNode:
        """The root."""
        return PooledNode(self._arrays, self._place, 1 if self.state.player == 1 else -1)

    def grow(self, simulations: int | None, clock: Clock, through: int | None = None) -> int:
        """Run simulations until all are run, the time is up or the root is proven.

        Args:
            simulations: None is no limit.
            clock: looked at after each `SLICE` of them.
            through: the root's action that all of them go through; None: selected by PUCT.

        Returns:
            The simulations run.
        """
        done = 0
        while self.root.proven is None and done != simulations:
            batch = SLICE if simulations is None else min(SLICE, simulations - done)
            done += self._grow(batch, through)
            if clock.expired():
                break
        return done

    def add_noise(self, noise: Mapping[int, float], share: float) -> None:
        """Mix noise into the priors of the root, as `GuidedTree.add_noise` does."""
        for action, prior in noisy_priors(self.root, noise, share).items():
            self._arrays.sums[self.root.children[action].place, PRIOR] = prior

    def descend(self, state: BoardState) -> bool:
        """Make `state` the root, if it is at most two plies on and known; tell if it was."""
        path = path_between(self.env, self.state, state)
        node = self.root
        for action in path or ():
            if action not in node.children:
                return False
            node = node.children[action]
        if path is None:
            return False
        self.state, self._place = state, node.place
        return True

    def _grow(self, simulations: int, through: int | None) -> int:
        self._make_room(simulations * len(self.env.action_cells))
        taken = int(self._arrays.counters[TAKEN])
        done = self._runnable(grow_puct)(
            self._arrays,
            self._place,
            NO_PLACE if through is None else self.root.children[through].place,
            *self._stones,
            self._network,
            self._settings,
            simulations,
        )
        self.nodes += int(self._arrays.counters[TAKEN]) - taken
        return int(done)

    @property
    def _stones(self) -> tuple[int, int]:
        """The root's `mover` and `mask`, as words of the board."""
        return self._word(self.state.mover), self._word(self.state.mask)

    def _make_room(self, places: int) -> None:
        """Move the tree to a larger pool, without what is no longer below the root, if need be."""
        taken = int(self._arrays.counters[TAKEN])
        if taken + places > len(self._arrays.nodes) < LARGEST_POOL:
            nodes, sums = new_pool(min(LARGEST_POOL, 2 * taken + places))
            pool = self._arrays._replace(nodes=nodes, sums=sums)
            self._runnable(transplant_tree)(self._arrays, self._place, pool)
            self._arrays, self._place = pool, ROOT

    def _runnable(self, kernel: Kernel) -> Kernel:
        return kernel if self._plain else compiled(kernel)


def new_pool(places: int) -> tuple[Any, Any]:
    """Empty places: their whole numbers, and their fractions."""
    import numpy as np

    return np.zeros((places, NODE_FIELDS), np.int32), np.zeros((places, SUM_FIELDS))


def _grows_what_plain_python_grows(env: ConnectX) -> bool:
    """Whether the compiled kernels, once they are compiled, grow the same tree as the plain."""
    network = wavy_network(env)
    grown = []
    for plain in (False, True):
        state = env.initial_state()
        tree = PooledGuidedTree(env, state, network, PuctSettings(1.5, 0.2), plain)
        tree.grow(40, Clock())
        grown.append([(child.visits, child.proven) for child in tree.root.children.values()])
    return grown[0] == grown[1]


def wavy_network(env: BoardGame) -> PolicyNetwork:
    """A small network that tells positions apart."""
    import numpy as np

    outputs, hidden, second = len(env.action_cells) + 1, 8, 4
    tuples = np.zeros((0, 1), np.int64)
    shapes = (
        (feature_board(env, tuples).features, outputs + hidden),
        (outputs + hidden,),
        (hidden, second),
        (second,),
        (second, outputs),
    )
    weights = [np.sin(np.arange(prod(shape)), dtype=np.float32).reshape(shape) for shape in shapes]
    return PolicyNetwork(tuples, *weights)


PUCT = Compilation(
    "PUCT", partial(_grows_what_plain_python_grows, ConnectX(rows=4, columns=5, inarow=3))
)


def puct_on(env: BoardGame) -> Compilation:
    """The compilation of the search for a board: one for each kind of words."""
    word = word_of_board(env.rows, env.columns, env.inarow)
    return PUCT if word is int else _wide_puct(bits_of_word(word(0)))


@cache
def _wide_puct(bits: int) -> Compilation:
    proof_board = ConnectX(rows=4, columns=1 + bits // 10, inarow=3)
    prove = partial(_grows_what_plain_python_grows, proof_board)
    return Compilation(f"PUCT on {bits} bits", prove)
