"""Two players' answers to the same positions: where one keeps the result and the other loses it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from agents.reporting.stats import Z_95, Estimate
from submission.grading.answers import Answer, kinds_of


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """Both players' answers to a position in which a move can lose the result."""

    new: Answer
    old: Answer

    @property
    def half_points_lost(self) -> int:
        """The half points that the new player loses minus those of the old one, from -2 to 2."""
        return self.new.half_points_lost - self.old.half_points_lost


@dataclass(frozen=True, slots=True)
class PairedAnswers:
    """All pairs of answers, in the order of the positions."""

    pairs: tuple[AnswerPair, ...]

    @classmethod
    def of(cls, new: Sequence[Answer], old: Sequence[Answer]) -> "PairedAnswers":
        """Pair the answers to the positions that both were asked about."""
        olds = {answer.position: answer for answer in old}
        pairs = (
            AnswerPair(answer, olds[answer.position])
            for answer in new
            if answer.position in olds and answer.position.is_at_stake
        )
        return cls(tuple(pairs))

    def of_kind(self, kind: str) -> "PairedAnswers":
        """The answers to the positions of a kind, as `by_kind` names them."""
        return PairedAnswers(
            tuple(pair for pair in self.pairs if kind in kinds_of(pair.new.position))
        )

    @property
    def lost(self) -> list[AnswerPair]:
        """The positions where the new one loses what the old one kept, the worst first."""
        found = [pair for pair in self.pairs if pair.old.keeps and not pair.new.keeps]
        return sorted(found, key=lambda pair: (-pair.half_points_lost, pair.new.position.ply))

    @property
    def gained(self) -> list[AnswerPair]:
        """The positions where the new one keeps what the old one lost."""
        return [pair for pair in self.pairs if pair.new.keeps and not pair.old.keeps]

    def difference(self) -> Estimate:
        """The new player's share of kept results minus the old one's, from -1 to 1.

        The 95 % interval is that of A. Agresti and Y. Min for matched pairs, "Simple improved
        confidence intervals for comparing matched proportions", Statistics in Medicine 24 (2005):
        Wald's, after adding half a pair to each of the four cells.
        """
        count, lost, gained = len(self.pairs), len(self.lost), len(self.gained)
        middle = (gained - lost) / (count + 2)
        variance = ((gained + lost + 1) / (count + 2) - middle**2) / (count + 2)
        value = (gained - lost) / max(count, 1)
        low, high = middle - Z_95 * sqrt(variance), middle + Z_95 * sqrt(variance)
        return Estimate(value, max(-1.0, min(low, value)), min(1.0, max(high, value)))
