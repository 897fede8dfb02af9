"""A sequential test with three outcomes (better, worse, equal), and how long it will take."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, exp

from agents.reporting.stats import PairDistribution, count_pairs
from envs.protocol import is_number
from submission.arena.game_record import GameConfiguration, GameRecord
from submission.match.pairing_stats import points_of_pairs
from submission.match.schedule import Arena, Settings, require_pairs
from submission.match.sprt import LARGEST_ELO, SequentialTest, Sprt, Verdict

ALPHA = 0.025  # about how often equal players are called better; just as often, worse
BETA = 0.05  # about how often a difference of the margin is missed


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """How players are compared; the same settings give the same games, up to the players' clocks.

    Raises:
        ValueError: an odd number of games, a margin that is too small or too large, or a setting
            that `Settings` refuses.
    """

    margin: float = 50.0
    """The difference in Elo that matters, from 1 to 1000; less would take millions of games."""
    games: int = 1000
    """The most games."""
    seed: int = 0
    opening_plies: int = 4
    """Games begin in turn from all positions of this ply, for example 1120 after four plies."""
    act_timeout: float = 2.0
    """Seconds for a move."""

    def __post_init__(self) -> None:
        require_pairs(self.games)
        if not (is_number(self.margin) and 1 <= self.margin <= LARGEST_ELO):
            raise ValueError(
                f"the margin must be from 1 to {LARGEST_ELO:g} Elo, not {self.margin!r}"
            )
        _ = self.match

    @property
    def match(self) -> Settings:
        """The settings of the match."""
        rules = GameConfiguration(act_timeout=self.act_timeout)
        return Settings(self.games, self.seed, self.opening_plies, rules, Arena.OWN)


class Finding(StrEnum):
    """What the games of a new player against an old one show."""

    BETTER = "better"  # better by the margin, rather than equal
    WORSE = "worse"
    EQUAL = "equal"  # equal, rather than better or worse by the margin
    REPEATED = "repeated"
    """Both only repeat their games, so the score in these openings is exact."""
    UNDECIDED = "undecided"


class ThreeWayTest:
    """A test of whether a player is better than another one, worse, or about equal.

    Two sequential tests judge the same games: one of "stronger by the margin" against "equal", and
    one of "weaker by the margin" against "equal". Each stops at a bound on either side; the players
    are equal if both tests say so (M. Sobel and A. Wald, "A sequential decision procedure for
    choosing one of three hypotheses", Annals of Mathematical Statistics 20 (1949)).

    Raises:
        ValueError: a margin that `Sprt` refuses.
    """

    def __init__(self, margin: float) -> None:
        self._upward = SequentialTest(Sprt(0.0, margin, alpha=ALPHA, beta=BETA))
        self._downward = SequentialTest(Sprt(-margin, 0.0, alpha=BETA, beta=ALPHA))
        self.finding = Finding.UNDECIDED
        self.games: int | None = None  # the number that decided, from game 0 on

    def add(self, record: GameRecord) -> None:
        """Add a game, in any order; ignored after the decision."""
        if self.finding is not Finding.UNDECIDED:
            return
        self._upward.add(record)
        self._downward.add(record)
        up, down = self._upward.decision, self._downward.decision
        if up is not None and up.verdict is Verdict.ACCEPTED_ELO1:
            self.finding, self.games = Finding.BETTER, up.games
        elif down is not None and down.verdict is Verdict.ACCEPTED_ELO0:
            self.finding, self.games = Finding.WORSE, down.games
        elif up is not None and down is not None:
            repeated = None in (up.verdict, down.verdict)
            self.finding = Finding.REPEATED if repeated else Finding.EQUAL
            self.games = max(up.games, down.games)

    def games_to_come(self, records: Sequence[GameRecord]) -> int:
        """About how many more games are needed to decide; 0 after the decision."""
        if self.finding is not Finding.UNDECIDED:
            return 0
        counts = count_pairs(points_of_pairs(records))
        counted = [own + prior for own, prior in zip(counts, PRIOR_PAIRS, strict=True)]
        next_pair = PairDistribution.proportional_to(counted)
        open_tests = [each for each in (self._upward, self._downward) if each.decision is None]
        return 2 * ceil(max(pairs_to_come(test, next_pair) for test in open_tests))


PRIOR_PAIRS = (1.5, 1.0, 3.0, 1.0, 1.5)
"""Virtual pairs of equal players, by score; without them the first games would count too much. A
pair has the variance of players who draw one game in five."""


def pairs_to_come(test: SequentialTest, next_pair: PairDistribution) -> float:
    """The mean number of pairs that end a test, from its present log-likelihood ratio.

    The mean time until the ratio leaves the interval between the bounds is that of Brownian motion
    with the mean and the variance of what a pair adds to the ratio.
    """
    sprt, llr = test.sprt, test.llr
    parts = [*zip(next_pair.probabilities, sprt.gains(next_pair), strict=True)]
    drift = sum(p * gain for p, gain in parts)
    variance = sum(p * (gain - drift) ** 2 for p, gain in parts)
    below, above = llr - sprt.lower, sprt.upper - llr
    ahead, behind = (above, below) if drift > 0 else (below, above)
    slope = 2 * abs(drift) / variance
    if slope * (ahead + behind) < 1e-6:
        return ahead * behind / variance
    goes_ahead = (1 - exp(-slope * behind)) / (1 - exp(-slope * (ahead + behind)))
    return (goes_ahead * ahead - (1 - goes_ahead) * behind) / abs(drift)
