"""Expectimax that tells a recorder where it goes."""

from dataclasses import dataclass, field

from agents.clock import Clock
from agents.expectimax import Expectimax, ExpectimaxAgent
from agents.tracing.recorders.node_recorder import NodeRecorder
from agents.tracing.recorders.recording_minimax import RecordingMinimax
from envs.protocol import Action, Env, State


@dataclass
class RecordingExpectimaxAgent(ExpectimaxAgent):
    """An expectimax agent whose searches tell a recorder where they go."""

    recorder: NodeRecorder = field(kw_only=True)

    def _tree(self, env: Env[State, Action], clock: Clock) -> Expectimax[State, Action]:
        tree = super()._tree(env, clock)
        return RecordingExpectimax(
            self.recorder, tree.env, tree.heuristic, tree.clock, tree.opponent
        )


class RecordingExpectimax(RecordingMinimax[State, Action], Expectimax[State, Action]):
    """Expectimax, recorded as minimax is."""
