"""Compiled PUCT: its tree, and its compilation."""

from functools import cache, partial
from math import prod

from agents.agent import Clock
from agents.compiled.compilation import Compilation
from agents.compiled.forest import Forest
from agents.compiled.pooled_tree import PooledTree
from agents.compiled.puct_kernel import GUIDED_NODE, PuctSettings, kernels_by_network
from agents.compiled.tree_kernel import Setup
from agents.networks.features import feature_board
from agents.networks.network import PolicyNetwork
from agents.networks.network_kernel import adds_whole_numbers, network_arrays
from envs.bitboard import word_of_board
from envs.board import BoardGame, BoardState
from envs.compiled.jit import bits_of_word
from envs.connectx import ConnectX


class PuctTree(PooledTree):
    """A tree that grows as `agents.policy.puct.GuidedTree` does, by the compiled kernels."""

    fields = GUIDED_NODE
    slice = 250
    kernels = kernels_by_network

    def __init__(
        self,
        env: BoardGame,
        state: BoardState,
        network: PolicyNetwork,
        settings: PuctSettings,
        plain: bool = False,
    ) -> None:
        arrays = network_arrays(network, env)
        super().__init__(env, state, Setup(arrays.board, settings, arrays), plain=plain)


def _grows_what_plain_python_grows(env: ConnectX, whole: bool) -> bool:
    """Whether the compiled kernels grow the same tree as the plain ones."""
    network = wavy_network(env, whole)
    grown = []
    for plain in (False, True):
        tree = PuctTree(env, env.initial_state(), network, PuctSettings(1.5, 0.2), plain)
        forest = Forest([tree])
        forest.grow(40, Clock())
        grown.append([(child.visits, child.proven) for child in forest.root.children.values()])
    return grown[0] == grown[1]


def wavy_network(env: BoardGame, whole: bool = True) -> PolicyNetwork:
    """A small network that tells positions apart.

    Its rows are added up as whole numbers, or else as floats (`adds_whole_numbers`).
    """
    import numpy as np

    outputs, hidden, second = len(env.action_cells) + 1, 8, 4
    shapes = (
        (feature_board(env).features, outputs + hidden),
        (outputs + hidden,),
        (hidden, second),
        (second,),
        (second, outputs),
    )
    weights = [np.sin(np.arange(prod(shape)), dtype=np.float32).reshape(shape) for shape in shapes]
    if whole:
        steps = np.float32(32)
        weights[0] = np.round(weights[0] * steps) / steps
    return PolicyNetwork(*weights)


def puct_on(env: BoardGame, network: PolicyNetwork) -> Compilation:
    """The compilation of the search for a board: one for each kind of words, and of sums."""
    return _puct(bits_of_word(word_of_board(*env.size)(0)), adds_whole_numbers(network, env))


@cache
def _puct(bits: int, whole: bool) -> Compilation:
    search, columns = ("PUCT", 5) if bits == 64 else (f"PUCT on {bits} bits", 1 + bits // 10)
    proof_board = ConnectX(rows=4, columns=columns, inarow=3)
    return Compilation(search, partial(_grows_what_plain_python_grows, proof_board, whole))
