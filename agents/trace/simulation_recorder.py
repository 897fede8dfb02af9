"""The recorder of Monte Carlo tree search."""

from collections.abc import Hashable, Sequence
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

from agents.agent import SearchResult
from agents.guidance.rollouts import Rollout
from agents.mcts import uct
from agents.mcts_agent import MCTSAgent
from agents.trace.recorder import Recorder
from agents.trace.trace import ChildStatistics, Selection, Simulation
from agents.tree import Node, TreeObserver


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
