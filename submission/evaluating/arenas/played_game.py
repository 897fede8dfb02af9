"""What both referees say of a game that has been played."""

from collections.abc import Sequence
from dataclasses import dataclass

from submission.evaluating.arenas.game_specification import GameSpecification
from submission.evaluating.game_record import GameRecord, Result
from submission.sandbox.causes import of_late_move
from submission.sandbox.move import Failure, Move


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """How a game went; pairs are in the order of the seats."""

    columns: Sequence[int]
    """All columns that were carried out, those of the opening too."""
    durations: tuple[Sequence[float], Sequence[float]]
    """Seconds of each move of each seat."""
    statuses: tuple[str, str]
    rewards: tuple[int | None, int | None]
    failure: Failure | None
    """Of the seat without a reward."""


def overtime(move: Move, limit: float, bank: float) -> Failure | None:
    """The failure of a move that took too long; None for one in time.

    Args:
        move: what a seat answered.
        limit: seconds for a move.
        bank: seconds that the seat may still take beyond its limits.
    """
    if move.seconds - limit <= bank:
        return None
    if move.failure is not None and move.failure.status == "TIMEOUT":
        return move.failure
    cause = of_late_move(move.seconds, limit)
    stderr = move.failure.stderr if move.failure else ()
    return Failure("TIMEOUT", cause.text, stderr, cause.mend)


def record_game(specification: GameSpecification, game: PlayedGame) -> GameRecord:
    """The record of a game."""
    player, opponent = specification.pairing.names
    first, second = game.durations
    return GameRecord(
        player=player,
        opponent=opponent,
        game=specification.game,
        seed=specification.seed,
        seat=specification.seat,
        opening=specification.opening,
        columns=tuple(game.columns),
        statuses=game.statuses,
        rewards=game.rewards,
        result=_result(game.rewards, specification.seat),
        durations=(tuple(first), tuple(second)),
        cause=None if game.failure is None else game.failure.cause,
        stderr=() if game.failure is None else game.failure.stderr,
    )


def _result(rewards: tuple[int | None, int | None], seat: int) -> Result:
    """The result from the view of the player on `seat`."""
    own, other = rewards[seat - 1], rewards[2 - seat]
    if own is None:
        return Result.PLAYER_FAILED
    if other is None:
        return Result.OPPONENT_FAILED
    return {1: Result.WIN, 0: Result.DRAW, -1: Result.LOSS}[own]
