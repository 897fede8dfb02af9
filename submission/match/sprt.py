"""The sequential probability ratio test: enough pairs of games to decide, and no more.

It weighs two hypotheses about the Elo difference of a pairing against each other after every pair
of games, and ends as soon as one of them is credible enough (A. Wald, "Sequential Analysis", 1947).
The likelihood of each is that of the likeliest distribution of pairs that it allows, as in the
generalised test of X. Li, J. Liu and Z. Ying and in the frameworks that test chess engines; see
M. Van den Bergh, "A practical introduction to the GSPRT".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from math import log
from operator import attrgetter

from agents.reporting.stats import PAIR_POINTS, PairDistribution, expected_score
from submission.arena.game_record import Course, GameRecord, Result

LARGEST_ELO = 1000.0  # a score of 99.7 %: telling larger differences apart takes no test
ERROR_RATE = 0.05  # the usual one


class Verdict(StrEnum):
    """The hypothesis that a test has accepted."""

    ACCEPTED_ELO0 = "elo0 accepted"
    """`elo0` fits the games better: the player is stronger by that, or less."""
    ACCEPTED_ELO1 = "elo1 accepted"
    """`elo1` fits the games better: the player is stronger by that, or more."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test between two Elo differences of a player and its opponent.

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
    """Logistic Elo, as in `elo_difference`."""
    elo1: float = 50.0
    alpha: float = ERROR_RATE
    """About how often, at most, `elo1` is accepted where the difference is `elo0`."""
    beta: float = ERROR_RATE
    """About how often, at most, `elo0` is accepted where the difference is `elo1`."""

    def __post_init__(self) -> None:
        if not -LARGEST_ELO <= self.elo0 < self.elo1 <= LARGEST_ELO:
            raise ValueError(
                "the test's Elo differences must be in ascending order and between "
                f"{-LARGEST_ELO:g} and {LARGEST_ELO:g}, not {self.elo0} and {self.elo1}"
            )
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise ValueError(f"{name} must lie between 0 and 0.5, not at {rate}")

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
        """Weigh the hypotheses: how much likelier `elo1` makes the games than `elo0`, as a log.

        The pairs of games that brought 0, 1/2, 1, 3/2 and 2 points are counted.
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

    def in_words(self, verdict: Verdict) -> str:
        """A verdict about the player in words, as in `not 50 Elo stronger`.

        It claims less than the hypothesis: a far weaker player is "rather 0 than 50 Elo stronger",
        and an equal one "rather 10 Elo stronger than 50 Elo weaker".
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
        """The hypothesis to accept at this ratio; None where more games are needed."""
        if log_likelihood_ratio >= self.upper:
            return Verdict.ACCEPTED_ELO1
        return Verdict.ACCEPTED_ELO0 if log_likelihood_ratio <= self.lower else None


def parse_sprt(text: str) -> Sprt:
    """The test between two Elo differences, named as in `0,50`, with the usual error rates.

    Raises:
        ValueError: not two numbers, or two that `Sprt` refuses.
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

    verdict: Verdict | None  # None where the players only repeat their games
    games: int  # the number of games that decided, from game 0 on; later ones do not count


ENOUGH_REPEATS = 10
"""Repeated pairs after which players count as deterministic; players who repeat half of their pairs
by chance do so wrongly in one pairing of a thousand."""


class SequentialTest:
    """Judges the games of a pairing pair by pair, in the order of their numbers.

    A game that ends early waits for the games before it. So the decision and the games that it
    rests on depend neither on the number of workers nor on their speed.

    When the openings begin anew, players may repeat a pair of games move for move. Deterministic
    players must: that is one observation, and counting it again and again would make the smallest
    difference certain. Players with random numbers might have played otherwise, so their repetition
    is an observation, too, and without it rare games would weigh too much. A repeated pair does not
    tell these two kinds of players apart, but a pair that differs from the first of its opening
    does. So repeated pairs are held back until such a pair comes; from then on all pairs count.
    After `ENOUGH_REPEATS` the test ends with the games before them, without a verdict: the score in
    these openings is exact then, and only other openings could tell more.

    The test is about the difference in these openings, each of which comes up equally often. If it
    goes through them several times, pairs of one opening are more alike than the test assumes, so
    it errs less often than its rates say.
    """

    def __init__(self, sprt: Sprt) -> None:
        self.sprt = sprt
        self.llr = 0.0  # the log-likelihood ratio of the games that were judged
        self.decision: Decision | None = None
        self._waiting: dict[int, GameRecord] = {}
        self._judged = 0
        self._first_pairs: dict[tuple[int, ...], list[Course]] = {}
        """By opening: a pair that is equal to this one is a repetition."""
        self._held_back: list[Sequence[GameRecord]] = []
        self._players_vary = False
        self._pair_counts = [0] * len(PAIR_POINTS)

    def add(self, record: GameRecord) -> None:
        """Take a game into account; after the decision it changes nothing.

        A failure of the player is a loss; a pair in which the opponent failed is passed over.
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


def pair_points(first: GameRecord, second: GameRecord) -> float | None:
    """The player's points in a pair, from 0 to 2; None where the opponent failed in either game.

    Such a pair is left out as a whole: with one seat alone, the opening would favour somebody.
    """
    if Result.OPPONENT_FAILED in (first.result, second.result):
        return None
    return first.result.points + second.result.points


def points_of_pairs(records: Iterable[GameRecord]) -> list[float]:
    """The points of each pair of a pairing that was played in both seats and counts."""
    in_order = sorted(records, key=attrgetter("game"))
    pairs = (list(games) for _, games in groupby(in_order, key=attrgetter("pair")))
    found = (pair_points(*games) for games in pairs if len(games) == 2)
    return [points for points in found if points is not None]
