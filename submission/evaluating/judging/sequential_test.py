"""The sequential test of one pairing, fed with games in whatever order they end."""

from dataclasses import dataclass

from agents.stats import PAIR_POINTS
from submission.evaluating.game_record import GameRecord
from submission.evaluating.judging.pairs import pair_points
from submission.evaluating.judging.sprt import Sprt, Verdict


@dataclass(frozen=True, slots=True)
class Decision:
    """How a test has ended."""

    verdict: Verdict
    games: int
    """The games 0 up to this one, which is not counted in, decided; later ones do not count."""
    llr: float
    """The log-likelihood ratio after them."""


class SequentialTest:
    """Judges the games of a pairing pair by pair, in the order of their numbers.

    A game that ends early waits for those before it. So the decision and the games that it rests
    on depend neither on the number of workers nor on their speed.

    Args:
        sprt: the hypotheses and error rates.
    """

    def __init__(self, sprt: Sprt) -> None:
        self.sprt = sprt
        self.llr = 0.0
        """The log-likelihood ratio of the games that were judged."""
        self.decision: Decision | None = None
        self._waiting: dict[int, GameRecord] = {}
        self._judged = 0
        self._pair_counts = [0] * len(PAIR_POINTS)

    def add(self, record: GameRecord) -> None:
        """Take a game into account; after the decision it changes nothing.

        A failure of the player is a loss; a pair in which the opponent failed is passed over.
        """
        self._waiting[record.game] = record
        while self.decision is None and {self._judged, self._judged + 1} <= self._waiting.keys():
            self._judge_next_pair()

    def _judge_next_pair(self) -> None:
        first, second = (self._waiting.pop(self._judged + seat) for seat in (0, 1))
        self._judged += 2
        points = pair_points(first, second)
        if points is None:
            return
        self._pair_counts[PAIR_POINTS.index(points)] += 1
        self.llr = self.sprt.log_likelihood_ratio(self._pair_counts)
        verdict = self.sprt.verdict(self.llr)
        if verdict is not None:
            self.decision = Decision(verdict, self._judged, self.llr)
