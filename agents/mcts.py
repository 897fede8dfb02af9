"""Monte Carlo tree search: UCT with proven values (MCTS-Solver)."""

from collections.abc import Callable, Sequence
from math import inf, log, sqrt
from random import Random
from typing import Any, Generic, Self, TypeVar

from agents.agent import expected_value, possible_outcomes
from agents.guidance.ordering import winning_action
from agents.guidance.rollouts import Rollout, random_outcome
from envs.protocol import CHANCE, Action, Env, State


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


class Node(Generic[State, Action]):
    """A state in the tree, and the statistics of the simulations that went through it."""

    __slots__ = (
        "assured",
        "children",
        "proven",
        "sign",
        "state",
        "total",
        "untried",
        "visits",
    )

    def __init__(
        self, state: State, actions: Sequence[Action], sign: int, proven: float | None
    ) -> None:
        self.state = state
        self.untried = list(actions)
        """Actions that have no child yet."""
        self.children: dict[Action, Self] = {}
        self.sign = sign
        """+1 where player 1 is to move, -1 where player 2 is, 0 where chance decides."""
        self.visits = 0
        self.total = 0.0
        """Sum of the results, from player 1's view."""
        self.proven = proven
        """The exact value from player 1's view where it is known, else None."""
        self.assured: float | None = None
        """The value that the player whose turn it is can fall back on: the best proven one of a
        child, from player 1's view, where it is neither a win nor a loss; else None."""

    @property
    def value(self) -> float:
        """The proven value, or else the mean result, from player 1's view.

        The mean counts one drawn game in addition, so that it lies strictly inside (-1, 1)
        even where all of them were won.
        """
        return self.proven if self.proven is not None else self.total / (self.visits + 1)


AnyNode = TypeVar("AnyNode", bound=Node[Any, Any])


def nearby_node(root: AnyNode, state: object) -> AnyNode | None:
    """The node of a state that is at most two plies below the root, if there is one."""
    nearby = [root, *root.children.values()]
    nearby += [node for child in nearby[1:] for node in child.children.values()]
    return next((node for node in nearby if node.state == state), None)


def settle(node: Node[Any, Any]) -> None:
    """Prove the value of a player's `node` if its children do: one is won, or all are proven."""
    values = [
        node.sign * child.proven for child in node.children.values() if child.proven is not None
    ]
    best = max(values, default=-1.0)
    if abs(best) < 1.0:
        node.assured = node.sign * best
    if best == 1.0 or (not node.untried and len(values) == len(node.children)):
        node.proven = node.sign * best


def prove(path: Sequence[Node[Any, Any]], settle_node: Callable[[Any], None] = settle) -> None:
    """Carry the proven value of the last node of `path` up as far as it decides."""
    for node in path[-2::-1]:
        settle_node(node)
        if node.proven is None:
            return


def back_up(path: Sequence[Node[Any, Any]], total: float, visits: int) -> None:
    """Add the result of a simulation to each node of its path, the last one first.

    Who can fall back on more than `total` would have taken that: it counts from there upwards.

    Args:
        path: from the root on.
        total: sum of the results, from player 1's view.
        visits: how many results these are.
    """
    for node in reversed(path):
        if node.assured is not None:
            assured = node.assured * visits
            if node.sign * (assured - total) > 0:
                total = assured
        node.visits += visits
        node.total += total


class Tree(Generic[State, Action]):
    """A search tree that grows by a leaf with each simulation.

    A simulation selects a path by UCT, expands a leaf by one action, plays on from there by the
    rollout policy, and adds the result to every node of the path. With the solver, results that
    are certain are carried up as proven values (M. H. M. Winands, Y. Björnsson and J.-T. Saito,
    "Monte-Carlo Tree Search Solver", 2008): a node is a proven win when one child is, and worth
    its best child, or where chance decides their mean, when all children are proven.

    Where chance decides, a simulation draws the outcome. One that was never drawn before enters
    the tree on the way to the leaf.

    Args:
        env: the rules.
        state: the root, in which the game goes on.
        exploration: the exploration constant C, for results in [-1, 1].
        rollout: the rollout policy.
        rollouts_per_leaf: games played out from each new leaf, at least 1; each counts as a visit.
        solver: whether proven values are carried up.
        decisive_moves: whether a node in which a win is at hand gets that one child only.
        rng: the source of all randomness.
    """

    def __init__(
        self,
        env: Env[State, Action],
        state: State,
        exploration: float,
        rollout: Rollout,
        rollouts_per_leaf: int,
        solver: bool,
        decisive_moves: bool,
        rng: Random,
    ) -> None:
        self.env = env
        self.exploration = exploration
        self.rollout = rollout
        self.rollouts_per_leaf = rollouts_per_leaf
        self.solver = solver
        self.decisive_moves = decisive_moves
        self.rng = rng
        self.nodes = 0
        """Nodes made so far."""
        self.root: Node[State, Action] = self.make_node(state, env.get_available_actions(state))

    def simulate(self) -> None:
        """Run one simulation: select, expand, play out, back up."""
        path = self.select()
        leaf = path[-1]
        if leaf.proven is None:
            leaf = self.expand(leaf)
            path.append(leaf)
        if leaf.proven is None:
            total = 0.0
            for _ in range(self.rollouts_per_leaf):
                total += self.rollout(self.env, leaf.state, self.rng)
        else:
            total = leaf.proven * self.rollouts_per_leaf
            if self.solver:
                prove(path, self.settle)
        back_up(path, total, self.rollouts_per_leaf)

    def select(self) -> list[Node[State, Action]]:
        """The path from the root to the first node that is proven or has an untried action."""
        node = self.root
        path = [node]
        while node.proven is None and not node.untried:
            node = self.best_child(node) if node.sign else self.random_child(node)
            path.append(node)
        return path

    def best_child(self, node: Node[State, Action]) -> Node[State, Action]:
        """The child with the highest `uct` for the player whose turn it is.

        The solver passes over children whose value is proven: there is nothing to learn from
        them, and while `node` itself is not proven, it has another child.
        """
        sign = node.sign
        # uct() with its logarithm taken once for all children
        spread = self.exploration * sqrt(log(node.visits))
        best, best_bound = node, -inf
        for child in node.children.values():
            if child.proven is not None and self.solver:
                continue
            visits = child.visits
            bound = sign * child.total / visits + spread / sqrt(visits)
            if bound > best_bound:
                best, best_bound = child, bound
        return best

    def random_child(self, node: Node[State, Action]) -> Node[State, Action]:
        """The child of a random outcome, where chance decides."""
        outcome = random_outcome(self.env, node.state, self.rng)
        return node.children.get(outcome) or self.add_child(node, outcome)

    def expand(self, node: Node[State, Action]) -> Node[State, Action]:
        """Add the child of a random untried action."""
        untried = node.untried
        return self.add_child(node, untried.pop(int(self.rng.random() * len(untried))))

    def add_child(self, node: Node[State, Action], action: Action) -> Node[State, Action]:
        """Add the child that `action` leads to."""
        env = self.env
        state = env.get_next_state(node.state, action)
        actions = env.get_available_actions(state)
        proven = None if actions else env.reward(node.state, action)
        child = node.children[action] = self.make_node(state, actions, proven)
        return child

    def make_node(
        self, state: State, actions: Sequence[Action], proven: float | None = None
    ) -> Node[State, Action]:
        """A node without statistics. Where chance decides there is nothing to try."""
        self.nodes += 1
        player = self.env.current_player(state)
        if player == CHANCE:
            return Node(state, (), 0, proven)
        if self.decisive_moves:
            win = winning_action(self.env, state, actions)
            if win is not None:
                actions = (win,)
        return Node(state, actions, 1 if player == 1 else -1, proven)

    def settle(self, node: Node[State, Action]) -> None:
        """Prove the value of `node` if its children do."""
        if node.sign:
            settle(node)
        else:
            self.settle_chance(node)

    def settle_chance(self, node: Node[State, Action]) -> None:
        """Prove the value of `node` if all outcomes are proven: their mean."""
        probabilities = possible_outcomes(self.env, node.state)
        known = {outcome: child.proven for outcome, child in node.children.items()}
        values = [value for outcome in probabilities if (value := known.get(outcome)) is not None]
        if len(values) == len(probabilities):
            node.proven = expected_value(values, probabilities.values())

    def restrict_root(self, actions: Sequence[Action]) -> None:
        """Consider `actions` only at the root; the others must be proven to be no better."""
        self.root.untried = [action for action in self.root.untried if action in actions]
        for action in [action for action in self.root.children if action not in actions]:
            del self.root.children[action]
        if self.solver and self.root.children:
            self.settle(self.root)

    def descend(self, state: State) -> bool:
        """Make the node of `state` the root, if it is at most two plies below; tell if it was."""
        node = nearby_node(self.root, state)
        if node is not None:
            self.root = node
        return node is not None
