"""PUCT on compiled trees: `agents.policy.puct` as a rule of `agents.compiled.tree_kernel`.

A simulation creates all children of a leaf, in the order of their actions, and proves those that
two plies decide. The network evaluates the leaf and gives the children their priors; both are means
of its outputs for the position and for its mirror image.
"""

from functools import cache, partial
from math import exp, inf, prod, sqrt
from typing import Any, NamedTuple

from agents.agent import Clock
from agents.compiled.compilation import CREATING, Compilation
from agents.compiled.pooled_trees import Forest, PooledTree
from agents.compiled.tree_kernel import (
    NODE,
    UNPROVEN,
    GrowKernel,
    Setup,
    TreeArrays,
    TreeRule,
    make_grow,
    make_simulation,
    put_node,
    settle_node,
    value_at_sight,
)
from agents.networks.features import FeatureBoard, completions, feature_board, open_cells
from agents.networks.network import PolicyNetwork
from agents.networks.network_kernel import adds_whole_numbers, evaluate_position, network_arrays
from envs.bitboard import mirrored, unbeaten_cells, word_of_board
from envs.board import BoardGame, BoardState
from envs.compiled.jit import bits_of_word, inlined
from envs.connectx import ConnectX

GUIDED_NODE = [
    *NODE,
    ("prior", "f8"),  # the policy's probability of the action, among its siblings' actions
    ("evaluation", "f8"),  # the network's value, or 0 before the node is evaluated
]
"""The fields of a node."""


class PuctSettings(NamedTuple):
    """The settings of a tree's growth, as in `agents.policy.puct`."""

    exploration: float
    fpu: float
    """First-play urgency: how far the assumed value of an untried action is below its state's."""
    rollouts_per_leaf: int = 1  # the network is evaluated once
    solver: bool = True


@inlined
def cell_of_action(action: int, mask: int, board: FeatureBoard) -> int:
    """The cell that an action fills."""
    cell: int = board.actions[action] & open_cells(board, mask)
    return cell


@inlined
def best_child(nodes: Any, place: int, settings: PuctSettings) -> int:
    """Choose the unproven child with the highest `agents.policy.puct.puct`, the first of equals."""
    visits = int(nodes[place].visits)
    untried = max(-1.0, -nodes[place].total / visits - settings.fpu)
    # puct() with its square root computed once for all children
    spread = settings.exploration * sqrt(visits)
    first = int(nodes[place].first)
    best, best_bound = first, -inf
    for child in range(first, first + int(nodes[place].children)):
        node = nodes[child]
        if node.proven != UNPROVEN:
            continue
        tried = int(node.visits)
        value = node.total / tried if tried else untried
        bound = value + spread * node.prior / (1 + tried)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@inlined
def add_children(
    tree: TreeArrays, length: int, mover: int, mask: int, setup: Setup
) -> tuple[int, int, int]:
    """Create all children of the last node of the path, and prove its value if they prove it."""
    place, board = tree.path[length - 1], setup.board
    node = tree.nodes[place]
    moves = safe_moves(board, mover, mask)
    child = int(node.first)
    for action in range(len(board.actions)):
        cell = board.actions[action] & moves
        if cell:
            make_node(tree, child, action, mask ^ mover, mask | cell, setup)
            child += 1
    node.children = child - int(node.first)
    node.untried = 0
    settle_node(tree.nodes, place)
    return length, mover, mask


@inlined
def make_node(
    tree: TreeArrays, place: int, action: int, mover: int, mask: int, setup: Setup
) -> None:
    """Put a new node in its place; prove its value if two plies decide it."""
    board = setup.board
    safe = safe_moves(board, mover, mask)
    proven = value_at_sight(open_cells(board, mask), completions(board, mover), safe)
    put_node(tree, place, action, proven, safe.bit_count())
    tree.nodes[place].prior = 1.0
    tree.nodes[place].evaluation = 0.0


@inlined
def seen_value(board: FeatureBoard, mover: int, mask: int) -> int:
    """The value of a state by two plies of look-ahead, as in `value_at_sight`, or UNPROVEN."""
    safe, wins = safe_moves(board, mover, mask), completions(board, mover)
    return value_at_sight(open_cells(board, mask), wins, safe)


@inlined
def safe_moves(board: FeatureBoard, mover: int, mask: int) -> int:
    """The cells after which the other player does not win at once."""
    threats = completions(board, mask ^ mover)
    opened = (threats & ~board.floor) >> 1  # a stone in one of these cells opens a threat above it
    return unbeaten_cells(open_cells(board, mask), threats) & ~opened


@inlined
def evaluate_leaf(tree: TreeArrays, place: int, mover: int, mask: int, setup: Setup) -> float:
    """Compute a leaf's value, for the player who moved into it, and its priors by the network."""
    return evaluate_sides(tree, place, mover, mask, setup, setup.board.images)


@inlined
def evaluate_sides(
    tree: TreeArrays, place: int, mover: int, mask: int, setup: Setup, sides: Any
) -> float:
    """Evaluate a leaf by the mean over `sides`, as in `FeatureBoard.images`."""
    nodes, network, board = tree.nodes, setup.network, setup.board
    first = int(nodes[place].first)
    end = first + int(nodes[place].children)
    for child in range(first, end):
        nodes[child].prior = 0.0
    value, share = 0.0, 1 / len(sides)
    for images in sides:
        value -= share * evaluate_position(network, mover, mask)
        for child in range(first, end):
            nodes[child].prior += share * network.first[images[nodes[child].action]]
        mover = mirrored(board.rows, board.columns, mover)
        mask = mirrored(board.rows, board.columns, mask)
    nodes[place].evaluation = value
    highest, total = -inf, 0.0
    for child in range(first, end):
        highest = max(highest, nodes[child].prior)
    for child in range(first, end):
        nodes[child].prior = exp(nodes[child].prior - highest)
        total += nodes[child].prior
    for child in range(first, end):
        nodes[child].prior /= total
    return value


rule_by_network = TreeRule(cell_of_action, best_child, add_children, evaluate_leaf)
grow_by_network = make_grow(make_simulation(rule_by_network))
"""Compiled once for all boards of the same word width."""


class PuctTree(PooledTree):
    """A tree that grows as `agents.policy.puct.GuidedTree` does, by the compiled kernels."""

    fields = GUIDED_NODE
    slice = 250
    make_root = staticmethod(make_node)

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

    @property
    def kernel(self) -> GrowKernel:
        """The kernel, for boards of any size."""
        return grow_by_network


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
    """A small network with different outputs for different positions.

    If `whole`, its rows are added up as whole numbers, else as floats (`adds_whole_numbers`).
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
    """The compilation of the search for a board: one for each word width and kind of sums."""
    with CREATING:
        return _puct(bits_of_word(word_of_board(*env.size)(0)), adds_whole_numbers(network, env))


@cache
def _puct(bits: int, whole: bool) -> Compilation:
    search, columns = ("PUCT", 5) if bits == 64 else (f"PUCT on {bits} bits", 1 + bits // 10)
    proof_board = ConnectX(rows=4, columns=columns, inarow=3)
    return Compilation(search, partial(_grows_what_plain_python_grows, proof_board, whole))
