"""Many positions solved in turn."""

from collections.abc import Iterator, Sequence

from agents.exact.solver import Solver
from submission.progress import OnProgress
from submission.solving.analysis import Analyse, Analysis
from submission.solving.position import Position


def analyse_all(
    solver: Solver,
    positions: Sequence[Position],
    analyse_one: Analyse,
    time_limit: float | None,
    on_progress: OnProgress,
) -> Iterator[Analysis]:
    """Analyse positions, one after the other, each as soon as it is asked for.

    Args:
        solver: of the positions' game.
        positions: what to solve.
        analyse_one: `analyse` or `analyse_score`.
        time_limit: seconds for each position.
        on_progress: told how many are done.
    """
    on_progress(0, len(positions), "")
    for done, position in enumerate(positions, start=1):
        analysis = analyse_one(solver, position, time_limit)
        on_progress(done, len(positions), "")
        yield analysis
