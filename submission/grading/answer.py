"""What a player does in a solved position, and what that costs."""

from dataclasses import dataclass

from submission.evaluating.arenas.seats import Failure
from submission.grading.solved_position import Outcome, SolvedPosition


@dataclass(frozen=True, slots=True)
class Answer:
    """A column, counted from 0, or a failure, which counts as a loss of the game."""

    position: SolvedPosition
    column: int | None
    """None exactly where there is a failure."""
    seconds: float
    """What the player took."""
    failure: Failure | None = None

    @property
    def outcome(self) -> Outcome:
        """How the game ends after it under best play, from the player's view."""
        if self.column is None:
            return Outcome.LOSS
        return Outcome.of(self.position.legal[self.column])

    @property
    def keeps(self) -> bool:
        """Whether it keeps the outcome of the position."""
        return self.column in self.position.keeping

    @property
    def is_best(self) -> bool:
        """Whether no column scores more."""
        return self.column in self.position.best

    @property
    def half_points_lost(self) -> int:
        """What it costs under best play: 2 from a win to a loss, 1 for half of that, or 0."""
        return self.position.outcome - self.outcome
