"""How sure a score is: Wilson's interval, and the Elo difference that a score stands for."""

from dataclasses import dataclass
from math import inf, log10, sqrt
from statistics import NormalDist

Z_95 = NormalDist().inv_cdf(0.975)
"""Standard deviations on either side of the mean that hold 95 % of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and the limits of its 95 % interval, low <= value <= high."""

    value: float
    low: float
    high: float


def score_estimate(points: float, games: int) -> Estimate:
    """The share of the points, in [0, 1], with Wilson's score interval.

    The interval is that of E. B. Wilson, "Probable inference, the law of succession, and
    statistical inference", JASA 22 (1927), for a proportion: it stays inside [0, 1] and keeps a
    width at 0 % and 100 %. A draw is half a point; draws vary less than the wins and losses that
    the formula assumes, so with draws the interval is rather too wide than too narrow.

    Args:
        points: wins plus half the draws, from 0 to `games`.
        games: how many games were counted, at least 1.

    Raises:
        ValueError: no games, or points that so many games cannot give.
    """
    if games < 1 or not 0 <= points <= games:
        raise ValueError(f"{points} points cannot come from {games} games")
    share = points / games
    return Estimate(share, _wilson_low(share, games), 1 - _wilson_low(1 - share, games))


def elo_difference(score: float) -> float:
    """The rating difference at which `score` is the expected one: 400 log10(s / (1 - s)).

    The inverse of Elo's logistic expectation, 1 / (1 + 10^(-d / 400)) (A. E. Elo, "The Rating of
    Chessplayers, Past and Present", 1978).

    Args:
        score: in [0, 1].

    Returns:
        Elo points, positive for a score above 1/2; -inf for 0 and +inf for 1.

    Raises:
        ValueError: the score is outside [0, 1].
    """
    if not 0 <= score <= 1:
        raise ValueError(f"a score lies between 0 and 1, not at {score}")
    if score == 0:
        return -inf
    if score == 1:
        return inf
    return 400 * log10(score / (1 - score))


def elo_estimate(score: Estimate) -> Estimate:
    """The Elo difference of a score, with the score's interval carried over limit by limit."""
    return Estimate(
        elo_difference(score.value), elo_difference(score.low), elo_difference(score.high)
    )


def _wilson_low(share: float, games: int) -> float:
    """The smaller root x of (share - x)^2 = z^2 x (1 - x) / games.

    It is had from the product of the roots, which makes it exactly 0 for a share of 0.
    """
    spread = Z_95**2 / games
    root = sqrt(spread * (share * (1 - share) + spread / 4))
    high = (share + spread / 2 + root) / (1 + spread)
    return share**2 / ((1 + spread) * high)
