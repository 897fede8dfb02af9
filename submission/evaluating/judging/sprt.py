"""The sequential probability ratio test: enough games to decide, and no more.

It weighs two hypotheses about the Elo difference of a pairing against each other after every pair
of games, and ends as soon as one of them is credible enough (A. Wald, "Sequential Analysis", 1947).
The likelihood of each is that of the likeliest distribution of pairs that it allows, as in the
generalised test of X. Li, J. Liu and Z. Ying and in the frameworks that test chess engines; see
M. Van den Bergh, "A practical introduction to the GSPRT".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log

from agents.stats import PairDistribution, expected_score

LARGEST_ELO = 1000.0
"""A score of 99.7 %: telling larger differences apart takes no test."""

ERROR_RATE = 0.05
"""What is usual."""


class Verdict(StrEnum):
    """Which hypothesis a test has accepted."""

    ACCEPTED_ELO0 = "elo0 accepted"
    """The player is rather stronger by `elo0`, or less, than by `elo1`."""
    ACCEPTED_ELO1 = "elo1 accepted"
    """The player is rather stronger by `elo1`, or more, than by `elo0`."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test between two Elo differences of the player to its opponent.

    The defaults ask whether a change helps. They take about 250 games where one of the hypotheses
    is true and 430 half-way between them, where either may be accepted (a tenth of the games
    drawn; the longest twentieth take three times as many). Hypotheses that are twice as far apart
    take a quarter. A score at which a test has ended exaggerates, and its interval covers about
    90 % instead of 95 %.

    Raises:
        ValueError: hypotheses that are not in order or too large, or an error rate outside
            (0, 0.5).
    """

    elo0: float = 0.0
    """Logistic Elo, as `elo_difference` has it."""
    elo1: float = 50.0
    alpha: float = ERROR_RATE
    """About how often, at most, `elo1` is accepted where the difference is `elo0`."""
    beta: float = ERROR_RATE
    """About how often, at most, `elo0` is accepted where the difference is `elo1`."""

    def __post_init__(self) -> None:
        if not -LARGEST_ELO <= self.elo0 < self.elo1 <= LARGEST_ELO:
            raise ValueError(
                "the test's Elo differences must be in ascending order and between "
                f"{-LARGEST_ELO:g} and {LARGEST_ELO:g}, not {self.elo0:g} and {self.elo1:g}"
            )
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise ValueError(f"{name} must lie between 0 and 0.5, not at {rate:g}")

    def __str__(self) -> str:
        return f"{self.elo0:g},{self.elo1:g} with alpha {self.alpha:g} and beta {self.beta:g}"

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which `elo0` is accepted: Wald's bound."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which `elo1` is accepted: Wald's bound."""
        return log((1 - self.beta) / self.alpha)

    def log_likelihood_ratio(self, pair_counts: Sequence[int]) -> float:
        """How much likelier `elo1` makes what was observed than `elo0` does, as a natural log.

        Args:
            pair_counts: how many pairs of games brought 0, 1/2, 1, 3/2 and 2 points.
        """
        observed = PairDistribution.observed(pair_counts)
        under_elo0 = observed.with_mean(expected_score(self.elo0))
        under_elo1 = observed.with_mean(expected_score(self.elo1))
        return sum(pair_counts) * sum(
            p * log(p1 / p0)
            for p, p0, p1 in zip(
                observed.probabilities,
                under_elo0.probabilities,
                under_elo1.probabilities,
                strict=True,
            )
        )

    def verdict(self, log_likelihood_ratio: float) -> Verdict | None:
        """The hypothesis to accept at this ratio; None where more games are needed."""
        if log_likelihood_ratio >= self.upper:
            return Verdict.ACCEPTED_ELO1
        return Verdict.ACCEPTED_ELO0 if log_likelihood_ratio <= self.lower else None


def parse_sprt(text: str) -> Sprt:
    """The test between two Elo differences, named as in `0,50`, with the usual error rates.

    Raises:
        ValueError: not two numbers, or such as `Sprt` refuses.
    """
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        raise ValueError(
            f"a sequential test takes two Elo differences, as in 0,50, not {text!r}"
        ) from None
    return Sprt(elo0, elo1)
