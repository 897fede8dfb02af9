"""From game records to what ratings are made of: who took how many points from whom."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from submission.evaluating.game_record import GameRecord, Result
from submission.evaluating.judging.pairs import pair_of

Encounters = Mapping[tuple[int, int], NDArray[np.float64]]
"""For two players, by number, what either has of each of their pairs of games: shape (pairs, 2)."""

RATING_POINTS = {
    Result.WIN: 1.0,
    Result.DRAW: 0.5,
    Result.LOSS: 0.0,
    Result.PLAYER_FAILED: 0.0,
    Result.OPPONENT_FAILED: 1.0,
}
"""The player's points for a game; the opponent has the rest of 1. Who fails has lost."""


def encounters_of(names: Sequence[str], records: Iterable[GameRecord]) -> Encounters:
    """The points of each pair of games of these players.

    A game whose partner was not played, after an interrupt, is a pair of its own.
    """
    pairs: dict[tuple[int, int], dict[int, tuple[float, float]]] = defaultdict(dict)
    for record in records:
        own = RATING_POINTS[record.result]
        of_pairing = pairs[names.index(record.player), names.index(record.opponent)]
        before = of_pairing.get(pair_of(record), (0.0, 0.0))
        of_pairing[pair_of(record)] = before[0] + own, before[1] + 1 - own
    return {players: np.array([*points.values()]) for players, points in pairs.items()}


def points_matrix(count: int, encounters: Encounters) -> NDArray[np.float64]:
    """The points that each player took from each other one: shape (count, count)."""
    points = np.zeros((count, count))
    for (player, opponent), pairs in encounters.items():
        points[player, opponent], points[opponent, player] = pairs.sum(axis=0)
    return points
