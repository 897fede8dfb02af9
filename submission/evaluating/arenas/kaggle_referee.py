"""Holds games on Kaggle's own environment, which takes the moves of seats."""

from typing import Any

from submission.evaluating.arenas.kaggle_games import kaggle_game
from submission.evaluating.arenas.played_game import PlayedGame, overtime
from submission.evaluating.arenas.seats import Failure, Move, Seat
from submission.evaluating.game_record import GameConfiguration
from submission.kaggle import ONE_AT_A_TIME, kaggle_environments
from submission.sandbox.move import misplaced

NOT_AN_ACTION = "not an action"
"""What Kaggle finds INVALID as an action."""


def hold_on_kaggle(
    seats: tuple[Seat, Seat], opening: tuple[int, ...], configuration: GameConfiguration
) -> PlayedGame:
    """Ask the seats in turn until Kaggle's environment says that the game is over.

    What `env.run` does, with the players' own clocks. Only its limit on a whole game, 1200 s, is
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
        _step(env, _action(move, failure), {"duration": move.seconds})
        if env.state[mover].reward is None:
            failure = failure or misplaced(move.column, env.configuration.columns)
        elif move.column is not None:
            columns.append(move.column)
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
    """What the seat whose turn it is sees: what both share, and what is its own."""
    shared, own = env.state[0].observation, env.state[mover].observation
    return {**shared, **own, "board": list(shared["board"]), "step": shared["step"]}


def _action(move: Move, failure: Failure | None) -> object:
    """What Kaggle's environment takes for a move or a failure."""
    if failure is None:
        return move.column
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
