"""The Monte Carlo tree: its nodes, its simulations, and the proofs that it carries up.

`agents.mcts` and `agents.policy.puct` define the rule of selection and the value of a leaf;
`agents.compiled.tree_kernel` is the same on arrays. Both grow the same tree by these conventions:
the first of equal numbers is chosen, children are in the order of their creation, numbers are
summed in the order in which they arise, and a simulation's result is added to its path from the
last node to the first.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import inf
from typing import Any, Generic

from agents.agent import Clock, final_reward, player_sign
from agents.guidance.ordering import safe_actions, winning_action
from envs.protocol import Action, Env, State


class SearchedNode(ABC, Generic[Action]):
    """The node of a state in any of the trees. Values are player 1's."""

    __slots__ = ()

    sign: int  # +1 where player 1 is to move, -1 where player 2 is, 0 where chance decides
    visits: int  # simulations that went through the node
    total: float  # sum of the results
    proven: float | None  # the exact value where it is known, else None
    assured: float | None
    """The value that the player to move can fall back on: the best proven value of a child, if it
    is neither a win nor a loss; else None."""
    prior: float
    """The evaluator's probability of the action that leads here, among the parent's children; 1
    without an evaluator."""
    evaluation: float  # the evaluator's value of the state, once it has been evaluated

    @property
    @abstractmethod
    def children(self) -> Mapping[Action, "SearchedNode[Action]"]:
        """The children by action."""

    @property
    def value(self) -> float:
        """The proven value, or else the mean result.

        The mean includes one extra draw, so that it lies strictly inside (-1, 1) even if all games
        were won.
        """
        return self.total / (self.visits + 1) if self.proven is None else self.proven


class Node(SearchedNode[Action], Generic[State, Action]):
    """A state in the tree, and the statistics of the simulations that went through it."""

    __slots__ = (
        "assured",
        "children",
        "evaluation",
        "prior",
        "proven",
        "sign",
        "state",
        "total",
        "untried",
        "visits",
    )
    children: dict[Action, "Node[State, Action]"]

    def __init__(
        self, state: State, actions: Sequence[Action], sign: int, proven: float | None
    ) -> None:
        self.state = state
        self.untried = list(actions)  # actions worth a search that have no child yet
        self.children = {}
        self.sign = sign
        self.visits = 0
        self.total = 0.0
        self.proven = proven
        self.assured = None
        self.prior = 1.0
        self.evaluation = 0.0


class MergedNode(SearchedNode[Action]):
    """The nodes of a state in several trees, at least one, with their statistics added up."""

    def __init__(self, nodes: Sequence[SearchedNode[Action]]) -> None:
        self._nodes = nodes
        first = nodes[0]
        self.sign, self.prior, self.evaluation = first.sign, first.prior, first.evaluation
        self.visits = sum(node.visits for node in nodes)
        self.total = sum(node.total for node in nodes)
        self.proven = next((node.proven for node in nodes if node.proven is not None), None)
        assured = [node.assured for node in nodes if node.assured is not None]
        self.assured = max(assured, key=lambda value: self.sign * value, default=None)

    @cached_property
    def children(self) -> Mapping[Action, "MergedNode[Action]"]:
        """The children by action."""
        known: dict[Action, list[SearchedNode[Action]]] = {}
        for node in self._nodes:
            for action, child in node.children.items():
                known.setdefault(action, []).append(child)
        return {action: MergedNode(nodes) for action, nodes in known.items()}


class TreeObserver:
    """Receives each simulation of a Monte Carlo tree; this class ignores them."""

    def selected(self, path: Sequence[Node[Any, Any]]) -> None:
        """A simulation has selected its path from the root; nothing is expanded yet."""

    def backed_up(self, path: Sequence[Node[Any, Any]]) -> None:
        """Its result has been added to each node of its path, including an expanded one."""


class MonteCarloTree(ABC, Generic[State, Action]):
    """A search tree that grows with each simulation.

    A simulation selects a path to a node that is proven or has untried actions, expands that node,
    and adds the value of the last node to every node of the path. With the solver, exact results
    are carried up as proven values (M. H. M. Winands, Y. Björnsson and J.-T. Saito, "Monte-Carlo
    Tree Search Solver", 2008): a node is a proven win when one child is, and has the value of its
    best child when all children are proven.
    """

    solver: bool = True  # whether proven values are carried up
    rollouts_per_leaf: int = 1  # results that a simulation adds; each counts as a visit
    observer = TreeObserver()

    def __init__(self, env: Env[State, Action], state: State) -> None:
        self.env = env
        self.nodes = 0  # nodes made so far
        self.root = self.make_node(state, env.get_available_actions(state))

    @abstractmethod
    def make_node(
        self, state: State, actions: Sequence[Action], proven: float | None = None
    ) -> Node[State, Action]:
        """Make a node without statistics, and count it in `nodes`."""

    @abstractmethod
    def bound(self, node: Node[State, Action]) -> Callable[[Node[State, Action]], float]:
        """The rule of selection: the child of `node` with the highest bound is selected."""

    @abstractmethod
    def expand(self, path: list[Node[State, Action]]) -> None:
        """Expand the last node of the path, which has untried actions."""

    @abstractmethod
    def value_leaf(self, leaf: Node[State, Action]) -> float:
        """The sum of the results of a simulation that reached `leaf`, from player 1's view."""

    def grow(self, simulations: int | None, clock: Clock, through: Action | None = None) -> int:
        """Run simulations until all are run, the time is up or the root is proven; count them.

        None is no limit. The clock is checked after each. All of them go `through` an action of the
        root; if it is None, the rule selects it.
        """
        done = 0
        while self.root.proven is None and done != simulations:
            self.simulate(through)
            done += 1
            if clock.expired():
                break
        return done

    def simulate(self, through: Action | None = None) -> None:
        """Run one simulation: select, expand, value, back up."""
        path = self.select(through)
        self.observer.selected(path)
        if path[-1].proven is None:
            self.expand(path)
        leaf = path[-1]
        if leaf.proven is None:
            total = self.value_leaf(leaf)
        else:
            total = leaf.proven * self.rollouts_per_leaf
            if self.solver:
                self.prove(path)
        back_up(path, total, self.rollouts_per_leaf)
        self.observer.backed_up(path)

    def select(self, through: Action | None = None) -> list[Node[State, Action]]:
        """The path from the root to the first node that is proven or has untried actions.

        It starts with the root's action `through`, whose child may be proven; None: the rule
        selects it.
        """
        path = [self.root]
        if through is not None:
            path.append(self.root.children[through])
        while path[-1].proven is None and not path[-1].untried:
            path.append(self.step(path[-1]))
        return path

    def step(self, node: Node[State, Action]) -> Node[State, Action]:
        """The child that continues a path."""
        return self.best_child(node)

    def best_child(self, node: Node[State, Action]) -> Node[State, Action]:
        """The child that the rule selects, the first of equals.

        The solver skips children with a proven value: there is nothing to learn from them, and as
        long as `node` itself is not proven, it has another child.
        """
        bound = self.bound(node)
        best, best_bound = node, -inf
        for child in node.children.values():
            if child.proven is None or not self.solver:
                child_bound = bound(child)
                if child_bound > best_bound:
                    best, best_bound = child, child_bound
        return best

    def add_child(self, node: Node[State, Action], action: Action) -> Node[State, Action]:
        """Add the child that `action` leads to."""
        state = self.env.get_next_state(node.state, action)
        actions = self.env.get_available_actions(state)
        proven = None if actions else final_reward(self.env, node.state, action)
        child = node.children[action] = self.make_node(state, actions, proven)
        return child

    def prove(self, path: Sequence[Node[State, Action]]) -> None:
        """Carry the proven value of the last node of `path` up as far as it proves nodes."""
        for node in path[-2::-1]:
            self.settle(node)
            if node.proven is None:
                return

    def settle(self, node: Node[State, Action]) -> None:
        """Prove the value of a player's `node`, if one child is a win or all are proven."""
        values = [
            node.sign * child.proven for child in node.children.values() if child.proven is not None
        ]
        best = max(values, default=-1.0)
        if abs(best) < 1.0:
            node.assured = node.sign * best
        if best == 1.0 or (not node.untried and len(values) == len(node.children)):
            node.proven = node.sign * best

    def descend(self, state: State) -> bool:
        """Make the node of `state` the root, if it is at most two plies below; return if it was."""
        nearby = [self.root, *self.root.children.values()]
        nearby += [node for child in nearby[1:] for node in child.children.values()]
        found = next((node for node in nearby if node.state == state), None)
        self.root = found or self.root
        return found is not None


def back_up(path: Sequence[Node[Any, Any]], total: float, visits: int) -> None:
    """Add the sum of a simulation's results to each node of its path, the last one first.

    Where a player can fall back on more than `total`, that value counts from there upwards.
    """
    for node in reversed(path):
        if node.assured is not None:
            assured = node.assured * visits
            if node.sign * (assured - total) > 0:
                total = assured
        node.visits += visits
        node.total += total


def node_of_two_plies(
    env: Env[State, Action], state: State, actions: Sequence[Action], proven: float | None
) -> Node[State, Action]:
    """A node with the moves that two plies of look-ahead leave, proven if these plies decide it.

    They show which moves win at once and which lose at once; if all moves lose, so does the node.
    """
    sign = player_sign(env, state)
    if actions and winning_action(env, state, actions):
        actions, proven = (), float(sign)
    elif actions:
        actions = safe_actions(env, state, actions)
        proven = None if actions else float(-sign)
    return Node(state, actions, sign, proven)
