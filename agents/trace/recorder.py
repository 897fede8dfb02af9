"""Recorders, agents whose searches fill a trace: the base class, and one for depth-first search."""

from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.agent import Agent, BackedUp, Clock, SearchResult, expected_value, legal_actions
from agents.alpha_beta import Bound
from agents.depth_first import DepthFirstAgent, Observer
from agents.trace.trace import (
    Path,
    ReturnReason,
    SearchTrace,
    TracedNode,
    Window,
    decimals_of,
    narrowed,
)
from envs.board import BoardGame
from envs.explicit_tree import ExplicitTree
from envs.protocol import CHANCE, Action, Env, State

LIMIT = 100_000  # the default limit of node visits in a trace; they take 100 to 150 MB

OnVisit = Callable[[], object]  # called before each visit of a node; an exception ends the search


class TraceFull(ValueError):
    """The search visits more nodes than its trace may hold."""


@dataclass
class Recorder(Agent):
    """An agent that runs the searches of another agent, and records them."""

    agent: Any  # the other agent
    algorithm: str  # the name of the search
    trace: SearchTrace  # emptied at the start of each search
    limit: int  # the most visits of nodes that the trace may hold
    on_visit: OnVisit  # called before each visit

    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Search as the agent does; also raises ValueError if the trace cannot hold the search."""
        self.env: Any = env
        self.visits = 0
        self.trace.clear()
        self.trace.algorithm = self.algorithm
        if isinstance(env, ExplicitTree):
            self.trace.scale = env.scale
            self.trace.decimals = decimals_of(env.numbers())
        if isinstance(env, BoardGame):
            self.trace.rows, self.trace.columns = env.rows, env.columns
        result = self.observed(state, time_limit)
        self.trace.principal_variation = result.principal_variation
        return result

    @abstractmethod
    def observed(self, state: Any, time_limit: float | None) -> SearchResult[Any]:
        """Run the agent's search of `state` in `self.env`, and observe it."""

    def count_visit(self) -> None:
        """Count one more visit; TraceFull if the limit is reached."""
        self.on_visit()
        if self.visits == self.limit:
            raise TraceFull(
                f"the search visits more than {self.limit} nodes, too many for a trace: lower its "
                "depth, simulations or time_limit, or raise the limit of the trace (--trace-limit; "
                "in Python the `limit` of `recorded`)"
            )
        self.visits += 1

    def board(self, state: Any) -> tuple[int, ...] | None:
        """The cells of a state, None in games without a board."""
        return tuple(self.env.to_board(state)) if isinstance(self.env, BoardGame) else None


class NodeRecorder(Recorder, Observer):
    """Tracks the nodes from the root to the current one, and enters each in the trace.

    A search calls `enter_root`, then its `action_value`, which is wrapped, for each further node.
    When its time is up it just stops. Before it enters a child again, deeper or with another
    window, it calls `enter_root`.
    """

    agent: DepthFirstAgent

    def observed(self, state: Any, time_limit: float | None) -> SearchResult[Any]:
        """Run the agent's search, and observe it."""
        candidates = legal_actions(self.env, state)
        search = self.agent.new_search(self.env, Clock(self.agent.time_limit, time_limit))
        self._open: list[Visit] = []
        self._iteration = -1
        self._watch(search)
        result = self.agent.search_with(search, state, candidates)
        self._close()
        return result

    def _watch(self, search: Any) -> None:
        """Observe a search, and wrap its `action_value` to record each call.

        The method takes a state, an action and the depth; in a search with a window the ply, alpha
        and beta follow. It is wrapped only in this instance, so that other searches stay fast.
        """
        action_value = search.action_value

        def recorded(state: Any, action: Any, depth: float, *ply_and_window: Any) -> BackedUp:
            self.enter(action, depth, ply_and_window[1:] or None)
            finding: BackedUp = action_value(state, action, depth, *ply_and_window)
            self.leave(finding[0])
            return finding

        search.observer, search.action_value = self, recorded

    def enter_root(self, state: Any, window: Window | None = None) -> None:
        """Record the start of a search, or of an iteration of deepening, at `state`."""
        self._close()
        self._iteration += 1
        self._open_visit((), state, window)

    def weigh(self, probabilities: Mapping[Any, float]) -> None:
        """Record the probabilities of the current node's actions, over which a mean is taken."""
        self._open[-1].probabilities = probabilities

    def enter(self, action: Hashable, depth: float, window: Window | None = None) -> None:
        """Record that the search descends to the child after `action`.

        Raises ValueError if it has entered this child before.
        """
        parent = self._open[-1]
        if action in parent.node.visited:
            raise ValueError(
                f"the search enters the child behind {action!r} of {parent.state} twice: let "
                "get_available_actions give each action once"
            )
        if parent.node.player != CHANCE:  # a chance node gives each child its own window
            parent.window = window
        state = self.env.get_next_state(parent.state, action)
        visit = self._open_visit((*parent.node.path, action), state, window)
        parent.node.visited.append(action)  # not earlier: counting the visit may end the search
        visit.at_horizon = depth == 1
        visit.node.probability = parent.probabilities.get(action)

    def leave(self, value: float) -> None:
        """Record that the search returns `value`, from player 1's view, from the current node."""
        visit = self._open.pop()
        node = visit.node
        node.value = value
        node.ending = _ending(visit)
        node.bound = _bound(visit, value)
        if node.player == CHANCE and node.bound is not Bound.EXACT:
            visit.narrow(value, node.bound is Bound.LOWER, node.bound is Bound.UPPER)
        node.window_returned = visit.window
        if self._open:
            parent = self._open[-1]
            parent.children.append(node)
            parent.narrow(value, parent.node.player == 1, parent.node.player == 2)

    def recall(self, low: float, high: float, value: float) -> None:
        """Record that the transposition table decides the current node."""
        one_sided = Bound.LOWER if value == low else Bound.UPPER
        bound = Bound.EXACT if low == high else one_sided
        visit = self._open[-1]
        visit.recalled = bound
        visit.narrow(value, bound is not Bound.UPPER, bound is not Bound.LOWER)

    def _open_visit(self, path: Path, state: Any, window: Window | None) -> "Visit":
        self.count_visit()
        node = TracedNode(
            path,
            player=self.env.current_player(state),
            actions=tuple(self.env.get_available_actions(state)),
            window=window,
            iteration=self._iteration,
            board=self.board(state),
        )
        self.trace.nodes.append(node)
        self._open.append(Visit(node, state, window))
        return self._open[-1]

    def _close(self) -> None:
        """Leave the root, or all open nodes if the time was up."""
        if len(self._open) == 1 and self._open[0].children:
            root = self._open[0]
            values = [child.value for child in root.children if child.value is not None]
            self.leave(max(values) if root.node.player == 1 else min(values))
        for visit in self._open:
            visit.node.ending = ReturnReason.TIME
        self._open.clear()


@dataclass
class Visit:
    """A node that the search has entered and not yet left."""

    node: TracedNode
    state: Any
    window: Window | None  # the current alpha and beta
    at_horizon: bool = False
    """Whether the node is at the depth limit, so that a heuristic gives its value."""
    children: list[TracedNode] = field(default_factory=list)
    """The children that the search has left, in its order."""
    probabilities: Mapping[Any, float] = field(default_factory=dict)
    """By action, in a node whose value is a mean; impossible actions may be left out."""
    recalled: Bound | None = None
    """The bound in the transposition table's entry, if it ended the visit."""

    @property
    def is_complete(self) -> bool:
        """Whether all reachable children were visited."""
        possible = self.probabilities or self.node.actions
        return all(action in self.node.visited for action in possible)

    @property
    def exact_mean(self) -> float | None:
        """The mean of all outcomes; None if not all of their values are exact."""
        if not self.is_complete or any(child.bound is not Bound.EXACT for child in self.children):
            return None
        values = [child.value for child in self.children if child.value is not None]
        return expected_value(values, map(self.probabilities.__getitem__, self.node.visited))

    def narrow(self, value: float, at_least: bool, at_most: bool) -> None:
        """Narrow the window by a value that is exact, or a lower or an upper bound."""
        self.window = narrowed(self.window, value, at_least, at_most)


def _ending(visit: Visit) -> ReturnReason:
    if not visit.node.actions:
        return ReturnReason.TERMINAL
    if visit.at_horizon:
        return ReturnReason.DEPTH
    if visit.recalled is not None:
        return ReturnReason.TRANSPOSITION
    return ReturnReason.COMPLETE if visit.is_complete else ReturnReason.CUTOFF


def _bound(visit: Visit, value: float) -> Bound:
    """The relation of `value` to the true one at this depth."""
    if visit.recalled is not None:
        return visit.recalled
    if visit.node.window is None or not visit.children:
        return Bound.EXACT
    if visit.node.player == CHANCE:
        alpha, beta = visit.node.window
        mean = visit.exact_mean
        at_least, at_most = value > alpha or value == mean, value < beta or value == mean
    else:
        at_least, at_most = _certain_sides(visit, value)
    if (at_least or value == -1.0) and (at_most or value == 1.0):
        return Bound.EXACT
    return Bound.LOWER if at_least else Bound.UPPER


def _certain_sides(visit: Visit, value: float) -> tuple[bool, bool]:
    """Whether `value` is a lower and an upper bound of a player's node, by its children's values.

    This is at least as sharp as the search's own window: a minimiser's value of at most alpha is
    exact if all children were visited and their values are exact.
    """
    bounds = {child.bound for child in visit.children}
    best_bounds = {child.bound for child in visit.children if child.value == value}
    if visit.node.player == 1:
        return best_bounds != {Bound.UPPER}, visit.is_complete and Bound.LOWER not in bounds
    return visit.is_complete and Bound.UPPER not in bounds, best_bounds != {Bound.LOWER}
