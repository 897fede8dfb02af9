"""Holds games on Kaggle's own environment."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from submission.arena.game_record import GameConfiguration
from submission.arena.own_referee import PlayedGame, overtime
from submission.arena.seats import Failure, Move, Seat
from submission.kaggle import ONE_AT_A_TIME, kaggle_environments
from submission.sandbox.move import misplaced


def hold_on_kaggle(
    seats: tuple[Seat, Seat], opening: tuple[int, ...], configuration: GameConfiguration
) -> PlayedGame:
    """Ask the seats in turn until Kaggle's environment says that the game is over.

    As `env.run`, but with the players' own clocks. Only its limit on a whole game, 1200 s, is
    left out: the limits of the moves end a game before, unless the caller has raised them.

    Args:
        seats: seat 1 and seat 2.
        opening: the first columns, which leave the game unfinished.
        configuration: board and clock.

    Raises:
        ModuleNotFoundError: kaggle_environments is not installed.
    """
    with kaggle_game(configuration) as env:
        return _hold(env, seats, opening)


def _hold(env: Any, seats: tuple[Seat, Seat], opening: tuple[int, ...]) -> PlayedGame:
    columns = list(opening)
    for column in opening:
        _step(env, column, {})
    durations: tuple[list[float], list[float]] = ([], [])
    failure = None
    while not env.done:
        mover = _mover(env)
        observation = _observation(env, mover)
        bank = observation["remainingOverageTime"]
        move = seats[mover].act(observation, dict(env.configuration))
        durations[mover].append(move.seconds)
        failure = overtime(move, env.configuration.actTimeout, bank) or move.failure
        action = _action(move, failure)
        _step(env, action, {"duration": move.seconds})
        if env.state[mover].reward is None:
            failure = failure or misplaced(move.column, env.configuration)
        else:
            columns.append(action)
    return PlayedGame(
        columns=columns,
        durations=durations,
        statuses=(env.state[0].status, env.state[1].status),
        rewards=(env.state[0].reward, env.state[1].reward),
        failure=failure,
    )


def _mover(env: Any) -> int:
    """The place of the seat whose turn it is: 0 or 1."""
    return 0 if env.state[0].status == "ACTIVE" else 1


def _observation(env: Any, mover: int) -> dict[str, Any]:
    """The view of the seat whose turn it is: what both share, and what is its own."""
    shared, own = env.state[0].observation, env.state[mover].observation
    return {**shared, **own, "board": list(shared["board"]), "step": shared["step"]}


NOT_AN_ACTION = "not an action"
"""Kaggle finds it INVALID."""


def _action(move: Move, failure: Failure | None) -> Any:
    """Translate a move or a failure for Kaggle's environment, which plays column 0 for None."""
    if failure is None:
        return NOT_AN_ACTION if move.column is None else move.column
    if failure.status == "INVALID":
        return NOT_AN_ACTION
    if failure.status == "TIMEOUT":
        return kaggle_environments().errors.DeadlineExceeded()
    return RuntimeError(failure.cause)


def _step(env: Any, action: object, log: dict[str, float]) -> None:
    """Have the seat whose turn it is act, and the other wait."""
    mover = _mover(env)
    actions: list[object] = [None, None]
    logs: list[dict[str, float]] = [{}, {}]
    actions[mover], logs[mover] = action, log
    with ONE_AT_A_TIME:
        env.step(actions, logs)


_idle: defaultdict[GameConfiguration, list[Any]] = defaultdict(list)


@contextmanager
def kaggle_game(configuration: GameConfiguration) -> Iterator[Any]:
    """An environment at the beginning of a game, for one user at a time.

    Raises:
        ModuleNotFoundError: kaggle_environments is not installed.
    """
    with ONE_AT_A_TIME:
        env = _beginning(configuration)
    yield env
    _idle[configuration].append(env)


def _beginning(configuration: GameConfiguration) -> Any:
    try:
        env = _idle[configuration].pop()
    except IndexError:
        return kaggle_environments().make("connectx", configuration.for_kaggle())
    env.logs.clear()
    env.reset()
    return env
