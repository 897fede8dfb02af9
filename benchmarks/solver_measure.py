"""Times the solver beside BitBully, in processor time, both in turn."""

from collections.abc import Callable
from dataclasses import dataclass

from agents.solver.solver import Solver
from benchmarks.measure import Timings, seconds_per_call
from benchmarks.solver_peer import BitBully
from benchmarks.solver_workload import SolverWorkload
from envs.board import state_from_moves
from envs.connectx import ConnectFour

TABLE_MEGABYTES = 64


@dataclass(frozen=True)
class SolverMeasurement:
    """What a workload took; the timings are of one position, on average over the workload."""

    workload: SolverWorkload
    wrong: int
    """Positions whose score our solver did not find."""
    ours: Timings
    bitbully: Timings | None
    """None where BitBully is not installed."""

    @property
    def shares(self) -> list[float]:
        """Our time as a share of BitBully's, in each round; none without BitBully."""
        if self.bitbully is None:
            return []
        pairs = zip(self.ours.seconds, self.bitbully.seconds, strict=True)
        return [ours / theirs for ours, theirs in pairs]


def measure_solver(
    workload: SolverWorkload, rounds: int, bitbully: BitBully | None
) -> SolverMeasurement:
    """Solve the positions by each solver in turn, `rounds` times over, after a pass of ours."""
    solve_all = our_batch(workload)
    known = [position.score for position in workload.positions]
    wrong = sum(score != found for score, found in zip(known, solve_all(), strict=True))
    ours, theirs = Timings("ours", []), Timings("BitBully", [])
    for _ in range(rounds):
        ours.seconds.append(seconds_per_call(solve_all) / len(known))
        if bitbully is not None:
            theirs.seconds.append(bitbully.solve_all(workload) / len(known))
    return SolverMeasurement(workload, wrong, ours, theirs if bitbully is not None else None)


def our_batch(workload: SolverWorkload) -> Callable[[], list[int]]:
    """What solves the positions by our solver, each time from an empty table."""
    env = ConnectFour()
    solver = Solver(env, TABLE_MEGABYTES)
    states = [state_from_moves(env, position.moves) for position in workload.positions]

    def solve_all() -> list[int]:
        solver.forget()
        return solver.score_all(states, cold=workload.cleared)

    return solve_all
