"""Ratings: how strong each player of a tournament is, in Elo, and how certain that is."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log

import numpy as np
from numpy.typing import NDArray

from agents.reporting.stats import Estimate
from submission.arena.game_record import GameRecord

Encounters = Mapping[tuple[int, int], NDArray[np.float64]]
"""By two players' numbers, the smaller first: both players' points in each of their pairs of games,
shape (pairs, 2)."""

REPLICAS = 1000  # resampled tournaments from which the intervals are taken

LIMITS = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of players by number, in Elo points."""

    anchor: int  # the player whose rating is 0
    elo: tuple[Estimate, ...]  # with 95 % intervals; a limit that the games leave open is infinite
    superiority: NDArray[np.float64]
    """Probability that a player is stronger than another: shape (players, players)."""


def rate(count: int, encounters: Encounters, *, anchor: int | None, seed: int) -> Ratings:
    """The Elo ratings of a tournament by the Bradley-Terry model.

    Each player has a virtual win and a virtual loss, spread evenly over its opponents, so that
    ratings are finite even if a player won all games. The interval of a player who took no points
    from the anchor, not even through a chain of games, is open on that side.

    The intervals are those of the Bayesian bootstrap (D. B. Rubin, Annals of Statistics 9 (1981),
    130-134): in each of many replicas of the tournament every pair of games, one opening from both
    seats, has a random weight of mean 1. The virtual games are weighted, too; otherwise a few games
    would seem too certain. In simulated tournaments of eight players the intervals contained the
    true rating in 90 to 96 of 100 cases with 20 to 50 games between any two, in 86 with 10, and in
    61 to 67 with 2; with few games, the virtual games pull distant ratings together.

    Args:
        count: the number of players, at least two; they are numbered from 0.
        encounters: the points of each pair of games.
        anchor: the player whose rating is 0; None takes the one in the middle of the ladder.
        seed: the seed of the bootstrap's random numbers.
    """
    points = points_matrix(count, encounters)
    took = took_points(points)
    # In virtual games, each player takes one point from all others together.
    unplayed = np.where(np.eye(count, dtype=bool), 0.0, 1 / (count - 1))
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


def _replicas(
    encounters: Encounters, unplayed: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """The ratings in each replica of the tournament: shape (REPLICAS, players)."""
    count = len(unplayed)
    points = np.zeros((REPLICAS, count, count))
    for first in range(count):
        for second in range(first):
            pairs = encounters.get((second, first), np.empty((0, 2)))[:, ::-1]
            share = unplayed[first, second]
            units = np.vstack([pairs, [[1, 0], [0, 1]]])
            weights = rng.gamma([1.0] * len(pairs) + [share] * 2, size=(REPLICAS, len(units)))
            sums = np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
            weights *= (len(pairs) + 2 * share) / sums  # tiny shares are drawn as 0
            points[:, first, second], points[:, second, first] = (weights @ units).T
    return elo_ratings(points)


ELO = 400 / log(10)  # Elo points in one unit of the model's natural scale

LEAST = 1e-4
"""Points of every player against every other, which keep the computation numerically stable."""
PRECISION = 1e-6
"""The last step of Newton's method, on the natural scale; the error left is about its square."""


def elo_ratings(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The likeliest ratings of one tournament or of many, with a mean of 0: shape (..., players).

    A player with d more Elo than its opponent has 1 / (1 + 10^(-d / 400)) points a game (R. A.
    Bradley and M. E. Terry, Biometrika 39 (1952), 324-345); a draw counts as half a game won and
    half a game lost. Newton's method finds the ratings, changing no difference by more than 1 on
    the natural scale in a step: the parabola is so close there that the likelihood always rises.

    Args:
        points: what each player took from each other one, shape (..., players, players). Each must
            have taken points from each other, at least through a chain of games (`took_points`);
            otherwise there are no likeliest ratings.
    """
    points = np.maximum(points, LEAST)
    games = points + points.swapaxes(-1, -2)
    ratings = np.zeros(points.shape[:-1])
    longest = inf
    while longest > PRECISION:
        expected = 1 / (1 + np.exp(ratings[..., np.newaxis, :] - ratings[..., np.newaxis]))
        surplus = (points - games * expected).sum(axis=-1, keepdims=True)
        curvature = games * expected * expected.swapaxes(-1, -2)
        hessian = np.eye(points.shape[-1]) * curvature.sum(axis=-1, keepdims=True) - curvature
        step = np.linalg.solve(hessian + 1, surplus)[..., 0]  # + 1 keeps the mean
        length = np.ptp(step, axis=-1, keepdims=True)
        ratings += step / np.maximum(length, 1)
        longest = length.max()
    return ratings * ELO


def took_points(points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each player took points from each other one, directly or through a chain of games.

    The likeliest difference of two ratings is finite exactly if both did (L. R. Ford,
    American Mathematical Monthly 64 (1957), 28-33).
    """
    chain = (points > 0) | np.eye(len(points), dtype=bool)
    for _ in range(len(points).bit_length()):
        chain = chain @ chain
    return chain


def points_matrix(count: int, encounters: Encounters) -> NDArray[np.float64]:
    """The points that each player took from each other one: shape (count, count)."""
    points = np.zeros((count, count))
    for (player, opponent), pairs in encounters.items():
        points[player, opponent], points[opponent, player] = pairs.sum(axis=0)
    return points


def encounters_of(names: Sequence[str], records: Iterable[GameRecord]) -> Encounters:
    """The points of each pair of games of these players.

    If both players fail, each has half a point. A game whose partner was not played, because of an
    interruption, is a pair of its own.
    """
    found: dict[tuple[int, int], dict[object, NDArray[np.float64]]] = defaultdict(dict)
    for record in records:
        own = 0.5 if len(record.failures) == 2 else record.result.points
        points = {names.index(record.player): own, names.index(record.opponent): 1 - own}
        first, second = sorted(points)
        pair = found[first, second].setdefault((record.pairing, record.pair), np.zeros(2))
        pair += points[first], points[second]
    return {players: np.array([*pairs.values()]) for players, pairs in found.items()}
