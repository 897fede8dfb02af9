"""From answers to figures: what share of them keeps the outcome, or is exactly best."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from agents.stats import Estimate, score_estimate
from submission.grading.answer import Answer
from submission.grading.solved_position import SolvedPosition


@dataclass(frozen=True, slots=True)
class Measured:
    """A player's mean beside that of a player who chooses any legal column, all equally often."""

    player: Estimate
    random: float
    """Computed from the scores, not played."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What the answers to some positions come to. None: no position counts for that figure."""

    positions: int
    at_stake: int
    """In how many some column gives the outcome away; only these tell whether it is kept."""
    kept: Measured | None
    """Share of the answers that keep the outcome, among the positions at stake."""
    half_points_lost: Measured | None
    """What an answer costs under best play, 0 to 2, on average over the positions at stake."""
    best: Measured | None
    """Share of the answers that no column scores more than, among all positions."""
    failures: int
    """Answers without a column that can be played; each counts as a lost game."""


def figures(answers: Sequence[Answer]) -> Figures:
    """The figures of some answers."""
    at_stake = [answer for answer in answers if answer.position.is_at_stake]
    return Figures(
        positions=len(answers),
        at_stake=len(at_stake),
        kept=_measured(at_stake, lambda answer: answer.keeps),
        half_points_lost=_measured(at_stake, lambda answer: answer.half_points_lost, most=2),
        best=_measured(answers, lambda answer: answer.is_best),
        failures=sum(answer.failure is not None for answer in answers),
    )


def _measured(
    answers: Sequence[Answer], measure: Callable[[Answer], float], most: int = 1
) -> Measured | None:
    """The mean of a measure of answers that lies between 0 and `most`."""
    if not answers:
        return None
    share = score_estimate(sum(map(measure, answers)) / most, len(answers))
    return Measured(
        Estimate(most * share.value, most * share.low, most * share.high),
        fmean(_expected(answer.position, measure) for answer in answers),
    )


def _expected(position: SolvedPosition, measure: Callable[[Answer], float]) -> float:
    """What random play gets in a position on average."""
    return fmean(measure(Answer(position, column, seconds=0.0)) for column in position.legal)
