"""Referees games with the environments of kaggle-environments: ConnectX, and OpenSpiel's.

The games are those of `env.run`, but timed by the players' own clocks, and without the limit of
1200 s for a whole game: the move limits end a game sooner, unless the caller has raised them.

Before the first move OpenSpiel's environments ask both seats once, with an observation that shows
no board. The answers are ignored, but their time and their exceptions count.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from submission.arena.game_record import GameConfiguration
from submission.arena.own_referee import PlayedGame, overtime, play_out
from submission.arena.seats import Seat
from submission.kaggle import ONE_AT_A_TIME, OPEN_SPIEL_BANK, environment_of, kaggle_environments
from submission.sandbox.move import Failure, Move, misplaced

Ask = Callable[[int, dict[str, Any], dict[str, Any]], Move]
"""Asks the seat at index 0 or 1 for a move, given an observation and a configuration."""

Failures = tuple[Failure | None, Failure | None]
"""The failures of seat 1 and seat 2; None for a seat that has not failed."""


def hold_on_kaggle(
    seats: tuple[Seat, Seat], opening: tuple[int, ...], configuration: GameConfiguration
) -> PlayedGame:
    """Play a game of ConnectX on Kaggle's environment, which must be installed; see `play_out`."""
    with kaggle_game(configuration) as env:
        return play_out(KaggleGame(env), seats, opening)


def hold_on_open_spiel(
    seats: tuple[Seat, Seat], opening: tuple[int, ...], configuration: GameConfiguration
) -> PlayedGame:
    """Play a game on one of OpenSpiel's environments, which must be installed; see `play_out`."""
    game = OpenSpielGame(configuration)
    first, second = game.set_up(lambda place, *request: seats[place].act(*request))
    failure = first or second
    if first is not None and second is not None:
        cause = f"both failed before the first move; seat 1: {first.cause}; seat 2: {second.cause}"
        failure = first._replace(cause=cause, stderr=(*first.stderr, *second.stderr))
    return play_out(game, seats, opening) if failure is None else game.ended(failure)


class KaggleGame:
    """A game in progress on Kaggle's environment; pairs are in seat order."""

    illegal_action: object = "not an action"

    def __init__(self, env: Any) -> None:
        self.env = env
        self.columns: list[int] = []
        self._durations: tuple[list[float], list[float]] = ([], [])
        self._setting_up = [0.0, 0.0]
        self._asked = 0

    @property
    def mover(self) -> int:
        """The index of the seat to move: 0 or 1."""
        return 0 if self.env.state[0].status == "ACTIVE" else 1

    @property
    def over(self) -> bool:
        """Whether the environment has ended the game."""
        return bool(self.env.done)

    def observation(self) -> dict[str, Any]:
        """The observation of the seat to move: a copy, which it may change."""
        shared, own = self.env.state[0].observation, self.env.state[self.mover].observation
        return {**shared, **own, "board": list(shared["board"]), "step": shared["step"]}

    def configuration(self) -> dict[str, Any]:
        """The configuration that players get: a copy, which they may change."""
        return deepcopy({**self.env.configuration})

    def carry_out(self, move: Move) -> Failure | None:
        """Play a move on the environment; return the failure that ends the game, or None."""
        mover = self._asked = self.mover
        waited, self._setting_up[mover] = self._setting_up[mover], 0.0
        self._durations[mover].append(round(waited + move.seconds, 6) if waited else move.seconds)
        failure = self._judged(move)
        action = self._action(move.column) if failure is None else self._failing_action(failure)
        self._act(action, move.seconds)
        if failure is None and not self._has_taken_move_of(mover):
            failure = misplaced(move.column, self.env.configuration)
        if failure is None:
            self.columns.append(int(move.column or 0))
        return failure

    def drop(self, action: int) -> None:
        """Play an action for the seat to move, untimed."""
        self._act(self._action(action), 0.0)
        self.columns.append(action)

    def ended(self, failure: Failure | None) -> PlayedGame:
        """The whole game; an illegal move gives INVALID, where OpenSpiel's give DONE."""
        first, second = self.env.state
        statuses = [first.status, second.status]
        if failure is not None:
            statuses[self._asked] = failure.status
        rewards = [None if seat.reward is None else int(seat.reward) for seat in (first, second)]
        return PlayedGame(
            columns=self.columns,
            durations=self._durations,
            statuses=(statuses[0], statuses[1]),
            rewards=(rewards[0], rewards[1]),
            failure=failure,
        )

    def _action(self, column: int | None) -> object:
        return self.illegal_action if column is None else column

    def _failing_action(self, failure: Failure) -> object:
        if failure.status == "INVALID":
            return self.illegal_action
        if failure.status == "TIMEOUT":
            return kaggle_environments().errors.DeadlineExceeded()
        return RuntimeError(failure.cause)

    def _has_taken_move_of(self, place: int) -> bool:
        return self.env.state[place].reward is not None

    def _judged(self, move: Move) -> Failure | None:
        """The failure of a move that took too long or has no column; None for other moves."""
        bank = self.env.state[self._asked].observation.remainingOverageTime
        return overtime(move, self.env.configuration.actTimeout, bank) or move.failure

    def _act(self, action: object, seconds: float) -> None:
        actions: list[object] = [None, None]
        durations = [0.0, 0.0]
        actions[self.mover], durations[self.mover] = action, seconds
        self._step(actions, durations)

    def _step(self, actions: list[object], seconds: Sequence[float]) -> None:
        with ONE_AT_A_TIME:
            self.env.step(actions, [{"duration": each} for each in seconds])


class OpenSpielGame(KaggleGame):
    """A game in progress on one of OpenSpiel's environments, made for this game."""

    illegal_action: object = {"submission": -1}

    def __init__(self, configuration: GameConfiguration, bank: float = OPEN_SPIEL_BANK) -> None:
        environment_of(configuration.referee)
        with ONE_AT_A_TIME:  # a new one for each game, because a used one keeps its position
            super().__init__(
                kaggle_environments().make(configuration.referee.value, configuration.for_kaggle())
            )
        for state in self.env.state:
            state.observation.remainingOverageTime = bank

    def legal_columns(self) -> Sequence[int]:
        """The legal actions."""
        return list(self.env.state[self.mover].observation.legalActions)

    def observation(self) -> dict[str, Any]:
        """The observation of the seat to move: a copy, which it may change."""
        return self._observation(self.mover)

    def set_up(self, ask: Ask) -> Failures:
        """Ask both seats once before the game."""
        first, second = self._set_up_seat(0, ask), self._set_up_seat(1, ask)
        actions = [
            self.illegal_action if failure is None else self._failing_action(failure)
            for failure in (first, second)
        ]
        self._asked = 0 if first is not None else 1
        self._step(actions, self._setting_up)
        return first, second

    def _set_up_seat(self, place: int, ask: Ask) -> Failure | None:
        self._asked = place
        move = ask(place, self._observation(place), self.configuration())
        self._setting_up[place] = move.seconds
        failure = self._judged(move)
        if failure is None:
            return None
        self._durations[place].append(move.seconds)
        # No answer is illegal here, and the environment would play one.
        return failure._replace(status=failure.status.replace("INVALID", "ERROR"))

    def _observation(self, place: int) -> dict[str, Any]:
        own, shared = self.env.state[place].observation, self.env.state[0].observation
        return deepcopy({**own, "step": shared.step})

    def _action(self, column: int | None) -> object:
        return {"submission": column}

    def _has_taken_move_of(self, place: int) -> bool:
        return self.env.state[place].info["actionApplied"] is not None


_idle: defaultdict[GameConfiguration, list[Any]] = defaultdict(list)


@contextmanager
def kaggle_game(configuration: GameConfiguration) -> Iterator[Any]:
    """ConnectX's environment at the start of a game, for exclusive use in the `with` block."""
    with ONE_AT_A_TIME:
        if _idle[configuration]:
            env = _idle[configuration].pop()
            env.logs.clear()
            env.reset()
        else:
            env = kaggle_environments().make("connectx", configuration.for_kaggle())
    yield env
    _idle[configuration].append(env)
