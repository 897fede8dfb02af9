"""Elo ratings of the Bradley-Terry model."""

from math import log

import numpy as np
from numpy.typing import NDArray

ELO = 400 / log(10)
"""Elo points in one unit of the model's natural scale."""

LEAST = 1e-4
"""Points that everyone has against everyone, which keep the computation within floating point."""


def elo_ratings(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The likeliest ratings, with a mean of 0: shape (players,).

    A player with d more Elo than its opponent has 1 / (1 + 10^(-d / 400)) points a game (R. A.
    Bradley and M. E. Terry, Biometrika 39 (1952), 324-345); a draw counts as half a game won and
    half a game lost. choix finds them by iterative Luce spectral ranking.

    Args:
        points: what each player took from each other one, shape (players, players), such that
            everyone has points of everyone by some chain of games, as `took_points` tells; else
            no ratings are the likeliest.
    """
    import choix

    ratings = choix.ilsr_pairwise_dense(np.maximum(points, LEAST)) * ELO
    centred: NDArray[np.float64] = ratings - ratings.mean()
    return centred


def took_points(points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether a player has points of another one, or of one who has, and so on.

    The likeliest difference of two ratings is finite exactly where it is so both ways (L. R. Ford,
    American Mathematical Monthly 64 (1957), 28-33).
    """
    chain = (points > 0) | np.eye(len(points), dtype=bool)
    for _ in range(len(points).bit_length()):
        chain = chain @ chain
    return chain
