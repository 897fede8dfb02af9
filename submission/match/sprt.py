"""The sequential probability ratio test: plays only as many pairs of games as a decision takes.

After every pair of games it compares two hypotheses about the Elo difference of a pairing, and ends
as soon as one of them is credible enough (A. Wald, "Sequential Analysis", 1947). The likelihood of
a hypothesis is that of the most likely distribution of pairs that it allows, as in the generalised
test of X. Li, J. Liu and Z. Ying and in the frameworks that test chess engines; see M. Van den
Bergh, "A practical introduction to the GSPRT".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log

from agents.reporting.stats import PAIR_POINTS, PairDistribution, expected_score
from submission.arena.game_record import Course, GameRecord
from submission.match.pairing_stats import pair_points

LARGEST_ELO = 1000.0  # a score of 99.7 %: larger differences need no test
ERROR_RATE = 0.05  # the usual value


class Verdict(StrEnum):
    """The hypothesis that a test has accepted."""

    ACCEPTED_ELO0 = "elo0 accepted"
    """`elo0` fits the games better: the player is stronger by `elo0` or less."""
    ACCEPTED_ELO1 = "elo1 accepted"
    """`elo1` fits the games better: the player is stronger by `elo1` or more."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test between two Elo differences of a player and its opponent.

    The defaults test whether a change helps. They take about 250 games if one of the hypotheses is
    true and 430 half-way between them, where either may be accepted (with a tenth of the games
    drawn; the longest twentieth of the tests take three times as many). Hypotheses twice as far
    apart take a quarter. The score at which a test ends exaggerates the difference, and its
    interval covers about 90 % instead of 95 %.

    Raises:
        ValueError: hypotheses that are too large or not in ascending order, or an error rate
            outside (0, 0.5).
    """

    elo0: float = 0.0
    """Logistic Elo, as in `elo_difference`."""
    elo1: float = 50.0
    alpha: float = ERROR_RATE
    """The maximum rate, approximately, at which `elo1` is accepted if the difference is `elo0`."""
    beta: float = ERROR_RATE
    """The maximum rate, approximately, at which `elo0` is accepted if the difference is `elo1`."""

    def __post_init__(self) -> None:
        if not -LARGEST_ELO <= self.elo0 < self.elo1 <= LARGEST_ELO:
            raise ValueError(
                "the test's Elo differences must be in ascending order and between "
                f"{-LARGEST_ELO:g} and {LARGEST_ELO:g}, not {self.elo0} and {self.elo1}"
            )
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise ValueError(f"{name} must be between 0 and 0.5, not {rate}")

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
        """The log of the likelihood of the games under `elo1` over that under `elo0`.

        `pair_counts` are the numbers of pairs that brought 0, 1/2, 1, 3/2 and 2 points.
        """
        observed = PairDistribution.observed(pair_counts)
        gains = zip(observed.probabilities, self.gains(observed), strict=True)
        return sum(pair_counts) * sum(p * gain for p, gain in gains)

    def gains(self, pairs: PairDistribution) -> list[float]:
        """What a pair with 0, 1/2, 1, 3/2 or 2 points adds to the ratio, if pairs are so spread."""
        under_elo0 = pairs.with_mean(expected_score(self.elo0)).probabilities
        under_elo1 = pairs.with_mean(expected_score(self.elo1)).probabilities
        return [log(p1 / p0) for p0, p1 in zip(under_elo0, under_elo1, strict=True)]

    def in_words(self, verdict: Verdict) -> str:
        """A verdict about the player in words, such as `not 50 Elo stronger`.

        It claims less than the accepted hypothesis, which only fits better than the other: of 0 and
        50, 0 is also accepted for a far weaker player, and of -50 and 10, 10 for an equal one.
        """
        size_0, size_1 = abs(self.elo0), abs(self.elo1)
        if verdict is Verdict.ACCEPTED_ELO0:
            if self.elo1 > 0:
                return f"not {size_1:g} Elo stronger"
            return f"weaker, rather by {size_0:g} Elo than by {size_1:g}"
        if self.elo0 < 0:
            return f"not {size_0:g} Elo weaker"
        return f"stronger, rather by {size_1:g} Elo than by {size_0:g}"

    def verdict(self, log_likelihood_ratio: float) -> Verdict | None:
        """The hypothesis to accept at this ratio; None if more games are needed."""
        if log_likelihood_ratio >= self.upper:
            return Verdict.ACCEPTED_ELO1
        return Verdict.ACCEPTED_ELO0 if log_likelihood_ratio <= self.lower else None


def parse_sprt(text: str) -> Sprt:
    """Parse two Elo differences such as `0,50` as a test with the usual error rates.

    Raises:
        ValueError: not two numbers, or numbers that `Sprt` refuses.
    """
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        raise ValueError(
            f"a sequential test takes two Elo differences, as in 0,50, not {text!r}"
        ) from None
    return Sprt(elo0, elo1)


@dataclass(frozen=True, slots=True)
class Decision:
    """The end of a test."""

    verdict: Verdict | None  # None if the players only repeat their games
    games: int  # the number of games that decided, from game 0; later ones do not count


ENOUGH_REPEATS = 10
"""Repeated pairs after which players count as deterministic; for players who repeat half of their
pairs by chance, this is wrong in one pairing of a thousand."""


class SequentialTest:
    """Judges the games of a pairing pair by pair, in the order of their numbers.

    A game that ends early waits for the games before it, so that the decision and the games that it
    is based on depend neither on the number of workers nor on their speed.

    When the openings start again, players may repeat a pair of games move for move. Deterministic
    players must: that is one observation, and counting it repeatedly would make the smallest
    difference certain. Players with random numbers might have played otherwise, so their repetition
    is an observation, too; without it rare games would weigh too much. A repeated pair does not
    distinguish these two kinds of players, but a pair that differs from the first of its opening
    does. So repeated pairs are held back until such a pair appears; from then on all pairs count.
    After `ENOUGH_REPEATS` the test ends with the games before them, without a verdict: the score in
    these openings is then exact, and only other openings could show more.

    The test is about the difference in these openings, each of which is played equally often. If
    they are played several times, pairs of one opening are more alike than the test assumes, so it
    errs less often than its rates say.
    """

    def __init__(self, sprt: Sprt) -> None:
        self.sprt = sprt
        self.llr = 0.0  # the log-likelihood ratio of the games judged so far
        self.decision: Decision | None = None
        self._waiting: dict[int, GameRecord] = {}
        self._judged = 0
        self._first_pairs: dict[tuple[int, ...], list[Course]] = {}
        """The first pair of each opening; an equal pair is a repetition."""
        self._held_back: list[Sequence[GameRecord]] = []
        self._players_vary = False
        self._pair_counts = [0] * len(PAIR_POINTS)

    def add(self, record: GameRecord) -> None:
        """Add a game; after the decision this changes nothing.

        A failure of the player is a loss; a pair in which the opponent failed is skipped.
        """
        self._waiting[record.game] = record
        while self.decision is None and {self._judged, self._judged + 1} <= self._waiting.keys():
            pair = [self._waiting.pop(self._judged + seat) for seat in (0, 1)]
            self._judged += 2
            self._judge(pair)

    def _judge(self, pair: Sequence[GameRecord]) -> None:
        courses = [game.course for game in pair]
        of_opening = self._first_pairs.setdefault(pair[0].opening, courses)
        self._players_vary = self._players_vary or courses != of_opening
        self._held_back.append(pair)
        if of_opening is not courses and not self._players_vary:
            if len(self._held_back) == ENOUGH_REPEATS:
                self.decision = Decision(None, self._held_back[0][0].game)
            return
        for counted in self._held_back:
            points = pair_points(*counted)
            if points is not None:
                self._pair_counts[PAIR_POINTS.index(points)] += 1
        self._held_back.clear()
        self.llr = self.sprt.log_likelihood_ratio(self._pair_counts)
        verdict = self.sprt.verdict(self.llr)
        if verdict is not None:
            self.decision = Decision(verdict, self._judged)
