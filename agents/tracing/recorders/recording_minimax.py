"""Minimax that tells a recorder where it goes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.clock import Clock
from agents.lines import Found, Line
from agents.minimax import Minimax, MinimaxAgent
from agents.tracing.recorders.node_recorder import NodeRecorder
from envs.protocol import Action, Env, State


@dataclass
class RecordingMinimaxAgent(MinimaxAgent):
    """A minimax agent whose searches tell a recorder where they go."""

    recorder: NodeRecorder = field(kw_only=True)

    def _tree(self, env: Env[State, Action], clock: Clock) -> Minimax[State, Action]:
        tree = super()._tree(env, clock)
        return RecordingMinimax(self.recorder, tree.env, tree.heuristic, tree.clock)


class RecordingMinimax(Minimax[State, Action]):
    """Minimax, recorded.

    Args:
        recorder: what to tell.
        *rules: what the search itself is made of.
    """

    def __init__(self, recorder: NodeRecorder, *rules: Any) -> None:
        super().__init__(*rules)
        self.recorder = recorder

    def search_root(
        self, state: State, actions: Iterable[Action], depth: float, found: Found[Action]
    ) -> None:
        """As the search does, with the visit of the root recorded."""
        self.recorder.enter_root(state)
        super().search_root(state, actions, depth, found)

    def action_value(self, state: State, action: Action, depth: float) -> tuple[float, Line]:
        """As the search does, with the visit of the child recorded."""
        self.recorder.enter(action, depth)
        value, line = super().action_value(state, action, depth)
        self.recorder.leave(value)
        return value, line

    def mean_value(
        self, state: State, probabilities: Mapping[Action, float], depth: float
    ) -> float:
        """As the search does, with the probabilities recorded."""
        self.recorder.weigh(probabilities)
        return super().mean_value(state, probabilities, depth)
