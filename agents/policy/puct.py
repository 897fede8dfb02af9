"""PUCT: Monte Carlo tree search guided by a policy and a value function.

The search of AlphaZero (D. Silver et al., "Mastering the game of Go without human knowledge", 2017;
"A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play",
2018). Its rule of selection is C. D. Rosin's, "Multi-armed bandits with episode context" (2011).
Where UCT runs a playout, PUCT asks an evaluator how likely each action is to be the best, and for
the value of the state. The compiled search grows the same tree (`agents.tree`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from math import inf, log, sqrt
from typing import Any, Protocol

from agents.agent import Clock, is_value
from agents.tree import MonteCarloTree, Node, SearchedNode, node_of_two_plies
from envs.protocol import CHANCE, Action, Env, State

Evaluation = tuple[Mapping[Any, float], float]
"""The probabilities of the available actions, which sum to 1, and the value of a state for player
1, strictly between -1 and 1."""

Evaluator = Callable[[Any, Any], Evaluation]
"""Estimates the result of a search: a function of `(env, state)`, for unfinished states."""


def puct(value: float, prior: float, visits: int, parent_visits: int, exploration: float) -> float:
    """The bound by which a child is selected.

    Q + C * P * sqrt(N of the parent) / (1 + N), from D. Silver et al. (2017).

    Args:
        value: Q, for the player who selects.
        prior: P, the probability that the evaluator gives the child.
        visits: N, the child's visits.
        parent_visits: at least 1.
        exploration: the exploration constant C.
    """
    return value + exploration * sqrt(parent_visits) * prior / (1 + visits)


class GuidedTree(MonteCarloTree[State, Action]):
    """A tree that selects by PUCT, expands a leaf by all its children and asks an evaluator.

    It looks two plies ahead in each new node: an immediate win proves it, and moves that lose at
    once get no child. Unless its children prove a leaf, the evaluator gives the leaf's value and
    the priors of its children. The first simulation expands the root.

    The game has no chance; `state` is the root and unfinished. `exploration` and `fpu`, the
    first-play urgency reduction, are options of `AlphaZeroAgent`.
    """

    def __init__(
        self,
        env: Env[State, Action],
        state: State,
        evaluator: Evaluator,
        exploration: float,
        fpu: float,
    ) -> None:
        self.evaluator = evaluator
        self.exploration = exploration
        self.fpu = fpu
        super().__init__(env, state)

    def make_node(
        self, state: State, actions: Sequence[Action], proven: float | None = None
    ) -> Node[State, Action]:
        """A node without statistics, by `node_of_two_plies`; a ValueError where chance decides."""
        self.nodes += 1
        if self.env.current_player(state) == CHANCE:
            raise ValueError(
                f"chance decides in {state}: PUCT plays games without chance; choose mcts or "
                "expectimax"
            )
        return node_of_two_plies(self.env, state, actions, proven)

    def bound(self, node: Node[State, Action]) -> Callable[[Node[State, Action]], float]:
        """The `puct` of a child for the player whose turn it is.

        A child without visits is assumed to have the mean value of its parent, less the reduction,
        but at least -1.
        """
        sign = node.sign
        unvisited = max(-1.0, sign * node.total / node.visits - self.fpu)
        spread = self.exploration * sqrt(node.visits)  # once for all children

        def puct_of(child: Node[State, Action]) -> float:
            visits = child.visits
            value = sign * child.total / visits if visits else unvisited
            return value + spread * child.prior / (1 + visits)

        return puct_of

    def expand(self, path: list[Node[State, Action]]) -> None:
        """Make all children of the last node, and prove its value if they do."""
        node = path[-1]
        for action in node.untried:
            self.add_child(node, action)
        node.untried = []
        self.settle(node)

    def value_leaf(self, leaf: Node[State, Action]) -> float:
        """Ask the evaluator for the value of the leaf, and for the priors of its children.

        Raises:
            ValueError: it gives no value from -1 to 1, or an action has no probability.
        """
        evaluation = self.evaluator(self.env, leaf.state)
        try:
            probabilities, leaf.evaluation = evaluation
            weights = [probabilities[action] for action in leaf.children]
            is_usable = is_value(leaf.evaluation) and all(0 <= weight < inf for weight in weights)
        except (LookupError, TypeError, ValueError):  # not a mapping and a number
            is_usable = False
        if not is_usable:
            raise ValueError(
                f"the evaluator gives {evaluation!r} in {leaf.state}: the probability of each "
                "action and a value from -1 to 1 are expected"
            )
        priors = normalised(weights)
        for child, prior in zip(leaf.children.values(), priors, strict=True):
            child.prior = prior
        return leaf.evaluation

    def set_priors(self, priors: Mapping[Action, float]) -> None:
        """Replace the priors of the children of the root, which has been expanded."""
        for action, child in self.root.children.items():
            child.prior = priors[action]


def noisy_priors(
    root: SearchedNode[Action], noise: Mapping[Action, float], share: float
) -> dict[Action, float]:
    """The priors of an expanded node, with noise mixed into them.

    P becomes (1 - share) * P + share * noise, with the noise normalised to sum to 1. AlphaZero's
    Dirichlet distribution results from gamma-distributed numbers of shape alpha.
    """
    weights = normalised([noise[action] for action in root.children])
    return {
        action: (1 - share) * child.prior + share * weight
        for (action, child), weight in zip(root.children.items(), weights, strict=True)
    }


def normalised(weights: Sequence[float]) -> list[float]:
    """The weights divided by their sum; equal ones if the sum is 0."""
    total = sum(weights)
    return [weight / total if total > 0 else 1 / len(weights) for weight in weights]


# --- what a search makes of the priors (I. Danihelka, A. Guez, J. Schrittwieser, D. Silver: "Policy
# improvement by planning with Gumbel", 2022)

VISITS_SCALE = 50.0
"""c_visit of Danihelka et al.: the larger it is, the less the number of visits matters."""
VALUE_SCALE = 1.0  # c_scale of Danihelka et al.: how much values in [-1, 1] count beside logits
MOST_AT_ONCE = 16
"""The most simulations that an action gets in a row, so that all have about as many at any time."""


class GrowingTree(Protocol[Action]):
    """A tree of the reference or of the compiled search."""

    @property
    def root(self) -> SearchedNode[Action]:
        """The root."""

    def grow(self, simulations: int | None, clock: Clock, through: Any = None) -> int:
        """Run simulations; return how many were run."""


def searched_values(node: SearchedNode[Action]) -> dict[Action, float]:
    """By child with a value: the proven value, or else the mean result, for the player to move."""
    values = {}
    for action, child in node.children.items():
        if child.proven is not None:
            values[action] = node.sign * child.proven
        elif child.visits:
            values[action] = node.sign * child.total / child.visits
    return values


def mixed_value(node: SearchedNode[Action]) -> float:
    """The assumed value of an action that was not searched, for the player to move.

    The evaluator's value of the node, mixed with the mean of the visited actions' values, weighted
    by their priors: v_mix of Danihelka et al. (2022), equation 33.
    """
    values = searched_values(node)
    evaluation = node.sign * node.evaluation
    visited = [action for action, child in node.children.items() if child.visits]
    visits = sum(node.children[action].visits for action in visited)
    weight = sum(node.children[action].prior for action in visited)
    if weight == 0:
        return evaluation
    mean = sum(node.children[action].prior * values[action] for action in visited) / weight
    return (evaluation + visits * mean) / (1 + visits)


def improved_logits(node: SearchedNode[Action]) -> dict[Action, float]:
    """By action: the logarithm of its prior, plus its transformed value, sigma of the paper.

    The expected value of their softmax is no lower than the priors', provided the values are right
    (Danihelka et al., section 4), however few simulations there were: a target for training.
    A value q becomes (c_visit + visits of the most visited action) * c_scale * q; an action that
    was not searched has the `mixed_value`.
    """
    values = searched_values(node)
    mixed = mixed_value(node)
    most = max(child.visits for child in node.children.values())
    scale = (VISITS_SCALE + most) * VALUE_SCALE
    return {
        action: log_of(child.prior) + scale * values.get(action, mixed)
        for action, child in node.children.items()
    }


def gumbel_merits(
    node: SearchedNode[Action], gumbel: Mapping[Action, float]
) -> dict[Action, float]:
    """By action: its Gumbel noise added to its improved logit; the highest is to be played."""
    return {action: gumbel[action] + logit for action, logit in improved_logits(node).items()}


def halve_sequentially(
    tree: GrowingTree[Action],
    gumbel: Mapping[Action, float],
    considered: int,
    simulations: int,
    clock: Clock,
) -> int:
    """Grow a tree by simulations that go through fewer and fewer actions of its root.

    The root has been expanded, and its children have no visits yet. With Gumbel noise added to
    their logits, the `considered` highest are a sample from the priors without replacement.
    Sequential halving continues with the better half of them, and so on: in each of the `rounds`,
    simulations go through the actions with the highest of the `gumbel_merits` among those that
    have the round's number of visits (Danihelka et al.; the tree is that of their program, mctx).
    A child with a proven value gets its visits, too, with that value.

    Args:
        tree: to grow.
        gumbel: for each available action a number of the Gumbel distribution, or 0.
        considered: how many actions to begin with, at least 1.
        simulations: how many in all, at least 0.
        clock: checked after the simulations of each action in a round.

    Returns:
        The simulations run.
    """
    first = {a: gumbel[a] + log_of(child.prior) for a, child in tree.root.children.items()}
    sample = sorted(first, key=lambda action: -first[action])[:considered]
    done = 0
    for visits, actions, each in rounds(len(sample), simulations):
        for _ in range(actions):
            root = tree.root
            if root.proven is not None:
                return done
            merits = gumbel_merits(root, gumbel)
            among = [action for action in sample if root.children[action].visits == visits]
            done += tree.grow(each, clock, max(among, key=merits.__getitem__))
            if clock.expired():
                return done
    return done


def considered_visits(considered: int, simulations: int) -> Iterator[int]:
    """For each simulation, the number of visits of the child that it goes through."""
    for visits, actions, each in rounds(considered, simulations):
        for more in range(each):
            yield from repeat(visits + more, actions)


def rounds(considered: int, simulations: int) -> Iterator[tuple[int, int, int]]:
    """The rounds of sequential halving: in each, the best of some actions get simulations.

    In each of log2(considered) phases all remaining actions get about equally many simulations;
    then the better half remains, but at least two. A round gives the number of visits of the
    actions among which it chooses, how many of them get simulations, and how many each.
    """
    phases = max(1, (considered - 1).bit_length())
    left, visits = simulations, 0
    while left:
        end, most = visits + max(1, simulations // (phases * considered)), 1
        while left and visits < end:
            actions = min(considered, left)
            each = min(most, end - visits, max(1, left // considered))
            yield visits, actions, each
            left -= actions * each
            visits += each
            most = MOST_AT_ONCE  # the phase's first round has chosen its actions
        considered = max(2, considered // 2)


def log_of(probability: float) -> float:
    """The logarithm, -inf of 0."""
    return log(probability) if probability > 0 else -inf
