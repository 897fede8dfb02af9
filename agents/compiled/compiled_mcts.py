"""UCT on compiled trees for ConnectX: `agents.mcts` as a rule of `agents.compiled.tree_kernel`.

A simulation adds a child for a random untried move to a leaf, and evaluates the child by playouts
or by a network's guess. Playouts are those of `agents.guidance.rollouts`, with the next number of a
random stream in place of `rng.random()`.
"""

from functools import cache
from math import inf, log, sqrt
from typing import Any

from agents.agent import Clock
from agents.compiled.compilation import Compilation, compilation_on
from agents.compiled.learned_value import CERTAINTY, LearnedValue, guess_of
from agents.compiled.pooled_trees import Forest, PooledTree
from agents.compiled.tree_kernel import (
    NO_ACTION,
    ROOT,
    STREAM,
    TAKEN,
    UNPROVEN,
    GrowKernel,
    Setup,
    TreeArrays,
    TreeRule,
    make_grow,
    make_simulation,
    put_node,
    value_at_sight,
)
from agents.mcts import TreeSettings
from envs.bitboard import BoardMasks, board_masks, has_run, line_ends, possible_cells, safe_cells
from envs.board import BoardState
from envs.compiled.jit import inlined
from envs.compiled.random_stream import drawn_index, next_stream
from envs.connectx import ConnectX


@inlined
def cell_of_move(action: int, mask: int, board: BoardMasks) -> int:
    """The cell that a stone in a column fills."""
    return cell_of_column(possible_cells(board, mask), action, board)


@inlined
def best_child(nodes: Any, place: int, settings: TreeSettings) -> int:
    """Choose the child with the highest `agents.mcts.uct`; the solver skips proven children."""
    first = int(nodes[place].first)
    # uct() with its logarithm computed once for all children
    spread = settings.exploration * sqrt(log(nodes[place].visits))
    best, best_bound = first, -inf
    for child in range(first, first + int(nodes[place].children)):
        node = nodes[child]
        if settings.solver and node.proven != UNPROVEN:
            continue
        visits = int(node.visits)
        bound = node.total / visits + spread / sqrt(visits)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@inlined
def add_child(
    tree: TreeArrays, length: int, mover: int, mask: int, setup: Setup
) -> tuple[int, int, int]:
    """Add the child of a random untried move to the last node of the path, and to the path."""
    nodes, counters, board = tree.nodes, tree.counters, setup.board
    node = nodes[tree.path[length - 1]]
    child = int(node.first) + int(node.children)
    untried = open_moves(mover, mask, setup)
    for sibling in range(int(node.first), child):
        untried &= ~cell_of_column(untried, int(nodes[sibling].action), board)
    counters[STREAM] = next_stream(counters[STREAM])
    cell = random_cell(untried, counters[STREAM], board)
    node.children += 1
    node.untried -= 1
    column = (cell - 1).bit_count() // (board.rows + 1)  # the bits below the cell are its number
    mover, mask = mask ^ mover, mask | cell
    make_node(tree, child, column, mover, mask, setup)
    tree.path[length] = child
    return length + 1, mover, mask


@inlined
def open_moves(mover: int, mask: int, setup: Setup) -> int:
    """The cells of the moves for which an unproven node gets children."""
    possible = possible_cells(setup.board, mask)
    if setup.settings.decisive_moves:
        return safe_cells(possible, line_ends(setup.board, mask ^ mover))
    return possible


@inlined
def make_node(
    tree: TreeArrays, place: int, action: int, mover: int, mask: int, setup: Setup
) -> None:
    """Put a new node in its place; prove its value if two plies decide it."""
    board, moves = setup.board, open_moves(mover, mask, setup)
    possible = possible_cells(board, mask)
    if setup.settings.decisive_moves:
        proven = value_at_sight(possible, line_ends(board, mover), moves)
    elif has_run(mask ^ mover, board.rows, board.inarow):
        proven = 1  # the last stone has won
    else:
        proven = UNPROVEN if possible else 0
    put_node(tree, place, action, proven, moves.bit_count())


@inlined
def play_out(tree: TreeArrays, place: int, mover: int, mask: int, setup: Setup) -> float:
    """Sum the results of a leaf's playouts, for the player who moved into it."""
    board, settings = setup.board, setup.settings
    total = 0
    stream = tree.counters[STREAM]
    for _ in range(settings.rollouts_per_leaf):
        if settings.decisive_rollout:
            result, stream = decisive_playout(mover, mask, stream, board)
        else:
            result, stream = uniform_playout(mover, mask, stream, board)
        total -= result
    tree.counters[STREAM] = stream
    return float(total)


@inlined
def guess_leaf(tree: TreeArrays, place: int, mover: int, mask: int, setup: Setup) -> float:
    """Evaluate a leaf by the guess of a network, for the player who moved into it."""
    visits: int = setup.settings.rollouts_per_leaf
    return -guess_of(setup.network, mover, mask) / CERTAINTY * visits


@inlined
def random_cell(cells: int, stream: int, board: BoardMasks) -> int:
    """Draw one of `cells`, which are in different columns."""
    count = cells.bit_count()
    index = int(drawn_index(stream, count))
    if count == board.columns:  # the usual case: one cell in each column
        return cell_of_column(cells, index, board)
    while index > 0:
        cells &= cells - 1
        index -= 1
    return cells & -cells


@inlined
def cell_of_column(cells: int, column: int, board: BoardMasks) -> int:
    """The cell of `cells` in a column, or 0."""
    return cells & (board.column << (column * (board.rows + 1)))


@inlined
def uniform_playout(mover: int, mask: int, stream: int, board: BoardMasks) -> tuple[int, int]:
    """Play uniformly random moves; return the result for the player to move, and the stream."""
    sign = 1
    possible = possible_cells(board, mask)
    while possible:
        stream = next_stream(stream)
        cell = random_cell(possible, stream, board)
        if has_run(mover | cell, board.rows, board.inarow):
            return sign, stream
        mover = mask ^ mover
        mask |= cell
        possible = possible_cells(board, mask)
        sign = -sign
    return 0, stream


@inlined
def decisive_playout(mover: int, mask: int, stream: int, board: BoardMasks) -> tuple[int, int]:
    """As `uniform_playout`, but take a win, else avoid moves that lose at once."""
    sign = 1
    wins = line_ends(board, mover)
    threats = line_ends(board, mask ^ mover)
    possible = possible_cells(board, mask)
    while possible:
        stream = next_stream(stream)
        if possible & wins:
            return sign, stream
        safe = safe_cells(possible, threats)
        cell = random_cell(safe if safe else possible, stream, board)
        own = mover | cell
        mover = mask ^ mover
        mask |= cell
        wins, threats = threats, line_ends(board, own)
        possible = possible_cells(board, mask)
        sign = -sign
    return 0, stream


simulate_by_playouts = make_simulation(TreeRule(cell_of_move, best_child, add_child, play_out))
simulate_by_guesses = make_simulation(TreeRule(cell_of_move, best_child, add_child, guess_leaf))
grow_by_playouts = make_grow(simulate_by_playouts)
grow_by_guesses = make_grow(simulate_by_guesses)
"""Compiled once for all boards of 64 bits."""


@cache
def make_grow_on_board(board: BoardMasks) -> GrowKernel:
    """The kernel for trees that grow by playouts, with the board as a constant.

    It ignores the board in its argument `setup`.
    """

    @inlined
    def simulate_on_board(
        tree: TreeArrays, root: int, through: int, mover: int, mask: int, setup: Setup
    ) -> None:
        there = Setup(board, setup.settings)
        simulate_by_playouts(tree, root, through, mover, mask, there)

    return make_grow(simulate_on_board)


SLICE = 1000  # playouts of each tree between two looks at the clock: about a millisecond


class UctTree(PooledTree):
    """A tree that grows as `agents.mcts.Tree` does.

    With decisive moves it looks two plies ahead at every node (`agents.tree.node_of_two_plies`).
    Its game is one that `agents.compiled.compilation.is_compiled_game` accepts. A `learned` value
    replaces playouts.
    """

    make_root = staticmethod(make_node)

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
    def kernel(self) -> GrowKernel:
        """The kernel; each board of wide words has its own."""
        if self.setup.network != ():
            return grow_by_guesses
        if self.plain or type(self.setup.board.board) is int:
            return grow_by_playouts
        return make_grow_on_board(self.setup.board)


def _grows_what_plain_python_grows(env: ConnectX, rounded: bool | None) -> bool:
    """Whether the compiled kernels grow the same trees as the plain ones."""
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


def mcts_on(env: ConnectX, rounded: bool | None = None) -> Compilation:
    """The compilation of the search for a board, and for the learned value of `compilation_on`."""
    return compilation_on(env, "Monte Carlo", _grows_what_plain_python_grows, rounded)
