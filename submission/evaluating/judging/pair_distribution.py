"""How the points of a pair of games are distributed: as observed, and likeliest for a given mean.

A pair of games from one opening is one observation: its games share what the opening is worth, so
they are not independent. It has five outcomes, which is why chess programmers call this model the
pentanomial one.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import exp

PAIR_POINTS = (0.0, 0.5, 1.0, 1.5, 2.0)
"""What a pair of games can bring; a draw is half a point."""

PAIR_SCORES = tuple(points / 2 for points in PAIR_POINTS)
"""The same as a score in [0, 1]."""

UNSEEN = 1e-3
"""Counted for an outcome that was never observed, for it may still be possible (as in Fishtest)."""

DOWN = 40.0
"""A tilt after which the mean is as good as 0; it is the log of odds between the two ends."""

UP = -DOWN
"""The same for a mean of 1."""

BISECTIONS = 45
"""Enough to find a tilt to within 1e-12."""


def count_pairs(pair_points: Iterable[float]) -> tuple[int, ...]:
    """How many pairs brought 0, 1/2, 1, 3/2 and 2 points.

    Raises:
        ValueError: points that no pair can bring.
    """
    counts = Counter(pair_points)
    for points in counts:
        if points not in PAIR_POINTS:
            raise ValueError(f"{points} points cannot come from a pair of games")
    return tuple(counts[points] for points in PAIR_POINTS)


@dataclass(frozen=True, slots=True)
class PairDistribution:
    """The probabilities of `PAIR_SCORES`, all above 0."""

    probabilities: tuple[float, ...]

    @classmethod
    def observed(cls, pair_counts: Sequence[int]) -> "PairDistribution":
        """The relative frequencies.

        Args:
            pair_counts: as `count_pairs` gives them.
        """
        return cls.proportional_to([count or UNSEEN for count in pair_counts])

    @classmethod
    def proportional_to(cls, weights: Sequence[float]) -> "PairDistribution":
        """The probabilities that have these proportions."""
        total = sum(weights)
        return cls(tuple(weight / total for weight in weights))

    @property
    def mean(self) -> float:
        """The expected score, in (0, 1)."""
        return sum(p * score for p, score in zip(self.probabilities, PAIR_SCORES, strict=True))

    @property
    def variance(self) -> float:
        """The variance of one pair's score."""
        mean = self.mean
        return sum(
            p * (score - mean) ** 2
            for p, score in zip(self.probabilities, PAIR_SCORES, strict=True)
        )

    def tilted(self, tilt: float) -> "PairDistribution":
        """The likeliest distribution with some other mean, the lower the larger `tilt` is.

        Of all distributions with the same mean it gives the observations the greatest likelihood:
        p / (1 + x (score - mean)) does so for some x (A. B. Owen, "Empirical likelihood", 2001;
        M. Van den Bergh's MLE_multinomial.pdf for Fishtest, proposition 1.1), and with
        e^tilt = 1 + x / (1 - x mean) that is p / (1 - score + e^tilt score), up to a factor.
        """
        odds = exp(tilt)
        return self.proportional_to(
            [
                p / (1 - score + odds * score)
                for p, score in zip(self.probabilities, PAIR_SCORES, strict=True)
            ]
        )

    def with_mean(self, mean: float) -> "PairDistribution":
        """The likeliest distribution with this mean.

        Args:
            mean: inside (0, 1).
        """
        if mean < self.mean:
            return self.farthest(DOWN, lambda tilted: tilted.mean > mean)
        return self.farthest(UP, lambda tilted: tilted.mean < mean)

    def farthest(
        self, tilt: float, holds: Callable[["PairDistribution"], bool]
    ) -> "PairDistribution":
        """The last distribution on the way from this one to that of `tilt` that meets a condition.

        Args:
            tilt: `DOWN` or `UP`.
            holds: the condition; this distribution meets it, and none after one that does not.
        """
        good, bad = 0.0, tilt
        for _ in range(BISECTIONS):
            middle = (good + bad) / 2
            if holds(self.tilted(middle)):
                good = middle
            else:
                bad = middle
        return self.tilted(good)
