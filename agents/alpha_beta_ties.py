"""Ties among the actions of an alpha-beta search that has proven its value."""

from collections.abc import Sequence
from typing import Generic

from agents.alpha_beta import AlphaBeta
from agents.clock import TimeUp
from agents.tie_break import LOOK_AHEAD, best_against_fallible
from envs.protocol import Action, State


class ProvenTies(Generic[State, Action]):
    """Tells equally good actions of a root apart by what a fallible opponent makes of them.

    Args:
        exact: searches actions as deep as the root's value was proven.
        seen: what the opponent's look-ahead sees; without a table, which might know more.
        state: the root.
        depth: how deep its value was proven, at least 2 plies.
        value: its value, not a win for the player whose turn it is.
    """

    def __init__(
        self,
        exact: AlphaBeta[State, Action],
        seen: AlphaBeta[State, Action],
        state: State,
        depth: float,
        value: float,
    ) -> None:
        self.exact = exact
        self.seen = seen
        self.state = state
        self.depth = depth
        self.value = value
        self.sign = 1 if exact.env.current_player(state) == 1 else -1

    def best(self, known: Action, others: Sequence[Action]) -> Action:
        """The best of the actions that have the root's value.

        Args:
            known: one of them; the answer where the time is up, or none is better.
            others: actions that may have it, too.
        """
        try:
            equals = [known, *(action for action in others if self._is_equal(known, action))]
        except TimeUp:
            return known
        return best_against_fallible(
            self.exact.env, self.state, equals, self._seen_value, self._exact_value
        )

    def _is_equal(self, known: Action, action: Action) -> bool:
        """Whether another action, which is no better than the known one, is no worse either."""
        if action == known:
            return False
        if self.value == -self.sign:
            return True
        window = (-1.0, self.value) if self.sign == 1 else (self.value, 1.0)
        value, _ = self.exact.action_value(self.state, action, self.depth, 0, *window)
        return self.sign * value >= self.sign * self.value

    def _seen_value(self, state: State, action: Action) -> float:
        return self.seen.action_value(state, action, LOOK_AHEAD, 0, -1.0, 1.0)[0]

    def _exact_value(self, state: State, action: Action) -> float:
        return self.exact.action_value(state, action, self.depth - 1, 1, -1.0, 1.0)[0]
