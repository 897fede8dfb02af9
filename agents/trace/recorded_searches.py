"""Minimax, alpha-beta and expectimax that tell a recorder where they go."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.alpha_beta import AlphaBeta
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.expectimax import Expectimax, ExpectimaxAgent
from agents.minimax import Minimax, MinimaxAgent
from agents.search import Clock, Found, Line, possible_outcomes
from agents.trace.recorder import NodeRecorder
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


@dataclass
class RecordingAlphaBetaAgent(AlphaBetaAgent):
    """An alpha-beta agent whose searches, by the reference, tell a recorder where they go."""

    recorder: NodeRecorder = field(kw_only=True)

    def _tree(self, env: Any, clock: Clock, compiled: bool) -> AlphaBeta[Any, Any]:
        tree = super()._tree(env, clock, compiled)
        return RecordingAlphaBeta(
            self.recorder,
            tree.env,
            tree.heuristic,
            tree.ordering,
            tree.clock,
            tree.table,
            self.killer_moves,
        )


class RecordingAlphaBeta(AlphaBeta[State, Action]):
    """Alpha-beta, recorded.

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
        self.recorder.enter_root(state, (-1.0, 1.0))
        super().search_root(state, actions, depth, found)

    def action_value(
        self, state: State, action: Action, depth: float, ply: int, alpha: float, beta: float
    ) -> tuple[float, Line]:
        """As the search does, with the visit of the child recorded."""
        self.recorder.enter(action, depth, (alpha, beta))
        value, line = super().action_value(state, action, depth, ply, alpha, beta)
        self.recorder.leave(value)
        return value, line

    def state_value(
        self,
        state: State,
        actions: Sequence[Action],
        depth: float,
        ply: int,
        alpha: float,
        beta: float,
    ) -> tuple[float, Line]:
        """As the search does, with what comes from the transposition table recorded as such."""
        value, line = super().state_value(state, actions, depth, ply, alpha, beta)
        if self.recorder.has_visited_no_child():
            self.recorder.recall(value, self.table[state].bound)
        return value, line

    def chance_value(
        self, state: State, depth: float, ply: int, alpha: float, beta: float
    ) -> float:
        """As the search does, with the probabilities recorded."""
        self.recorder.weigh(possible_outcomes(self.env, state))
        return super().chance_value(state, depth, ply, alpha, beta)


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
