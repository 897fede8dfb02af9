"""The solver's benchmark: what it times, what it counts as wrong, and what it says."""

import re
import shlex
import sys
from itertools import count
from pathlib import Path

import pytest

from benchmarks.searches.compilation import first_call
from benchmarks.searches.first_call import KERNELS
from benchmarks.solver import solver_peer
from benchmarks.solver.positions import (
    EMPTY_BOARD,
    ScoredPosition,
    SolverWorkload,
    solver_workloads,
    spread_out,
)
from benchmarks.solver.solver_peer import CommandPeer, installed_bitbully
from benchmarks.solver.solver_times import SolverMeasurement, measure_solver, solver_report
from benchmarks.timings import Timings
from tests.helpers.benchmark_reports import report_text

LATE = ScoredPosition("526413766633133111176537", -2)


def report(*measurements: SolverMeasurement) -> str:
    return report_text(solver_report(measurements), width=80)


def test_both_solvers_are_timed_in_every_round() -> None:
    pytest.importorskip("bitbully")
    workload = next(solver_workloads(sample=3))
    bitbully = installed_bitbully()
    assert bitbully is not None
    measurement = measure_solver(workload, rounds=2, peers=[bitbully])
    assert measurement.wrong == 0
    assert measurement.bitbully is not None
    assert len(measurement.ours.seconds) == len(measurement.bitbully.seconds) == 2
    assert all(share > 0 for share in measurement.shares)


@pytest.mark.parametrize(("cleared", "readings"), [(True, 6), (False, 2)])
def test_reading_the_clock_is_no_work_of_a_solver_that_keeps_its_table(
    cleared: bool, readings: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("bitbully")
    bitbully = installed_bitbully()
    assert bitbully is not None
    clock = count()
    monkeypatch.setattr(solver_peer, "process_time", lambda: next(clock))
    taken = bitbully.solve_all(SolverWorkload("late", [LATE] * 3, cleared=cleared))
    assert (taken, next(clock)) == (readings / 2, readings)


@pytest.mark.parametrize("cleared", [True, False])
def test_wrong_scores_are_counted(cleared: bool) -> None:
    positions = [LATE, LATE._replace(score=-3), LATE]
    workload = SolverWorkload("doubtful", positions, cleared=cleared)
    measurement = measure_solver(workload, rounds=1, peers=[])
    assert measurement.wrong == 1
    assert "Our wrong scores: 1 of 3" in report(measurement)


def test_the_report_compares_the_median_share_with_the_goal() -> None:
    theirs = Timings("BitBully", [100.0, 200.0, 100.0])
    reached = SolverMeasurement(EMPTY_BOARD, 0, Timings("ours", [5.0, 28.0, 90.0]), [theirs])
    missed = SolverMeasurement(EMPTY_BOARD, 0, Timings("ours", [15.0, 30.0, 10.0]), [theirs])
    assert reached.shares == [0.05, 0.14, 0.9]
    text = report(reached, missed)
    assert "0.140 (0.050-0.900)  0.14 reached" in text
    assert "0.150 (0.100-0.150)  0.14 missed" in text
    assert "empty board 1 28000 100000" in " ".join(text.split())
    assert "0 of 2" in text


def test_without_bitbully_ours_is_timed_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bitbully", None)
    bitbully = installed_bitbully()
    assert bitbully is None
    measurement = measure_solver(SolverWorkload("late", [LATE], 0.5), 1, peers=[])
    assert measurement.ours.median > 0
    assert measurement.shares == []
    assert "bitbully is missing: install it with `pip install bitbully`" in report(measurement)


def answering(program: str) -> str:
    return f"own={shlex.quote(sys.executable)} -c {shlex.quote(program)}"


def test_a_command_is_a_peer_by_the_time_that_it_tells() -> None:
    peer = CommandPeer(answering(f"print(input(), {LATE.score}, 2500.0)"))
    measurement = measure_solver(SolverWorkload("late", [LATE], 0.5), 2, [peer])
    assert [(peer.name, peer.seconds) for peer in measurement.peers] == [("own", [0.0025, 0.0025])]
    shares = [seconds / 0.0025 for seconds in measurement.ours.seconds]
    assert measurement.shares_of_best == pytest.approx(shares)
    assert "own of the best" in " ".join(report(measurement).split())


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("print(input(), 3, 1)", "own finds 3 for 526413766633133111176537, which scores -2"),
        ("print('what?')", "own answers 'what?', not MOVES SCORE MICROSECONDS"),
        ("", "own ends with status 0 and 0 lines, not 0 and 1"),
        ("exit(3)", "own ends with status 3 and 0 lines"),
    ],
)
def test_a_command_that_is_no_solver_is_refused(program: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        CommandPeer(answering(program)).solve_all(SolverWorkload("late", [LATE]))


def test_every_set_is_timed_with_a_goal_from_all_over_its_file() -> None:
    workloads = {workload.name: workload for workload in solver_workloads(sample=4)}
    goals = [workload.goal for workload in workloads.values() if workload.cleared]
    assert goals == [0.22, 0.30, 0.48, 0.06, 0.70, 0.55]
    assert all(len(workload.positions) == 4 for workload in workloads.values())
    numbers = [ScoredPosition("", number) for number in range(10)]
    assert [position.score for position in spread_out(numbers, 3)] == [0, 3, 6]
    assert spread_out(numbers, 20) == numbers


@pytest.mark.parametrize("kernels", KERNELS)
def test_every_first_call_is_answered(kernels: str) -> None:
    KERNELS[kernels]()


def test_a_first_call_is_timed_in_a_process_of_its_own(tmp_path: Path) -> None:
    assert 0 < first_call("numba alone", str(tmp_path)) < 60
