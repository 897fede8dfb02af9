"""The searches that can be recorded, their options, and the recorder of Monte Carlo tree search."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

from agents.agent import Agent, SearchResult
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.guidance.rollouts import Rollout
from agents.mcts import uct
from agents.mcts_agent import MCTSAgent
from agents.registry import REGISTERED
from agents.trace.recorder import LIMIT, NodeRecorder, OnVisit, Recorder
from agents.trace.trace import ChildStatistics, SearchTrace, Selection, Simulation
from agents.tree import Node, TreeObserver


def recorded(
    agent: Agent, trace: SearchTrace, limit: int = LIMIT, on_visit: OnVisit = lambda: None
) -> Recorder:
    """An agent that searches as `agent` does, and records each search in `trace`.

    It uses the reference search in plain Python, even if `agent` would run compiled code. Each
    search empties the trace. Monte Carlo tree search starts with an empty tree and the random
    numbers of the agent's seed.

    Args:
        agent: an agent in `RECORDED_SEARCHES`.
        trace: the trace to fill.
        limit: the most visits of nodes that the trace holds; a longer search raises ValueError.
        on_visit: called before each visit; an exception ends the search.

    Raises:
        ValueError: the agent cannot be recorded, or its engine is `compiled`.
    """
    names: Mapping[type[Agent], str] = {REGISTERED[name]: name for name in RECORDED_SEARCHES}
    if type(agent) not in names:
        known = ", ".join(RECORDED_SEARCHES)
        raise ValueError(f"{type(agent).__name__} cannot be recorded: choose one of {known}")
    filling = names[type(agent)], trace, limit, on_visit
    if isinstance(agent, AlphaBetaAgent | MCTSAgent):
        if agent.engine == "compiled":
            raise ValueError("compiled code cannot be recorded: choose engine auto or reference")
        agent = replace(agent, engine="reference")
    if isinstance(agent, MCTSAgent):
        return SimulationRecorder(replace(agent, keep_tree=True), *filling)
    return NodeRecorder(agent, *filling)


@dataclass(frozen=True)
class RecordedSearch:
    """The title and the options with which an agent's search is shown."""

    title: str  # the name of the algorithm, in pictures
    tree_options: Mapping[str, Any]
    """The options for a tree, as in textbooks: from left to right, without a table."""
    position_options: Mapping[str, Any]
    """The options for a position, with a search that is small enough to follow."""
    only_compares: bool = False  # whether the search only compares leaves


TEXTBOOK = {"depth": None, "ordering": "natural"}
SIMULATIONS = {"simulations": 50, "seed": 0}
"""Few simulations, which a reader can follow, and the same ones in every run."""
UNAIDED = {
    "time_limit": None,
    "iterative_deepening": False,
    "killer_moves": False,
    "table_size": 0,
}

RECORDED_SEARCHES: Mapping[str, RecordedSearch] = {
    "minimax": RecordedSearch("Minimax", TEXTBOOK, {}, only_compares=True),
    "expectimax": RecordedSearch("Expectimax", TEXTBOOK, {}),
    "alphabeta": RecordedSearch(
        "Alpha-beta", TEXTBOOK | UNAIDED, {"depth": 4, "time_limit": None}, only_compares=True
    ),
    "mcts": RecordedSearch("Monte Carlo tree search", SIMULATIONS, SIMULATIONS),
}
"""The searches that `connectx explain` and the web page show, by the agent's name."""


class SimulationRecorder(Recorder, TreeObserver):
    """Enters each simulation and the growing tree in the trace.

    The trace contains only complete simulations at any time.
    """

    agent: MCTSAgent

    def observed(self, state: Any, time_limit: float | None) -> SearchResult[Any]:
        """Run the agent's search with a new tree, and observe it."""
        self.tree = self.agent.tree = self.agent.reference_tree(self.env, state)
        self.tree.observer = self
        self.tree.rollout = partial(self._roll_out, self.tree.rollout)
        self._describe([self.tree.root])
        return self.agent.search(self.env, state, time_limit)

    def selected(self, path: Sequence[Node[Any, Any]]) -> None:
        """Store the statistics by which the children on the path were selected."""
        self._expands = path[-1].proven is None
        for _ in range(len(path) + self._expands):
            self.count_visit()
        self._rollouts: list[float] = []
        self._selections = [
            Selection(_actions(path[: depth + 1]), self._statistics(node), _action(node, child))
            for depth, (node, child) in enumerate(pairwise(path))
            if node.sign
        ]

    def backed_up(self, path: Sequence[Node[Any, Any]]) -> None:
        """Enter the simulation, with the statistics of its path."""
        self._describe(path)
        actions, proven = _actions(path), path[-1].proven
        results = sum(self._rollouts)
        for depth, node in enumerate(path):
            if node.proven is not None:
                self.trace.proven[actions[:depth]] = node.proven
        simulation = Simulation(
            self._selections,
            actions,
            expanded=self._expands,
            result=results if proven is None else proven * self.tree.rollouts_per_leaf,
            rollouts=self._rollouts,
            backed_up=[
                (actions[:depth], node.visits, node.total) for depth, node in enumerate(path)
            ][::-1],
        )
        self.trace.simulations.append(simulation)

    def _describe(self, path: Sequence[Node[Any, Any]]) -> None:
        """Enter those nodes of a path that are new in the trace."""
        actions = _actions(path)
        for depth, node in enumerate(path):
            if actions[:depth] not in self.trace.players:
                self.trace.players[actions[:depth]] = self.env.current_player(node.state)
                if (board := self.board(node.state)) is not None:
                    self.trace.boards[actions[:depth]] = board

    def _statistics(self, node: Node[Any, Any]) -> dict[Hashable, ChildStatistics]:
        exploration = self.tree.settings.exploration
        return {
            action: ChildStatistics(
                child.visits,
                child.total,
                uct(node.sign * child.total, child.visits, node.visits, exploration),
                child.proven if self.tree.solver else None,
            )
            for action, child in node.children.items()
        }

    def _roll_out(self, rollout: Rollout, env: Any, state: Any, rng: Random) -> float:
        self._rollouts.append(rollout(env, state, rng))
        return self._rollouts[-1]


def _actions(path: Sequence[Node[Any, Any]]) -> tuple[Hashable, ...]:
    return tuple(_action(node, child) for node, child in pairwise(path))


def _action(node: Node[Any, Any], child: Node[Any, Any]) -> Any:
    return next(action for action, other in node.children.items() if other is child)
