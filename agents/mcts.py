"""Monte Carlo tree search: UCT with proven values (MCTS-Solver)."""

from collections.abc import Callable, Sequence
from math import log, sqrt
from random import Random
from typing import NamedTuple

from agents.agent import expected_value, is_value, player_sign, possible_outcomes
from agents.guidance.ordering import winning_action
from agents.guidance.rollouts import Rollout, random_outcome
from agents.tree import MonteCarloTree, Node
from envs.protocol import Action, Env, State


def uct(total: float, visits: int, parent_visits: int, exploration: float) -> float:
    """The upper confidence bound by which a child is selected.

    total / visits + C * sqrt(ln(parent_visits) / visits), from L. Kocsis and C. Szepesvári,
    "Bandit based Monte-Carlo Planning" (2006).

    Args:
        total: sum of the results, from the view of the player who selects.
        visits: of the child, at least 1.
        parent_visits: at least 1.
        exploration: the exploration constant C.
    """
    return total / visits + exploration * sqrt(log(parent_visits) / visits)


class TreeSettings(NamedTuple):
    """The settings of a tree, from the options of `agents.mcts_agent.MCTSAgent`."""

    exploration: float
    rollouts_per_leaf: int
    solver: bool
    decisive_moves: bool
    """Whether a state with a winning move keeps only that move.

    The compiled search then keeps only the moves that two plies of look-ahead leave, and proves a
    state when its node is made if they show a win or only losses.
    """
    decisive_rollout: bool  # whether compiled playouts are decisive; otherwise they are uniform


class Tree(MonteCarloTree[State, Action]):
    """A tree that selects by UCT, expands a leaf by one action and rolls out from there.

    Where chance decides, a simulation draws the outcome; a new outcome is added to the tree on the
    way to the leaf. A chance node whose outcomes are all proven is proven, with their mean.

    The root is `state`, where the game is not over.
    """

    def __init__(
        self,
        env: Env[State, Action],
        state: State,
        settings: TreeSettings,
        rollout: Rollout,
        rng: Random,
    ) -> None:
        self.settings = settings
        self.solver, self.rollouts_per_leaf = settings.solver, settings.rollouts_per_leaf
        self.rollout = rollout
        self.rng = rng
        super().__init__(env, state)

    def make_node(
        self, state: State, actions: Sequence[Action], proven: float | None = None
    ) -> Node[State, Action]:
        """A node without statistics; a chance node has no untried actions."""
        self.nodes += 1
        sign = player_sign(self.env, state)
        if not sign:
            return Node(state, (), sign, proven)
        if self.settings.decisive_moves:
            actions = winning_action(self.env, state, actions) or actions
        return Node(state, actions, sign, proven)

    def bound(self, node: Node[State, Action]) -> Callable[[Node[State, Action]], float]:
        """The `uct` of a child for the player whose turn it is."""
        sign, exploration = node.sign, self.settings.exploration
        spread = exploration * sqrt(log(node.visits))  # computed once for all children

        def uct_of(child: Node[State, Action]) -> float:
            return sign * child.total / child.visits + spread / sqrt(child.visits)

        return uct_of

    def step(self, node: Node[State, Action]) -> Node[State, Action]:
        """The best child or, where chance decides, that of a random outcome."""
        if node.sign:
            return self.best_child(node)
        outcome = random_outcome(self.env, node.state, self.rng)
        return node.children.get(outcome) or self.add_child(node, outcome)

    def expand(self, path: list[Node[State, Action]]) -> None:
        """Add the child of a random untried action, and append it to the path."""
        untried = path[-1].untried
        action = untried.pop(int(self.rng.random() * len(untried)))
        path.append(self.add_child(path[-1], action))

    def value_leaf(self, leaf: Node[State, Action]) -> float:
        """The sum of the leaf's rollout results; ValueError if one is outside [-1, 1]."""
        total = 0.0
        for _ in range(self.rollouts_per_leaf):
            result = self.rollout(self.env, leaf.state, self.rng)
            if not is_value(result):
                raise ValueError(
                    f"the rollout from {leaf.state} gives {result!r}: it must be the reward of "
                    "player 1, from -1 to 1"
                )
            total += result
        return total

    def settle(self, node: Node[State, Action]) -> None:
        """Prove the value of `node` if its children's proven values suffice."""
        if node.sign:
            super().settle(node)
            return
        probabilities = possible_outcomes(self.env, node.state)
        known = {outcome: child.proven for outcome, child in node.children.items()}
        values = [value for outcome in probabilities if (value := known.get(outcome)) is not None]
        if len(values) == len(probabilities):
            node.proven = expected_value(values, probabilities.values())

    def restrict_root(self, actions: Sequence[Action]) -> None:
        """Consider only `actions` at the root; the others must be proven to be no better."""
        self.root.untried = [action for action in self.root.untried if action in actions]
        for action in [action for action in self.root.children if action not in actions]:
            del self.root.children[action]
        if self.solver and self.root.children:
            self.settle(self.root)
