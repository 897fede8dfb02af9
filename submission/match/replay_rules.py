"""Replays recorded games: whatever a record says of its game must follow from the columns."""

from collections.abc import Sequence
from functools import reduce
from math import inf

from envs.board import BoardState
from submission.arena.game_record import GameConfiguration, GameRecord, Result
from submission.arena.own_referee import EPISODE_STEPS
from submission.kaggle import DONE
from submission.match.schedule import seat_in
from submission.sandbox.move import FAILING_STATUSES

Rewards = tuple[int | None, int | None]
"""Of both seats."""


class ReplayRules:
    """The rules that games were played by."""

    def __init__(self, configuration: GameConfiguration) -> None:
        self._env = configuration.env
        self._is_open_spiel = configuration.referee.is_open_spiel

    def require_played(self, record: GameRecord) -> None:
        """Replay a game, and compare the record with it.

        Raises:
            ValueError: the game is impossible; the message says what does not fit.
        """
        state = self._end_of(record.columns)
        failing = [place for place in (0, 1) if record.statuses[place] != DONE]
        expected, seat = self._rewards(state, failing), seat_in(record.game)
        fits = {
            "seat": record.seat == seat,
            "statuses": self._may_end(record, state, failing),
            "opening": record.columns[: len(record.opening)] == record.opening
            or self._failed_before(record, failing),
            "rewards": record.rewards in expected,
            "result": record.result is Result.of(record.statuses, expected[0], seat),
            "durations": all(_has_times(record, place, place in failing) for place in (0, 1)),
            "cause": (record.cause is not None) is bool(failing),
        }
        for name, fit in fits.items():
            if not fit:
                told = getattr(record, name)
                raise ValueError(f"{name} {told!r} does not fit the columns {[*record.columns]}")

    def _end_of(self, columns: Sequence[int]) -> BoardState:
        try:
            return reduce(self._env.get_next_state, columns, self._env.initial_state())
        except ValueError:
            raise ValueError(f"no game has the columns {[*columns]}") from None

    def _may_end(self, record: GameRecord, state: BoardState, failing: Sequence[int]) -> bool:
        """Whether the game can have ended in a position by the failures of these seats."""
        if not all(status in (DONE, *FAILING_STATUSES) for status in record.statuses):
            return False
        is_longest = not self._is_open_spiel and len(record.columns) == EPISODE_STEPS - 1
        if is_longest or not self._env.get_available_actions(state):
            return not failing
        return failing == [state.player - 1] or self._failed_before(record, failing)

    def _failed_before(self, record: GameRecord, failing: Sequence[int]) -> bool:
        """Whether a seat failed before the first move: OpenSpiel's environments ask both then."""
        return self._is_open_spiel and not record.columns and bool(failing)

    def _rewards(self, state: BoardState, failing: Sequence[int]) -> Sequence[Rewards]:
        """The rewards that the referee may have given, the likeliest first."""
        if not failing:
            return [{None: (0, 0), 1: (1, -1), 2: (-1, 1)}[self._env.winner(state)]]
        if len(failing) == 2:
            return [(None, None)]
        told: list[Rewards] = [(None, 1), (-1, 1)] if self._is_open_spiel else [(None, 0)]
        return told if failing == [0] else [(other, failed) for failed, other in told]


def _has_times(record: GameRecord, place: int, failed: bool) -> bool:
    """Whether each move of a seat has a time, a failed one included."""
    begin, seconds = len(record.opening), record.durations[place]
    moves = len(range(begin + (begin + place) % 2, len(record.columns), 2))
    return len(seconds) == moves + failed and all(0 <= each < inf for each in seconds)
