"""Holds games on OpenSpiel's environments of kaggle-environments.

Before the first move such an environment asks both seats once with an observation that shows no
board; the answers count for nothing, but their time does, and so does an exception.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

from submission.arena.game_record import GameConfiguration
from submission.arena.own_referee import PlayedGame, overtime
from submission.arena.seats import Failure, Move, Seat
from submission.kaggle import (
    ONE_AT_A_TIME,
    OPEN_SPIEL_BANK,
    environment_of,
    kaggle_environments,
)
from submission.sandbox.move import misplaced

Ask = Callable[[int, dict[str, Any], dict[str, Any]], Move]
"""Asks the seat at a place, 0 or 1, with an observation and a configuration."""


def hold_on_open_spiel(
    seats: tuple[Seat, Seat], opening: tuple[int, ...], configuration: GameConfiguration
) -> PlayedGame:
    """Ask the seats in turn until the environment says that the game is over.

    As `env.run`, but with the players' own clocks, and without its limit on a whole game.

    Args:
        seats: seat 1 and seat 2.
        opening: the first actions, which leave the game unfinished.
        configuration: board, clock and referee.

    Raises:
        ModuleNotFoundError: kaggle_environments or OpenSpiel is not installed.
    """
    game = OpenSpielGame(configuration)
    failure = told_together(game.set_up(lambda place, *request: seats[place].act(*request)))
    for action in opening if failure is None else ():
        game.drop(action)
    while failure is None and not game.over:
        move = seats[game.mover].act(game.observation(), game.configuration())
        failure = game.carry_out(move)
    return game.ended(failure)


Failures = tuple[Failure | None, Failure | None]
"""Of seat 1 and seat 2; None for one that has not failed."""


def told_together(failures: Failures) -> Failure | None:
    """The failure before a game; where both seats fail, that of seat 1, whose cause names both."""
    first, second = failures
    if first is None or second is None:
        return first or second
    cause = f"both failed before the first move; seat 1: {first.cause}; seat 2: {second.cause}"
    return first._replace(cause=cause, stderr=(*first.stderr, *second.stderr))


class OpenSpielGame:
    """A game in progress on an environment of its own; pairs are in the order of the seats.

    Args:
        configuration: board, clock and referee.
        bank: seconds by which the moves of a seat may exceed their limits.

    Raises:
        ModuleNotFoundError: kaggle_environments or OpenSpiel is not installed.
    """

    def __init__(self, configuration: GameConfiguration, bank: float = OPEN_SPIEL_BANK) -> None:
        self.env = _new_environment(configuration)
        """As kaggle_environments makes it."""
        for state in self.env.state:
            state.observation.remainingOverageTime = bank
        self._actions: list[int] = []
        self._durations: tuple[list[float], list[float]] = ([], [])
        self._setting_up = [0.0, 0.0]
        self._mover = 0

    @property
    def mover(self) -> int:
        """The place of the seat whose turn it is: 0 or 1."""
        return 0 if self.env.state[0].status == "ACTIVE" else 1

    @property
    def over(self) -> bool:
        """Whether the environment has ended the game."""
        return bool(self.env.done)

    def legal_columns(self) -> Sequence[int]:
        """The legal actions."""
        return list(self.env.state[self.mover].observation.legalActions)

    def observation(self) -> dict[str, Any]:
        """The view of the seat whose turn it is; a copy, which it may change."""
        return self._observation(self.mover)

    def configuration(self) -> dict[str, Any]:
        """The rules as players are told them; a copy, which they may change."""
        return deepcopy({**self.env.configuration})

    def set_up(self, ask: Ask) -> Failures:
        """Have both seats asked once before the game."""
        first, second = self._set_up_seat(0, ask), self._set_up_seat(1, ask)
        actions = [NO_ACTION if each is None else _failing_action(each) for each in (first, second)]
        self._mover = 0 if first is not None else 1
        self._step(actions, self._setting_up)
        return first, second

    def _set_up_seat(self, place: int, ask: Ask) -> Failure | None:
        self._mover = place
        move = ask(place, self._observation(place), self.configuration())
        self._setting_up[place] = move.seconds
        failure = self._judged(move)
        if failure is None:
            return None
        self._durations[place].append(move.seconds)
        # No answer is illegal here: an environment that is given one would play on.
        return failure._replace(status=failure.status.replace("INVALID", "ERROR"))

    def carry_out(self, move: Move) -> Failure | None:
        """Have the environment take a move, or say why the game is over by it."""
        mover = self._mover = self.mover
        waited, self._setting_up[mover] = self._setting_up[mover], 0.0
        self._durations[mover].append(round(waited + move.seconds, 6))
        failure = self._judged(move)
        self._act(
            {"submission": move.column} if failure is None else _failing_action(failure),
            move.seconds,
        )
        if failure is not None:
            return failure
        if self.env.state[mover].info["actionApplied"] is None:
            return misplaced(move.column, self.env.configuration)
        self._actions.append(int(move.column or 0))
        return None

    def drop(self, action: int) -> None:
        """Play an action of the seat whose turn it is, which takes no time.

        Raises:
            ValueError: it is illegal.
        """
        if action not in self.legal_columns():
            raise ValueError(f"illegal action {action}; legal: {self.legal_columns()}")
        self._act({"submission": action}, 0.0)
        self._actions.append(action)

    def ended(self, failure: Failure | None) -> PlayedGame:
        """The whole game. After an illegal move the environment says DONE; here it is INVALID."""
        first, second = self.env.state
        statuses = [first.status, second.status]
        if failure is not None:
            statuses[self._mover] = failure.status
        rewards = [None if seat.reward is None else int(seat.reward) for seat in (first, second)]
        return PlayedGame(
            columns=self._actions,
            durations=self._durations,
            statuses=(statuses[0], statuses[1]),
            rewards=(rewards[0], rewards[1]),
            failure=failure,
        )

    def _observation(self, place: int) -> dict[str, Any]:
        own, shared = self.env.state[place].observation, self.env.state[0].observation
        return deepcopy({**own, "step": shared.step})

    def _judged(self, move: Move) -> Failure | None:
        """The failure that a move is whatever the board: it took too long, or there is none."""
        bank = self.env.state[self._mover].observation.remainingOverageTime
        return overtime(move, self.env.configuration.actTimeout, bank) or move.failure

    def _act(self, action: object, seconds: float) -> None:
        """Have the seat whose turn it is act, and the other wait."""
        actions: list[object] = [None, None]
        durations = [0.0, 0.0]
        actions[self.mover], durations[self.mover] = action, seconds
        self._step(actions, durations)

    def _step(self, actions: list[object], seconds: Sequence[float]) -> None:
        with ONE_AT_A_TIME:
            self.env.step(actions, [{"duration": each} for each in seconds])


NO_ACTION = {"submission": -1}
"""Illegal in every game."""


def _failing_action(failure: Failure) -> object:
    """Translate a failure for the environment."""
    if failure.status == "INVALID":
        return NO_ACTION
    if failure.status == "TIMEOUT":
        return kaggle_environments().errors.DeadlineExceeded()
    return RuntimeError(failure.cause)


def _new_environment(configuration: GameConfiguration) -> Any:
    """A new environment for each game, for a used one keeps its position."""
    environment_of(configuration.referee)
    with ONE_AT_A_TIME:
        return kaggle_environments().make(configuration.referee.value, configuration.for_kaggle())
