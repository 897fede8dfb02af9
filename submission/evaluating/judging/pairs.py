"""Games in pairs: one opening, the seats exchanged."""

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter

from submission.evaluating.game_record import GameRecord, Result

POINTS = {
    Result.WIN: 1.0,
    Result.DRAW: 0.5,
    Result.LOSS: 0.0,
    Result.PLAYER_FAILED: 0.0,
    Result.OPPONENT_FAILED: None,
}
"""The player's points for a game; None for one that says nothing about its strength."""


def pair_of(record: GameRecord) -> int:
    """Number of the pair in its pairing, from 0: games 2k and 2k + 1 are pair k."""
    return record.game // 2


def pair_points(first: GameRecord, second: GameRecord) -> float | None:
    """The player's points in a pair, from 0 to 2; None where the opponent failed in either game.

    Such a pair is left out as a whole: with one seat alone, the opening would favour somebody.
    """
    points = POINTS[first.result], POINTS[second.result]
    return None if points[0] is None or points[1] is None else points[0] + points[1]


def points_of_pairs(records: Iterable[GameRecord]) -> list[float]:
    """The points of each pair of a pairing that was played in both seats and counts."""
    in_order = sorted(records, key=attrgetter("game"))
    pairs = (list(games) for _, games in groupby(in_order, key=pair_of))
    found = (pair_points(*games) for games in pairs if len(games) == 2)
    return [points for points in found if points is not None]
