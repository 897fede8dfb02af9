"""Games of self-play, compiled: each move is searched by a PUCT tree with a Gumbel root.

The search's improvement of the network's policy is the target of training, and most moves are the
search's choice (`agents.policy.puct`: I. Danihelka et al., "Policy improvement by planning with
Gumbel", 2022). Games begin with some random moves, and are played to their end even after the
search has proven their result, so that the network sees positions of all kinds.
"""

from math import exp, inf, log
from typing import Any, NamedTuple

from agents.compiled.compiled_puct import (
    PuctSettings,
    add_children,
    best_child,
    cell_of_action,
    evaluate_sides,
    make_node,
)
from agents.compiled.tree_kernel import (
    NO_ACTION,
    NO_PLACE,
    ROOT,
    TAKEN,
    UNPROVEN,
    Setup,
    TreeArrays,
    TreeRule,
    make_simulation,
)
from agents.networks.features import FeatureBoard, completions, open_cells
from agents.networks.network_kernel import NetworkArrays
from envs.bitboard import has_run
from envs.compiled.jit import inlined, jit
from envs.compiled.random_stream import DRAWN_BITS, DRAWN_MASK, drawn_index, next_stream


@inlined
def evaluate_once(tree: TreeArrays, place: int, mover: int, mask: int, setup: Setup) -> float:
    """Evaluate a leaf without its mirror image, which would take nearly twice the time."""
    return evaluate_sides(tree, place, mover, mask, setup, setup.board.images[:1])


simulate = make_simulation(TreeRule(cell_of_action, best_child, add_children, evaluate_once))


class PlaySettings(NamedTuple):
    """The play of a game."""

    tree: PuctSettings
    simulations: int  # for each move
    visits_scale: float
    value_scale: float
    """`agents.policy.puct.VISITS_SCALE` and VALUE_SCALE: how much values count beside logits."""
    opening_plies: int
    """The most random moves to begin a game with; all numbers from 0 on are equally likely."""
    random_moves: float  # the share of random moves after that
    result_share: float
    """The share of the game's result in a value to learn; the rest is the search's value."""


class PlayMemory(NamedTuple):
    """The memory for playing games."""

    tree: TreeArrays
    schedule: Any  # [children, simulation] `agents.policy.puct.considered_visits`
    noise: Any  # [action] Room for numbers of Gumbel's distribution
    improved: Any  # [action] Room for improved logits
    stream: Any  # [0] The stream of random numbers


class Experience(NamedTuple):
    """Positions of games, as arrays."""

    movers: Any
    masks: Any
    policies: Any  # [position, action]
    values: Any  # [position] For the player to move, from -1 to 1
    certain: Any
    """[position] UNCERTAIN or PROVEN_VALUE, plus SIDESTEP after a random move, plus LAST."""


class SelfPlay(NamedTuple):
    """A network that plays games against itself."""

    network: NetworkArrays
    settings: PlaySettings
    memory: PlayMemory
    into: Experience  # the positions, one after the other, with the values of the searches


@jit
def play_games(play: SelfPlay, games: int) -> int:
    """Play games, and write their positions; return the number of positions."""
    count = 0
    for _ in range(games):
        mover, mask = random_opening(play.network.board, play.settings, play.memory)
        count = play_on(play, count, mover, mask)
        play.into.certain[count - 1] += LAST
    return count


@inlined
def random_opening(
    board: FeatureBoard, settings: PlaySettings, memory: PlayMemory
) -> tuple[int, int]:
    """Draw a number of random moves and play them; if that ends the game, draw again."""
    while True:
        plies = drawn_number(memory, settings.opening_plies + 1)
        mover, mask, ply = 0, 0, 0
        while ply < plies and open_cells(board, mask):
            cell = random_move(board, mask, memory)
            if has_run(mover | cell, board.rows, board.inarow):
                break
            mover, mask = mask ^ mover, mask | cell
            ply += 1
        if ply == plies and open_cells(board, mask):
            return mover, mask


@inlined
def random_move(board: FeatureBoard, mask: int, memory: PlayMemory) -> int:
    """Draw one of the open cells."""
    cells = open_cells(board, mask)
    for _ in range(drawn_number(memory, cells.bit_count())):
        cells &= cells - 1
    return cells & -cells


@inlined
def play_on(play: SelfPlay, count: int, mover: int, mask: int) -> int:
    """Play a game to its end from a position on; return the number of positions written."""
    board, into = play.network.board, play.into
    while open_cells(board, mask):
        into.movers[count] = mover
        into.masks[count] = mask
        cell = choose_move(play, count, mover, mask)
        if drawn_fraction(play.memory) < play.settings.random_moves:
            cell = random_move(board, mask, play.memory)
            into.certain[count] += SIDESTEP
        count += 1
        if has_run(mover | cell, board.rows, board.inarow):
            return count
        mover, mask = mask ^ mover, mask | cell
    return count


UNCERTAIN = 0
PROVEN_VALUE = 1
SIDESTEP = 2
"""Added if a random move was played: the rest of the game says nothing about the position."""
LAST = 4
"""Added if no position of the game follows."""


@inlined
def choose_move(play: SelfPlay, count: int, mover: int, mask: int) -> int:
    """Search a position, write what was found, and return the cell to play to."""
    board, into, policy = play.network.board, play.into, play.into.policies[count]
    open_ = open_cells(board, mask)
    wins = open_ & completions(board, mover)
    tree = play.memory.tree
    tree.counters[TAKEN] = 1
    make_node(tree, ROOT, NO_ACTION, mover, mask, Setup(board, play.settings.tree, play.network))
    if tree.nodes[ROOT].proven != UNPROVEN:  # won at once, or lost by each move
        into.values[count] = -tree.nodes[ROOT].proven
        into.certain[count] = PROVEN_VALUE
        return spread_evenly(board, policy, wins if wins else open_)
    search(play, mover, mask)
    best = write_policy(board, play.settings, play.memory, policy)
    if tree.nodes[ROOT].proven != UNPROVEN:
        into.values[count] = -tree.nodes[ROOT].proven
        into.certain[count] = PROVEN_VALUE
    else:
        into.values[count] = -tree.nodes[ROOT].total / tree.nodes[ROOT].visits
        into.certain[count] = UNCERTAIN
    cell: int = board.actions[best] & open_
    return cell


@inlined
def spread_evenly(board: FeatureBoard, policy: Any, cells: int) -> int:
    """Give all of `cells` the same probability; return one of them."""
    for action in range(len(policy)):
        share = 1.0 if board.actions[action] & cells else 0.0
        policy[action] = share / cells.bit_count()
    return cells & -cells


@inlined
def search(play: SelfPlay, mover: int, mask: int) -> None:
    """Grow the tree by the simulations of a move, spread over the root's children by halving."""
    settings, memory, nodes = play.settings, play.memory, play.memory.tree.nodes
    for action in range(len(memory.noise)):
        memory.noise[action] = -log(-log(drawn_fraction(memory)))
    through = NO_PLACE
    for number in range(settings.simulations):
        setup = Setup(play.network.board, settings.tree, play.network)
        simulate(memory.tree, ROOT, through, mover, mask, setup)
        if nodes[ROOT].proven != UNPROVEN or nodes[ROOT].children == 0:
            return
        improve_logits(settings, memory)
        through = due_child(memory, memory.schedule[nodes[ROOT].children, number])


@inlined
def improve_logits(settings: PlaySettings, memory: PlayMemory) -> None:
    """Write the `agents.policy.puct.improved_logits` of the root's actions."""
    nodes, improved = memory.tree.nodes, memory.improved
    first = nodes[ROOT].first
    end = first + nodes[ROOT].children
    most, visits, weight, mean = 0, 0, 0.0, 0.0
    for child in range(first, end):
        tried = nodes[child].visits
        if tried:
            most = max(most, tried)
            visits += tried
            weight += nodes[child].prior
            mean += nodes[child].prior * value_of(memory.tree, child)
    mixed = -nodes[ROOT].evaluation
    if weight > 0.0:
        mixed = (mixed + visits * mean / weight) / (1 + visits)
    scale = (settings.visits_scale + most) * settings.value_scale
    for child in range(first, end):
        known = nodes[child].visits > 0 or nodes[child].proven != UNPROVEN
        value = value_of(memory.tree, child) if known else mixed
        improved[nodes[child].action] = log(max(LEAST_PRIOR, nodes[child].prior)) + scale * value


LEAST_PRIOR = 1e-30


@inlined
def value_of(tree: TreeArrays, child: int) -> float:
    """The proven value of a child that has been visited, or else its mean."""
    if tree.nodes[child].proven != UNPROVEN:
        return float(tree.nodes[child].proven)
    return float(tree.nodes[child].total / tree.nodes[child].visits)


@inlined
def due_child(memory: PlayMemory, due: int) -> int:
    """The best of the root's children with the visits that are due; the best of all if none has."""
    nodes = memory.tree.nodes
    first = nodes[ROOT].first
    best, best_merit, best_is_due = int(first), -inf, False
    for child in range(first, first + nodes[ROOT].children):
        action = nodes[child].action
        merit = memory.noise[action] + memory.improved[action]
        is_due = nodes[child].visits == due
        if (is_due and not best_is_due) or (is_due == best_is_due and merit > best_merit):
            best, best_merit, best_is_due = child, merit, is_due
    return best


@inlined
def write_policy(
    board: FeatureBoard, settings: PlaySettings, memory: PlayMemory, policy: Any
) -> int:
    """Write the root's improved policy, or its proven moves; return the action to play."""
    nodes, improved = memory.tree.nodes, memory.improved
    improve_logits(settings, memory)
    first = int(nodes[ROOT].first)
    end = first + int(nodes[ROOT].children)
    for action in range(len(policy)):
        policy[action] = 0.0
    highest = -inf
    for child in range(first, end):
        highest = max(highest, improved[nodes[child].action])
    total = 0.0
    for child in range(first, end):
        action = nodes[child].action
        weight = exp(improved[action] - highest)
        if nodes[ROOT].proven < 1:  # proven to be won or drawn
            weight = 1.0 if nodes[child].proven == -nodes[ROOT].proven else 0.0
        policy[action] = weight
        total += weight
    for action in range(len(policy)):
        policy[action] /= total
    return most_visited(memory, policy, first, end)


@inlined
def most_visited(memory: PlayMemory, policy: Any, first: int, end: int) -> int:
    """The action to play: the most visited in the policy, on ties that with the highest merit."""
    nodes = memory.tree.nodes
    best, most, best_merit = int(nodes[first].action), -1, -inf
    for child in range(first, end):
        action = int(nodes[child].action)
        merit = memory.noise[action] + memory.improved[action]
        visits = nodes[child].visits
        if policy[action] > 0.0 and (visits, merit) > (most, best_merit):
            best, most, best_merit = action, visits, merit
    return best


@jit
def value_positions(settings: PlaySettings, into: Experience, count: int) -> None:
    """Turn the search's values of the positions of games into values to learn.

    Proven positions, and those left by a random move, keep their values. The values of others are
    mixed with that of the next such position, or with 0 if the game ends with a full board.
    """
    outcome = 0.0
    for position in range(count - 1, -1, -1):
        kind = into.certain[position]
        if kind & LAST:
            outcome = 0.0  # a full board
        if kind & PROVEN_VALUE or kind & SIDESTEP:
            outcome = into.values[position]
        else:
            share = settings.result_share
            into.values[position] = share * outcome + (1.0 - share) * into.values[position]
        outcome = -outcome


@inlined
def drawn_number(memory: PlayMemory, count: int) -> int:
    """Draw one of 0, 1 … `count` - 1."""
    memory.stream[0] = next_stream(memory.stream[0])
    return drawn_index(memory.stream[0], count)


@inlined
def drawn_fraction(memory: PlayMemory) -> float:
    """Draw a number between 0 and 1."""
    memory.stream[0] = next_stream(memory.stream[0])
    return float(((memory.stream[0] & DRAWN_MASK) + 0.5) / (1 << DRAWN_BITS))
