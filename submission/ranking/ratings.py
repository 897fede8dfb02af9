"""How strong each player of a tournament is, and how sure that is."""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from agents.stats import Estimate
from submission.ranking.bradley_terry import elo_ratings, took_points
from submission.ranking.encounters import Encounters, points_matrix

REPLICAS = 1000
"""How many tournaments the intervals are taken from."""

LIMITS = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of players by number, in Elo points."""

    anchor: int
    """The player whose rating is 0."""
    elo: tuple[Estimate, ...]
    """With 95 % intervals; infinite limits are those that the games do not set."""
    superiority: NDArray[np.float64]
    """How probable it is that a player is stronger than another: shape (players, players)."""


def rate(count: int, encounters: Encounters, *, anchor: int | None, seed: int) -> Ratings:
    """The Elo ratings of a tournament by the Bradley-Terry model.

    Each player counts two games that were not played, one won and one lost, spread evenly over its
    opponents: the ratings are the likeliest ones with these, and so are finite also where somebody
    won all games. The intervals of players who have no points of the anchor, nor of others who
    have, are open on that side.

    The intervals are those of the Bayesian bootstrap (D. B. Rubin, Annals of Statistics 9 (1981),
    130-134): in each of many replicas of the tournament every pair of games, one opening from both
    seats, has a random weight of mean 1. So have the games that were not played, without which
    few games would look too certain. In simulated tournaments with 20 to 50 games of each two the
    intervals held the true rating in 90 to 96 of 100 cases, with 10 in 86 and with 2 in 61 to 67
    (eight players); and with few games those that were not played draw far ratings together.

    Args:
        count: how many players there are, at least two; they are numbered from 0.
        encounters: the points of each pair of games.
        anchor: whose rating is 0; None takes the player in the middle of the ladder.
        seed: of the bootstrap's random numbers.
    """
    points = points_matrix(count, encounters)
    took = took_points(points)
    unplayed = _unplayed(count)
    ratings = elo_ratings(points + unplayed)
    if anchor is None:
        anchor = int(np.argsort(-ratings, kind="stable")[count // 2])
    replicas = _replicas(encounters, unplayed, np.random.default_rng(seed))
    low, high = np.quantile(replicas - replicas[:, [anchor]], LIMITS, axis=0)
    value = ratings - ratings[anchor]
    return Ratings(
        anchor=anchor,
        elo=tuple(
            Estimate(
                float(value[player]),
                float(min(low[player], value[player])) if took[player, anchor] else -inf,
                float(max(high[player], value[player])) if took[anchor, player] else inf,
            )
            for player in range(count)
        ),
        superiority=(replicas[:, :, np.newaxis] > replicas[:, np.newaxis, :]).mean(axis=0),
    )


def _unplayed(count: int) -> NDArray[np.float64]:
    """Points from the games that were not played: one for each player, of all others together."""
    return np.where(np.eye(count, dtype=bool), 0.0, 1 / (count - 1))


def _replicas(
    encounters: Encounters, unplayed: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """The ratings in each replica of the tournament: shape (REPLICAS, players)."""
    count = len(unplayed)
    points = np.zeros((REPLICAS, count, count))
    for first in range(count):
        for second in range(first):
            pairs = _pairs_of(encounters, first, second)
            share = unplayed[first, second]
            units = np.vstack([pairs, [[1, 0], [0, 1]]])
            weights = rng.gamma([1.0] * len(pairs) + [share] * 2, size=(REPLICAS, len(units)))
            sums = np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
            weights *= (len(pairs) + 2 * share) / sums  # tiny shares are drawn as 0
            points[:, first, second], points[:, second, first] = (weights @ units).T
    return np.array([elo_ratings(replica) for replica in points])


def _pairs_of(encounters: Encounters, first: int, second: int) -> NDArray[np.float64]:
    """The points of both in each of their pairs of games."""
    if (first, second) in encounters:
        return encounters[first, second]
    if (second, first) in encounters:
        return encounters[second, first][:, ::-1]
    return np.empty((0, 2))
