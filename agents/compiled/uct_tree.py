"""Compiled Monte Carlo tree search: its trees, and their compilation."""

from functools import lru_cache, partial

from agents.agent import Clock
from agents.compiled.compilation import Compilation
from agents.compiled.forest import Forest
from agents.compiled.learned_value import LearnedValue
from agents.compiled.mcts_kernel import (
    kernels_by_guesses,
    kernels_by_playouts,
    make_kernels_on_board,
)
from agents.compiled.pooled_tree import PooledTree
from agents.compiled.tree_kernel import NO_ACTION, ROOT, TAKEN, Setup, TreeKernels
from agents.mcts import TreeSettings
from envs.bitboard import board_masks
from envs.board import BoardState
from envs.connectx import ConnectX

SLICE = 1000  # playouts of each tree between two looks at the clock: about a millisecond


class UctTree(PooledTree):
    """A tree that grows as `agents.mcts.Tree` does.

    With decisive moves it looks two plies ahead at every node (`agents.tree.node_of_two_plies`).
    Its game is one that `agents.compiled.compilation.is_compiled_game` accepts. A `learned` value
    guesses leaves instead of playouts.
    """

    def __init__(
        self,
        env: ConnectX,
        state: BoardState,
        settings: TreeSettings,
        stream: int,
        plain: bool = False,
        learned: LearnedValue | None = None,
    ) -> None:
        setup = Setup(board_masks(*env.size), settings, learned.arrays(env) if learned else ())
        self.slice = max(1, SLICE // settings.rollouts_per_leaf)
        super().__init__(env, state, setup, stream, plain)

    @property
    def kernels(self) -> TreeKernels:
        """The kernels, which wide words have compiled for each board."""
        if self.setup.network != ():
            return kernels_by_guesses
        if self.plain or type(self.setup.board.board) is int:
            return kernels_by_playouts
        return make_kernels_on_board(self.setup.board)


def _grows_what_plain_python_grows(env: ConnectX, rounded: bool | None = None) -> bool:
    """Whether the compiled kernels grow the same trees as the plain ones.

    Leaves are played out, or valued as `LearnedValue.of_stones` does it.
    """
    learned = None if rounded is None else LearnedValue.of_stones(env, rounded)
    grown = []
    for plain in (False, True):
        for decisive in (False, True):
            settings = TreeSettings(1.0, 1, True, decisive, decisive)
            tree = UctTree(env, env.initial_state(), settings, 7, plain, learned)
            Forest([tree]).grow(30, Clock())
            nodes = tree.nodes[: tree.counters[TAKEN]]
            made = nodes[nodes["action"] != NO_ACTION].tolist()
            grown.append((nodes[ROOT].tolist(), made, tree.counters.tolist()))
    return grown[:2] == grown[2:]


PROOF_BOARD = ConnectX(rows=4, columns=5, inarow=3)
MCTS = Compilation("Monte Carlo", partial(_grows_what_plain_python_grows, PROOF_BOARD))
LEARNED_MCTS, LEARNED_MCTS_IN_FLOATS = (
    Compilation(
        "Monte Carlo with a network", partial(_grows_what_plain_python_grows, PROOF_BOARD, rounded)
    )
    for rounded in (True, False)
)


@lru_cache
def mcts_on(env: ConnectX) -> Compilation:
    """The compilation of the search for a board of wide words."""
    prove = partial(_grows_what_plain_python_grows, env)
    return Compilation(f"Monte Carlo on {env!r}", prove, env)
