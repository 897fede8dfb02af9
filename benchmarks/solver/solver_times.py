"""Times the solver and its peers in turn, in processor time, and reports on it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from agents.solver.solver import Solver
from benchmarks.results import Report, table
from benchmarks.solver.positions import SolverWorkload
from benchmarks.solver.solver_peer import MISSING, BitBully, SolverPeer
from benchmarks.timings import Timings, seconds_per_call, time_in_turn
from envs.board import state_from_moves
from envs.connectx import ConnectFour

TABLE_MEGABYTES = 64


@dataclass(frozen=True)
class SolverMeasurement:
    """The mean times per position of a workload."""

    workload: SolverWorkload
    wrong: int
    """The number of positions for which our solver found a wrong score."""
    ours: Timings
    peers: list[Timings]

    @property
    def bitbully(self) -> Timings | None:
        """BitBully's times; None if it is not installed."""
        return next((peer for peer in self.peers if peer.name == BitBully.name), None)

    @property
    def others(self) -> list[Timings]:
        """The peers named by the user."""
        return [peer for peer in self.peers if peer.name != BitBully.name]

    @property
    def shares(self) -> list[float]:
        """Our time as a share of BitBully's, in each round; none without BitBully."""
        return self._shares(self.bitbully.seconds) if self.bitbully else []

    @property
    def shares_of_best(self) -> list[float]:
        """Our time as a share of the fastest peer's, in each round; none without peers."""
        rounds = zip(*(peer.seconds for peer in self.peers), strict=True)
        return self._shares([*map(min, rounds)]) if self.peers else []

    def _shares(self, peer: Sequence[float]) -> list[float]:
        return [ours / theirs for ours, theirs in zip(self.ours.seconds, peer, strict=True)]


def measure_solver(
    workload: SolverWorkload, rounds: int, peers: Sequence[SolverPeer]
) -> SolverMeasurement:
    """Time each solver in turn, `rounds` times over, after a warm-up of ours."""
    solve_all = our_batch(workload)
    known = [position.score for position in workload.positions]
    wrong = sum(score != found for score, found in zip(known, solve_all(), strict=True))
    ours, theirs = time_in_turn(
        lambda: seconds_per_call(solve_all) / len(known),
        [(peer.name, partial(_seconds_of, peer, workload)) for peer in peers],
        rounds,
    )
    return SolverMeasurement(workload, wrong, ours, theirs)


def _seconds_of(peer: SolverPeer, workload: SolverWorkload) -> float:
    return peer.solve_all(workload) / len(workload.positions)


def our_batch(workload: SolverWorkload) -> Callable[[], list[int]]:
    """A function that solves the positions by our solver, from an empty table each time."""
    env = ConnectFour()
    solver = Solver(env, TABLE_MEGABYTES)
    states = [state_from_moves(env, position.moves) for position in workload.positions]

    def solve_all() -> list[int]:
        solver.forget()
        return solver.score_all(states, cold=workload.cleared)

    return solve_all


HEADING = (
    "The solver beside its peers: milliseconds of processor time for a position. Each position "
    "finds the table empty (ours has 64 MB), except where it says 1 table; clearing the peers' "
    "is not counted"
)
GOALS_OF = "The goals are shares of BitBully's time."


def solver_report(measurements: Sequence[SolverMeasurement]) -> Report:
    """A row for each measurement, our wrong scores, and whether BitBully is missing."""
    others = [peer.name for peer in measurements[0].others]
    best = ["of the best"] if others else []
    columns = ["positions", "n", "ours", BitBully.name, "share", "goal", *others, *best]
    rows = table(*columns, words=("positions", "goal"))
    for measurement in measurements:
        rows.add_row(*_cells(measurement))
    solved = sum(len(measurement.workload.positions) for measurement in measurements)
    wrong = sum(measurement.wrong for measurement in measurements)
    missing = any(measurement.bitbully is None for measurement in measurements)
    return [
        HEADING,
        rows,
        f"Our wrong scores: {wrong} of {solved}. {GOALS_OF}",
        *([MISSING] if missing else []),
    ]


def _cells(measurement: SolverMeasurement) -> list[str]:
    workload, others = measurement.workload, measurement.others
    return [
        workload.name,
        str(len(workload.positions)),
        _milliseconds(measurement.ours),
        _milliseconds(measurement.bitbully) if measurement.bitbully else "",
        _share(measurement.shares),
        _goal(workload.goal, measurement.shares),
        *[_milliseconds(peer) for peer in others],
        *([_share(measurement.shares_of_best)] if others else []),
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
    """All timings: processor seconds per position, by round."""
    timings = [measurement.ours, *measurement.peers]
    return {
        "positions": measurement.workload.name,
        "number": len(measurement.workload.positions),
        "wrong": measurement.wrong,
        "goal": measurement.workload.goal,
        "seconds": {each.name: each.seconds for each in timings},
    }
