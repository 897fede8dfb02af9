"""The compiled Monte Carlo tree: `agents.tree` without objects, for any rule of selection.

A tree is a pool of nodes, each a record (`NODE`). The children of a node are in consecutive places,
in the order of their creation, and their places are reserved together. Statistics and proofs are
from the view of the player who moved into the node, and who selects among it and its siblings.

A simulation has the four steps of G. M. J-B. Chaslot et al., "Progressive Strategies for
Monte-Carlo Tree Search" (2008). A search supplies three of them as functions (`TreeRule`):

    selection        `best_child`   step by step, to a node that is proven or has untried moves
    expansion        `expand`       of that node: by one child, or by all of them
    evaluation       `value_leaf`   of the last node, unless it is proven: by playouts or a network
    backpropagation  `back_up`      of that value; `prove_path`, of a proof (M. H. M. Winands et
                                    al., "Monte-Carlo Tree Search Solver", 2008)
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from envs.compiled.jit import inlined, jit

NODE = [
    ("visits", "i4"),
    ("first", "i4"),  # the place of the first child; NO_PLACE before the children have places
    ("total", "f8"),  # the sum of the results
    ("proven", "i1"),  # the exact value (1, 0 or -1), or UNPROVEN
    ("draw_at_hand", "i1"),  # 1 if the player to move has a move to a proven draw; else 0
    ("children", "i2"),  # the number of children
    ("untried", "i2"),  # the number of moves without a child
    ("action", "i2"),  # the action that led here; NO_ACTION at the root and in an empty place
]
"""The fields of a node."""

ROOT = 0  # the place of the root in a new pool
UNPROVEN = 2
NO_PLACE = -1
NO_ACTION = -1

# The counters of a tree.
TAKEN = 0  # the number of places of the pool that are taken
MADE = 1  # the number of nodes made
STREAM = 2  # the state of the random stream
COUNTERS = 3


class TreeArrays(NamedTuple):
    """A tree, as arrays."""

    nodes: Any  # [place] The pool: records of NODE and the fields that its rule adds
    counters: Any  # [counter] Integers of 64 bits
    path: Any  # [length] The places of a simulation's nodes, 64 bits each: 2 more than cells


class Setup(NamedTuple):
    """The board, and the settings by which a rule grows trees on it."""

    board: Any
    settings: Any
    """The settings include `rollouts_per_leaf`, the number of results that a simulation adds, and
    `solver`, whether proofs are carried up."""
    network: Any = ()  # evaluates leaves instead of playouts


class TreeRule(NamedTuple):
    """The functions by which trees of one kind grow."""

    cell_of: Callable[[int, int, Any], int]
    """(action, mask, board): the cell that a move fills."""
    best_child: Callable[[Any, int, Any], int]
    """(nodes, place, settings): the place of the selected child."""
    expand: Callable[[TreeArrays, int, int, int, Setup], tuple[int, int, int]]
    """(tree, length, mover, mask, setup): adds children to the last node of the path, which has
    places for them; returns the path's length, and its last node's `mover` and `mask`."""
    value_leaf: Callable[[TreeArrays, int, int, int, Setup], float]
    """(tree, place, mover, mask, setup): the sum of the results, for the player who moved there."""


def make_simulation(rule: TreeRule) -> Callable[..., None]:
    """Make the simulation of trees of one kind, as a part of kernels."""
    cell_of, best_child, expand, value_leaf = rule

    @inlined
    def select_path(
        tree: TreeArrays, root: int, through: int, mover: int, mask: int, setup: Setup
    ) -> tuple[int, int, int]:
        """Descend to a node that is proven or has untried moves; return path length and stones."""
        nodes, path = tree.nodes, tree.path
        place = root
        path[0] = root
        length = 1
        while nodes[place].proven == UNPROVEN and nodes[place].untried == 0:
            if length == 1 and through != NO_PLACE:
                place = through
            else:
                place = best_child(nodes, place, setup.settings)
            path[length] = place
            length += 1
            cell = cell_of(int(nodes[place].action), mask, setup.board)
            mover, mask = mask ^ mover, mask | cell
        return length, mover, mask

    @inlined
    def simulate(
        tree: TreeArrays, root: int, through: int, mover: int, mask: int, setup: Setup
    ) -> None:
        """Run one simulation: select, expand, evaluate, back up.

        `root` is the place of the root, `mover` and `mask` are its stones; `through` is the place
        of the child to descend to first, or NO_PLACE. If the pool has no room for a node's
        children, the node stays a leaf, which is evaluated again.
        """
        nodes, path, settings = tree.nodes, tree.path, setup.settings
        length, own, stones = select_path(tree, root, through, mover, mask, setup)
        leaf = path[length - 1]
        if nodes[leaf].proven == UNPROVEN and has_places(nodes, tree.counters, leaf):
            length, own, stones = expand(tree, length, own, stones, setup)
            leaf = path[length - 1]
        if nodes[leaf].proven == UNPROVEN:
            total = value_leaf(tree, leaf, own, stones, setup)
        else:
            total = float(int(nodes[leaf].proven) * settings.rollouts_per_leaf)
            if settings.solver:
                prove_path(nodes, path, length)
        back_up(nodes, path, length, total, settings.rollouts_per_leaf)

    return simulate


GrowKernel: TypeAlias = Callable[[TreeArrays, int, int, int, int, Setup, int], int]
"""Runs at most some simulations, until the root is proven; returns the number run."""


def make_grow(simulate: Callable[..., None]) -> GrowKernel:
    """Make the kernel of trees of one kind from the function that runs a simulation."""

    @jit
    def grow_tree(
        tree: TreeArrays, root: int, through: int, mover: int, mask: int, setup: Setup, count: int
    ) -> int:
        for done in range(count):
            if tree.nodes[root].proven != UNPROVEN:
                return done
            simulate(tree, root, through, mover, mask, setup)
        return count

    return grow_tree


@inlined
def put_node(tree: TreeArrays, place: int, action: int, proven: int, untried: int) -> None:
    """Put a new node in its place."""
    node = tree.nodes[place]
    node.visits = 0
    node.first = NO_PLACE
    node.total = 0.0
    node.proven = proven
    node.draw_at_hand = 0
    node.children = 0
    node.untried = untried
    node.action = action
    tree.counters[MADE] += 1


@inlined
def value_at_sight(possible: int, wins: int, safe: int) -> int:
    """The value of a state by two plies of look-ahead, or UNPROVEN.

    The value is for the player who moved into the state. `possible` are the playable cells, `wins`
    the cells that complete a line, and `safe` the playable cells after which the other player does
    not win at once.
    """
    if possible & wins:
        return -1  # the player to move wins at once
    if possible and not safe:
        return 1  # every move lets the other player win at once
    return UNPROVEN if possible else 0  # a full board is a draw


@inlined
def has_places(nodes: Any, counters: Any, place: int) -> bool:
    """Reserve places for the children of a node if there is room; return whether it has them."""
    node = nodes[place]
    if node.first != NO_PLACE:
        return True
    first = counters[TAKEN]
    end = first + int(node.untried)
    if end > len(nodes):
        return False
    counters[TAKEN] = end
    node.first = first
    for child in range(first, end):
        nodes[child].action = NO_ACTION
    return True


@inlined
def back_up(nodes: Any, path: Any, length: int, total: float, visits: int) -> None:
    """Add the result of a simulation to each node of its path, the last one first."""
    for step in range(length - 1, -1, -1):
        node = nodes[path[step]]
        if node.draw_at_hand and total > 0.0:
            total = 0.0  # the player to move here would choose the draw instead
        node.visits += visits
        node.total += total
        total = -total


@inlined
def prove_path(nodes: Any, path: Any, length: int) -> None:
    """Carry the proven value of a path's last node up as long as it proves further nodes."""
    for step in range(length - 2, -1, -1):
        settle_node(nodes, path[step])
        if nodes[path[step]].proven == UNPROVEN:
            return  # an unproven node proves nothing above it


@inlined
def settle_node(nodes: Any, place: int) -> None:
    """Prove the value of a node if one of its children is a win, or all are proven."""
    node = nodes[place]
    first = int(node.first)
    complete = node.untried == 0
    best = -1
    for child in range(first, first + int(node.children)):
        value = int(nodes[child].proven)
        if value == UNPROVEN:
            complete = False
            continue
        best = max(best, value)
        if value == 0:
            node.draw_at_hand = 1
    if best == 1 or complete:  # a winning move suffices; otherwise all results must be known
        node.proven = -best


@jit
def transplant(nodes: Any, counters: Any, place: int, pool: Any) -> None:
    """Copy the tree below a node into a pool that has room for it.

    It copies level by level, as in C. J. Cheney, "A nonrecursive list compacting algorithm" (1970):
    the unprocessed copies are the queue, and still have the old places of their children.
    """
    pool[ROOT] = nodes[place]
    taken = 1
    copied = 0
    while copied < taken:
        node = pool[copied]
        first = int(node.first)
        if (copied == ROOT or node.action != NO_ACTION) and first != NO_PLACE:
            places = int(node.children) + int(node.untried)
            for child in range(places):
                pool[taken + child] = nodes[first + child]
            node.first = taken
            taken += places
        copied += 1
    counters[TAKEN] = taken
