"""Monte Carlo tree search for ConnectX on arrays, compiled: `agents.mcts` without objects.

A tree is a pool of nodes, a row of 32-bit integers each. The children of a node stand one after
the other, in the order in which they were added, and are given their places together when the
first of them is added. Statistics and proofs are from the view of the player who moved into the
node; that is who selects among it and its siblings.

A simulation has the four steps of G. M. J-B. Chaslot et al., "Progressive Strategies
for Monte-Carlo Tree Search" (2008), and proofs as in M. H. M. Winands et al., "Monte-Carlo Tree
Search Solver" (2008):

    selection        `select_path`   from the root to a node that is proven or has an untried move
    expansion        `add_child`     of that node, by one child
    simulation       `play_out`      from the child on, unless its value is proven; or `guess_leaf`
    backpropagation  `back_up`       of the results; `prove_path`, of a proof
"""

from collections.abc import Callable
from functools import cache
from math import inf, log, sqrt
from typing import Any, NamedTuple

from agents.compiled.learned_value import guess_of
from agents.compiled.mcts_playouts import (
    PlayoutBoard,
    decisive_playout,
    line_ends,
    possible_cells,
    random_cell,
    uniform_playout,
)
from agents.compiled.tree_nodes import (
    CHILDREN,
    COMMON_FIELDS,
    DRAW_AT_HAND,
    FIRST_CHILD,
    NO_PLACE,
    PROVEN,
    ROOT,
    UNPROVEN,
    UNTRIED,
    VISITS,
    prove_path,
)
from envs.bitboard import cell_of_number, has_run, safe_cells
from envs.compiled.jit import inlined, jit
from envs.compiled.random_stream import next_stream

# The fields of a node beside the common ones.
TOTAL = COMMON_FIELDS
"""Sum of the results, in parts of `TreeSettings.win`."""
CELL = COMMON_FIELDS + 1
"""The number of the bit of the stone that led here; NO_CELL in a place that is still empty."""
NODE_FIELDS = COMMON_FIELDS + 2

# The counters of a tree.
TAKEN = 0
"""How many places of the pool are taken."""
MADE = 1
"""How many nodes have been made."""
STREAM = 2
"""Where the stream of random numbers is."""
COUNTERS = 3

NO_CELL = -1
LONGEST_PATH = 257
"""Nodes: the root, and one for each cell of the largest board."""


class TreeSettings(NamedTuple):
    """The growth of a tree: the options of `agents.mcts.Tree`."""

    exploration: float
    rollouts_per_leaf: int
    solver: bool
    decisive_moves: bool
    """Whether a state's moves are those that two plies of look-ahead leave open.

    A state in which they show a win or nothing but losses is proven when its node is made.
    """
    decisive_rollout: bool
    """Whether playouts are decisive; otherwise they are uniform."""
    win: int = 1
    """The total of a won game: 1, or CERTAINTY where leaves are guessed."""


class TreeArrays(NamedTuple):
    """A tree and its growth, as arrays of integers."""

    nodes: Any
    """[place, field] The pool, of 32 bits each, or of 64 where leaves are guessed."""
    counters: Any
    """[counter] Of 64 bits each."""
    path: Any
    """[length] Room for the nodes of a simulation, LONGEST_PATH of 64 bits each."""


GrowTree = Callable[[TreeArrays, int, int, int, PlayoutBoard, TreeSettings, int], int]
ValueLeaf = Callable[[Any, int, int, PlayoutBoard, TreeSettings], int]


def make_growth(value_leaf: ValueLeaf) -> GrowTree:
    """Make the growth of a tree with a way to value its leaves, for kernels to be made of.

    Args:
        value_leaf: `play_out`, or what has its arguments and its result.
    """

    @inlined
    def grow_tree(
        tree: TreeArrays,
        root: int,
        mover: int,
        mask: int,
        board: PlayoutBoard,
        settings: TreeSettings,
        simulations: int,
    ) -> int:
        """Run simulations, until the value of the root is proven.

        Where the pool has no room for a node's children it stays a leaf, which is evaluated.

        Args:
            tree: the tree.
            root: the place of the root, which `make_node` has made.
            mover: stones of the player whose turn it is at the root.
            mask: all stones at the root.
            board: the board.
            settings: how to grow.
            simulations: how many, at most.

        Returns:
            The simulations run.
        """
        nodes, path = tree.nodes, tree.path
        for done in range(simulations):
            if nodes[root, PROVEN] != UNPROVEN:
                return done
            length, own, stones = select_path(tree, root, mover, mask, board, settings)
            leaf = path[length - 1]
            if nodes[leaf, PROVEN] == UNPROVEN and has_places(nodes, tree.counters, leaf):
                leaf, own, stones = add_child(tree, leaf, own, stones, board, settings)
                path[length] = leaf
                length += 1
            if nodes[leaf, PROVEN] == UNPROVEN:
                total = value_leaf(tree.counters, own, stones, board, settings)
            else:
                total = nodes[leaf, PROVEN] * settings.rollouts_per_leaf * settings.win
                if settings.solver:
                    prove_path(nodes, path, length)
            back_up(nodes, path, length, total, settings.rollouts_per_leaf)
        return simulations

    return grow_tree


@inlined
def select_path(
    tree: TreeArrays, root: int, mover: int, mask: int, board: PlayoutBoard, settings: TreeSettings
) -> tuple[int, int, int]:
    """Go from the root to the first node that is proven or has an untried move.

    Returns:
        The number of nodes on the path, and the last one's `mover` and `mask`.
    """
    nodes, path = tree.nodes, tree.path
    place = root
    path[0] = root
    length = 1
    while nodes[place, PROVEN] == UNPROVEN and nodes[place, UNTRIED] == 0:
        place = best_child(nodes, place, settings)
        path[length] = place
        length += 1
        mover, mask = mask ^ mover, mask | move_to(nodes, place, board)
    return length, mover, mask


@inlined
def move_to(nodes: Any, place: int, board: PlayoutBoard) -> int:
    """The cell of the stone that led to a node other than the root."""
    return cell_of_number(board.bottom, int(nodes[place, CELL]))


@inlined
def best_child(nodes: Any, place: int, settings: TreeSettings) -> int:
    """Choose the child with the highest `agents.mcts.uct`; the solver passes over proofs."""
    first = int(nodes[place, FIRST_CHILD])
    # uct() with its logarithm taken once for all children
    spread = settings.exploration * settings.win * sqrt(log(nodes[place, VISITS]))
    best, best_bound = first, -inf
    for child in range(first, first + nodes[place, CHILDREN]):
        if settings.solver and nodes[child, PROVEN] != UNPROVEN:
            continue
        visits = nodes[child, VISITS]
        bound = nodes[child, TOTAL] / visits + spread / sqrt(visits)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@inlined
def has_places(nodes: Any, counters: Any, place: int) -> bool:
    """Give the children of a node their places if there is room; tell whether they have them."""
    if nodes[place, FIRST_CHILD] != NO_PLACE:
        return True
    first = counters[TAKEN]
    end = first + nodes[place, UNTRIED]
    if end > len(nodes):
        return False
    counters[TAKEN] = end
    nodes[place, FIRST_CHILD] = first
    for child in range(first, end):
        nodes[child, CELL] = NO_CELL
    return True


@inlined
def add_child(
    tree: TreeArrays,
    place: int,
    mover: int,
    mask: int,
    board: PlayoutBoard,
    settings: TreeSettings,
) -> tuple[int, int, int]:
    """Add the child of a random untried move; return its place, `mover` and `mask`."""
    nodes, counters = tree.nodes, tree.counters
    first = nodes[place, FIRST_CHILD]
    child = first + nodes[place, CHILDREN]
    untried = open_moves(mover, mask, board, settings)
    for sibling in range(first, child):
        untried &= ~move_to(nodes, sibling, board)
    counters[STREAM] = next_stream(counters[STREAM])
    cell = random_cell(untried, counters[STREAM], board)
    nodes[place, CHILDREN] += 1
    nodes[place, UNTRIED] -= 1
    mover, mask = mask ^ mover, mask | cell
    put_node(nodes, child, mover, mask, board, settings)
    nodes[child, CELL] = (cell - 1).bit_count()
    counters[MADE] += 1
    return child, mover, mask


@inlined
def open_moves(mover: int, mask: int, board: PlayoutBoard, settings: TreeSettings) -> int:
    """The cells that the children of a node, which is not proven when it is made, are played to."""
    possible = possible_cells(mask, board)
    if settings.decisive_moves:
        return safe_cells(possible, line_ends(mask ^ mover, board))
    return possible


@inlined
def put_node(
    nodes: Any, place: int, mover: int, mask: int, board: PlayoutBoard, settings: TreeSettings
) -> None:
    """Put a node without statistics in its place."""
    moves = open_moves(mover, mask, board, settings)
    nodes[place, VISITS] = 0
    nodes[place, TOTAL] = 0
    nodes[place, PROVEN] = value_at_sight(mover, mask, moves, board, settings)
    nodes[place, DRAW_AT_HAND] = 0
    nodes[place, CELL] = NO_CELL
    nodes[place, CHILDREN] = 0
    nodes[place, UNTRIED] = moves.bit_count()
    nodes[place, FIRST_CHILD] = NO_PLACE


@inlined
def value_at_sight(
    mover: int, mask: int, moves: int, board: PlayoutBoard, settings: TreeSettings
) -> int:
    """The value of a state whose `open_moves` are given, where it can be seen, or UNPROVEN."""
    possible = possible_cells(mask, board)
    if settings.decisive_moves:
        if possible & line_ends(mover, board):
            return -1  # who is to move wins at once
        if possible and not moves:
            return 1  # each move lets the other one win at once
    elif has_run(mask ^ mover, board.rows, board.inarow):
        return 1  # the last stone has won
    return UNPROVEN if possible else 0  # a full board is a draw


@inlined
def play_out(
    counters: Any, mover: int, mask: int, board: PlayoutBoard, settings: TreeSettings
) -> int:
    """Sum the results of a leaf's playouts, for the player who moved into it."""
    total = 0
    stream = counters[STREAM]
    for _ in range(settings.rollouts_per_leaf):
        if settings.decisive_rollout:
            result, stream = decisive_playout(mover, mask, stream, board)
        else:
            result, stream = uniform_playout(mover, mask, stream, board)
        total -= result
    counters[STREAM] = stream
    return total


@inlined
def back_up(nodes: Any, path: Any, length: int, total: int, visits: int) -> None:
    """Add the result of a simulation to each node of its path, the last one first."""
    for step in range(length - 1, -1, -1):
        place = path[step]
        if nodes[place, DRAW_AT_HAND] and total > 0:
            total = 0  # who is to move here would rather have taken the draw
        nodes[place, VISITS] += visits
        nodes[place, TOTAL] += total
        total = -total


@jit
def transplant(nodes: Any, counters: Any, place: int, pool: Any) -> None:
    """Copy the tree below a node into a pool that has room for it.

    Level by level, as in C. J. Cheney, "A nonrecursive list compacting algorithm" (1970): the
    copies not yet gone through are the queue, and still know where their children were.
    """
    copy_node(nodes, place, pool, ROOT)
    taken = 1
    copied = 0
    while copied < taken:
        first = pool[copied, FIRST_CHILD]
        if (copied == ROOT or pool[copied, CELL] != NO_CELL) and first != NO_PLACE:
            places = pool[copied, CHILDREN] + pool[copied, UNTRIED]
            for child in range(places):
                copy_node(nodes, first + child, pool, taken + child)
            pool[copied, FIRST_CHILD] = taken
            taken += places
        copied += 1
    counters[TAKEN] = taken


@inlined
def copy_node(nodes: Any, place: int, pool: Any, target: int) -> None:
    """Copy one node as it is."""
    for part in range(NODE_FIELDS):
        pool[target, part] = nodes[place, part]


@inlined
def guess_leaf(
    counters: Any, mover: int, mask: int, board: PlayoutBoard, settings: TreeSettings
) -> int:
    """Value a leaf by the guess of a network, for the player who moved into it."""
    return -guess_of(board.network, mover, mask) * settings.rollouts_per_leaf


growth_by_playouts = make_growth(play_out)
growth_by_guesses = make_growth(guess_leaf)


@jit
def make_node(
    nodes: Any, place: int, mover: int, mask: int, board: PlayoutBoard, settings: TreeSettings
) -> None:
    """`put_node`, compiled once for all boards of 64 bits."""
    put_node(nodes, place, mover, mask, board, settings)


@jit
def grow_by_playouts(
    tree: TreeArrays,
    root: int,
    mover: int,
    mask: int,
    board: PlayoutBoard,
    settings: TreeSettings,
    simulations: int,
) -> int:
    """Grow a tree by playouts; compiled once for all boards of 64 bits."""
    return growth_by_playouts(tree, root, mover, mask, board, settings, simulations)


@jit
def grow_by_guesses(
    tree: TreeArrays,
    root: int,
    mover: int,
    mask: int,
    board: PlayoutBoard,
    settings: TreeSettings,
    simulations: int,
) -> int:
    """Grow a tree by guesses; compiled once for all boards of 64 bits."""
    return growth_by_guesses(tree, root, mover, mask, board, settings, simulations)


class TreeKernels(NamedTuple):
    """The kernels of a tree."""

    make_node: Callable[..., None]
    grow: GrowTree


@cache
def make_kernels_on_board(board: PlayoutBoard) -> TreeKernels:
    """Make the kernels of a board, with all that is constant there; its trees grow by playouts.

    They have the arguments of the others, and take no notice of the board that they are handed.
    They are kept, for so are their twins.
    """

    @jit
    def make_node_on_board(
        nodes: Any, place: int, mover: int, mask: int, _: object, settings: TreeSettings
    ) -> None:
        put_node(nodes, place, mover, mask, board, settings)

    @jit
    def grow_on_board(
        tree: TreeArrays,
        root: int,
        mover: int,
        mask: int,
        _: object,
        settings: TreeSettings,
        simulations: int,
    ) -> int:
        return growth_by_playouts(tree, root, mover, mask, board, settings, simulations)

    return TreeKernels(make_node_on_board, grow_on_board)
