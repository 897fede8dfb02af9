"""What the solvers took, as a table."""

from collections.abc import Sequence
from statistics import median

from benchmarks.measure import Timings
from benchmarks.results import Report, table
from benchmarks.solver_measure import SolverMeasurement
from benchmarks.solver_peer import MISSING

HEADING = (
    "The solver beside BitBully: milliseconds of processor time for a position. Each position "
    "finds the table empty (ours has 64 MB), except where it says 1 table; clearing BitBully's "
    "is not counted. The goals are shares of BitBully's time"
)
COLUMNS = ("positions", "n", "ours", "BitBully", "share", "goal")


def solver_report(measurements: Sequence[SolverMeasurement]) -> Report:
    """What was measured, and whether BitBully is missing."""
    rows = table(*COLUMNS, words=("positions", "goal"))
    for measurement in measurements:
        rows.add_row(*_cells(measurement))
    solved = sum(len(measurement.workload.positions) for measurement in measurements)
    wrong = sum(measurement.wrong for measurement in measurements)
    missing = any(measurement.bitbully is None for measurement in measurements)
    return [
        HEADING,
        rows,
        f"Our wrong scores: {wrong} of {solved}",
        *([MISSING] if missing else []),
    ]


def _cells(measurement: SolverMeasurement) -> list[str]:
    workload = measurement.workload
    return [
        workload.name,
        str(len(workload.positions)),
        _milliseconds(measurement.ours),
        _milliseconds(measurement.bitbully) if measurement.bitbully else "",
        _share(measurement.shares),
        _goal(workload.goal, measurement.shares),
    ]


def _share(shares: Sequence[float]) -> str:
    """The median with the extremes."""
    return f"{median(shares):.3f} ({min(shares):.3f}-{max(shares):.3f})" if shares else ""


def _goal(goal: float | None, shares: Sequence[float]) -> str:
    if goal is None:
        return ""
    if not shares:
        return f"{goal:.2f}"
    return f"{goal:.2f} {'reached' if median(shares) <= goal else 'missed'}"


def _milliseconds(timings: Timings) -> str:
    milliseconds = 1000 * timings.median
    return f"{milliseconds:.0f}" if milliseconds >= 100 else f"{milliseconds:.3g}"


def solver_timings(measurement: SolverMeasurement) -> dict[str, object]:
    """All timings: processor seconds of a position, by round."""
    timings = [measurement.ours, *([measurement.bitbully] if measurement.bitbully else [])]
    return {
        "positions": measurement.workload.name,
        "number": len(measurement.workload.positions),
        "wrong": measurement.wrong,
        "goal": measurement.workload.goal,
        "seconds": {each.name: each.seconds for each in timings},
    }
