"""PUCT on arrays, compiled: `agents.policy.puct` without objects.

A tree is a pool of nodes, as in `agents.compiled.mcts_kernel`; the children of a node are made
together, when it is expanded, in the order of their actions. Statistics and proofs are from the
view of the player who moved into the node; that is who selects among it and its siblings.

A simulation:

    selection        `select_path`   from the root to a node that is proven or has no children
    expansion        `expand`        of that node by all its children, each with its proof at sight
    evaluation       `evaluate`      of that node by the network, unless its children prove it
    backpropagation  `back_up`       of the value; `prove_path`, of a proof
"""

from math import exp, inf, sqrt
from typing import Any, NamedTuple

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
    settle_node,
)
from agents.policy.features import FeatureBoard, completions, open_cells
from agents.policy.network_kernel import NetworkArrays, evaluate_position
from envs.compiled.jit import inlined, jit

# The fields of a node beside the common ones.
ACTION = COMMON_FIELDS
"""The action that led here."""
NODE_FIELDS = COMMON_FIELDS + 1

# The fields that are fractions.
TOTAL = 0
"""Sum of the values."""
PRIOR = 1
"""The policy's probability of the action that led here, among its siblings' actions."""
EVALUATION = 2
"""The network's value, once the node has been evaluated."""
SUM_FIELDS = 3

# The counters of a tree.
TAKEN = 0
"""How many places of the pool are taken."""
COUNTERS = 1

NO_ACTION = -1


class PuctSettings(NamedTuple):
    """The growth of a tree: the options of `agents.policy.puct`."""

    exploration: float
    fpu: float
    """First-play urgency: by how much an action that was never tried seems worse than its state."""


class PuctArrays(NamedTuple):
    """A tree, as arrays."""

    nodes: Any
    """[place, field] The pool, of 32-bit integers."""
    sums: Any
    """[place, field] Its fractions, of 64 bits."""
    counters: Any
    """[counter] Of 64-bit integers."""
    path: Any
    """[length] Room for the nodes of a simulation: one more than the board has cells."""


@jit
def grow_puct(
    tree: PuctArrays,
    root: int,
    through: int,
    mover: int,
    mask: int,
    network: NetworkArrays,
    settings: PuctSettings,
    simulations: int,
) -> int:
    """Run simulations, until the value of the root is proven.

    Where the pool has no room for a node's children it stays a leaf, and is evaluated again.

    Args:
        tree: the tree.
        root: the place of the root, which `make_node` or an earlier search has made.
        through: the place of the root's child to which all simulations go; NO_PLACE: any.
        mover: stones of the player whose turn it is at the root.
        mask: all stones at the root.
        network: evaluates leaves.
        settings: how to grow.
        simulations: how many, at most.

    Returns:
        The simulations run.
    """
    for done in range(simulations):
        if tree.nodes[root, PROVEN] != UNPROVEN:
            return done
        simulate(tree, root, through, mover, mask, network, settings)
    return simulations


@inlined
def simulate(
    tree: PuctArrays,
    root: int,
    through: int,
    mover: int,
    mask: int,
    network: NetworkArrays,
    settings: PuctSettings,
) -> None:
    """Run one simulation: select, expand, evaluate, back up."""
    nodes, path = tree.nodes, tree.path
    length, own, stones = select_path(tree, root, through, mover, mask, network.board, settings)
    leaf = path[length - 1]
    if nodes[leaf, PROVEN] == UNPROVEN:
        expand(tree, leaf, own, stones, network.board)
    if nodes[leaf, PROVEN] == UNPROVEN:
        value = -evaluate(tree, leaf, own, stones, network)
    else:
        value = float(nodes[leaf, PROVEN])
        prove_path(nodes, path, length)
    back_up(tree, length, value)


@inlined
def select_path(
    tree: PuctArrays,
    root: int,
    through: int,
    mover: int,
    mask: int,
    board: FeatureBoard,
    settings: PuctSettings,
) -> tuple[int, int, int]:
    """Go from the root to the first node that is proven or has no children.

    Returns:
        The number of nodes on the path, and the last one's `mover` and `mask`.
    """
    nodes, path = tree.nodes, tree.path
    place = root
    path[0] = root
    length = 1
    while nodes[place, PROVEN] == UNPROVEN and nodes[place, CHILDREN] > 0:
        if length == 1 and through != NO_PLACE:
            place = through
        else:
            place = best_child(tree, place, settings)
        path[length] = place
        length += 1
        cell = board.actions[nodes[place, ACTION]] & open_cells(board, mask)
        mover, mask = mask ^ mover, mask | cell
    return length, mover, mask


@inlined
def best_child(tree: PuctArrays, place: int, settings: PuctSettings) -> int:
    """Choose the unproven child with the highest `agents.policy.puct.puct`, the first of equals."""
    nodes, sums = tree.nodes, tree.sums
    visits = nodes[place, VISITS]
    untried = max(-1.0, -sums[place, TOTAL] / visits - settings.fpu)
    # puct() with its root taken once for all children
    spread = settings.exploration * sqrt(visits)
    first = int(nodes[place, FIRST_CHILD])
    best, best_bound = first, -inf
    for child in range(first, first + nodes[place, CHILDREN]):
        if nodes[child, PROVEN] != UNPROVEN:
            continue
        tried = nodes[child, VISITS]
        value = sums[child, TOTAL] / tried if tried else untried
        bound = value + spread * sums[child, PRIOR] / (1 + tried)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@inlined
def expand(tree: PuctArrays, place: int, mover: int, mask: int, board: FeatureBoard) -> None:
    """Make all children of a node, if there is room, and prove its value if they do."""
    nodes, counters = tree.nodes, tree.counters
    moves = safe_moves(board, mover, mask)
    first = counters[TAKEN]
    if first + moves.bit_count() > len(nodes):
        return
    child = first
    for action in range(len(board.actions)):
        cell = board.actions[action] & moves
        if cell:
            make_node(tree, child, action, mask ^ mover, mask | cell, board)
            child += 1
    nodes[place, FIRST_CHILD] = first
    nodes[place, CHILDREN] = child - first
    counters[TAKEN] = child
    settle_node(nodes, place)


@jit
def make_node(
    tree: PuctArrays, place: int, action: int, mover: int, mask: int, board: FeatureBoard
) -> None:
    """Put a node without statistics in its place."""
    nodes, sums = tree.nodes, tree.sums
    nodes[place, VISITS] = 0
    nodes[place, PROVEN] = value_at_sight(board, mover, mask)
    nodes[place, DRAW_AT_HAND] = 0
    nodes[place, ACTION] = action
    nodes[place, CHILDREN] = 0
    nodes[place, UNTRIED] = 0
    nodes[place, FIRST_CHILD] = NO_PLACE
    sums[place, TOTAL] = 0.0
    sums[place, PRIOR] = 1.0
    sums[place, EVALUATION] = 0.0


@inlined
def value_at_sight(board: FeatureBoard, mover: int, mask: int) -> int:
    """The value of a state that two plies of look-ahead decide, or UNPROVEN."""
    possible = open_cells(board, mask)
    if possible & completions(board, mover):
        return -1  # who is to move wins at once
    if possible and not safe_moves(board, mover, mask):
        return 1  # each move lets the other one win at once
    return UNPROVEN if possible else 0  # a full board is a draw


@inlined
def safe_moves(board: FeatureBoard, mover: int, mask: int) -> int:
    """The cells after which the other player does not win at once."""
    possible = open_cells(board, mask)
    threats = completions(board, mask ^ mover)
    blocks = possible & threats
    if blocks:
        if blocks & (blocks - 1):
            return 0  # two wins cannot be stopped by one stone
        possible = blocks
    return possible & ~((threats & ~board.floor) >> 1)  # a stone is a step to the cell above it


@inlined
def evaluate(tree: PuctArrays, place: int, mover: int, mask: int, network: NetworkArrays) -> float:
    """Ask the network for a node's value, for the player to move, and its children's priors."""
    nodes, sums, logits = tree.nodes, tree.sums, network.first
    value = evaluate_position(network, mover, mask)
    sums[place, EVALUATION] = -value
    first = nodes[place, FIRST_CHILD]
    end = first + nodes[place, CHILDREN]
    highest = -inf
    for child in range(first, end):
        highest = max(highest, logits[nodes[child, ACTION]])
    total = 0.0
    for child in range(first, end):
        sums[child, PRIOR] = exp(logits[nodes[child, ACTION]] - highest)
        total += sums[child, PRIOR]
    for child in range(first, end):
        sums[child, PRIOR] /= total
    return value


@inlined
def back_up(tree: PuctArrays, length: int, value: float) -> None:
    """Add the value of a simulation to each node of its path, the last one first."""
    nodes, sums, path = tree.nodes, tree.sums, tree.path
    for step in range(length - 1, -1, -1):
        place = path[step]
        if nodes[place, DRAW_AT_HAND] and value > 0.0:
            value = 0.0  # who is to move here would rather have taken the draw
        nodes[place, VISITS] += 1
        sums[place, TOTAL] += value
        value = -value


@jit
def transplant_tree(tree: PuctArrays, place: int, pool: PuctArrays) -> None:
    """Copy the tree below a node into a pool that has room for it, level by level."""
    copy_place(tree, place, pool, ROOT)
    taken = 1
    copied = 0
    while copied < taken:
        first = pool.nodes[copied, FIRST_CHILD]
        children = pool.nodes[copied, CHILDREN]
        for child in range(children):
            copy_place(tree, first + child, pool, taken + child)
        if children:
            pool.nodes[copied, FIRST_CHILD] = taken
        taken += children
        copied += 1
    tree.counters[TAKEN] = taken


@inlined
def copy_place(tree: PuctArrays, place: int, pool: PuctArrays, target: int) -> None:
    """Copy one node as it is."""
    for part in range(NODE_FIELDS):
        pool.nodes[target, part] = tree.nodes[place, part]
    for part in range(SUM_FIELDS):
        pool.sums[target, part] = tree.sums[place, part]
