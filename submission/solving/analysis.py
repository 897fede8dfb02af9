"""What the solver finds out about a position."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agents.exact.solver import ScoreBounds, Solver
from submission.solving.position import Position


@dataclass(frozen=True)
class Analysis:
    """A position with its score; scores are from the view of the player to move in it.

    Bounds that do not meet are what a time limit has left.
    """

    position: Position
    bounds: ScoreBounds
    """The score of the position."""
    columns: Mapping[int, ScoreBounds] = field(default_factory=dict)
    """The score of each legal column, counted from 0; none where only the position was solved."""

    @property
    def best(self) -> list[int]:
        """The columns proven to be at least as good as every other."""
        highest = max((bounds.upper for bounds in self.columns.values()), default=0)
        return [column for column, bounds in self.columns.items() if bounds.lower >= highest]


Analyse = Callable[[Solver, Position, float | None], Analysis]
"""Finds out about a position, with a time limit in seconds."""


def analyse(solver: Solver, position: Position, time_limit: float | None = None) -> Analysis:
    """Solve every column of a position, and by that the position.

    Args:
        solver: of the position's game.
        position: what to solve.
        time_limit: seconds for all columns together.
    """
    columns = solver.scores(position.state, time_limit)
    lower = max(bounds.lower for bounds in columns.values())
    upper = max(bounds.upper for bounds in columns.values())
    return Analysis(position, ScoreBounds(lower, upper), columns)


def analyse_score(solver: Solver, position: Position, time_limit: float | None = None) -> Analysis:
    """Solve a position without saying which column leads to its score: several times as fast."""
    return Analysis(position, solver.bounds(position.state, time_limit))
