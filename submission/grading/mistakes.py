"""The answers that cost most, and what they mean in words."""

from collections.abc import Iterable
from dataclasses import dataclass

from agents.solver.analysis import Position, in_words
from agents.solver.solver import ScoreBounds
from submission.grading.answer import Answer
from submission.grading.solved_position import GAME, SolvedPosition


@dataclass(frozen=True, slots=True)
class Mistake:
    """A column, counted from 0, in a position where another one scores more."""

    position: SolvedPosition
    played: int
    half_points_lost: int

    @property
    def better(self) -> int:
        """A best column."""
        return self.position.best[0]

    @property
    def score_lost(self) -> int:
        """By how much it scores less than the best."""
        return self.position.score - self.position.legal[self.played]


def worst_mistakes(answers: Iterable[Answer], count: int) -> list[Mistake]:
    """Up to `count` mistakes: wins turned into losses first, then by score; no failures."""
    mistakes = [
        Mistake(answer.position, answer.column, answer.half_points_lost)
        for answer in answers
        if answer.column is not None and not answer.is_best
    ]
    mistakes.sort(key=lambda mistake: (-mistake.half_points_lost, -mistake.score_lost))
    return mistakes[:count]


def mistake_in_words(mistake: Mistake) -> str:
    """As in "column 3 loses in 4 moves; column 5 wins in 7 moves"; columns counted from 1."""
    return "; ".join(
        f"column {column + 1} {_outcome_in_words(mistake.position, column)}"
        for column in (mistake.played, mistake.better)
    )


def _outcome_in_words(position: SolvedPosition, column: int) -> str:
    """What playing a column leads to for the player to move, as in "wins in 5 moves"."""
    score = position.legal[column]
    verdict = in_words(Position(GAME, position.moves, position.state), ScoreBounds(score, score))
    return f"leads to a {verdict}" if score == 0 else verdict
