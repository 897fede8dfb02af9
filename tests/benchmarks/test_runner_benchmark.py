"""The timings of how games are run: what is compared, and what is printed of it."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks import runners
from benchmarks.runners import (
    TRIVIAL_SUBMISSION,
    BesideKaggle,
    RunnerSpeed,
    as_kaggle_takes,
    runner_report,
    runner_workloads,
)
from benchmarks.timings import Timings
from submission.arena.players import Player, find_player
from submission.kaggle import kaggle_environments
from submission.match.schedule import Arena
from tests.helpers.benchmark_reports import report_text


def test_each_workload_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runners, "GAMES", {Arena.KAGGLE: 1, Arena.OWN: 1})
    monkeypatch.setattr(runners, "WORKER_GAMES", 2)
    monkeypatch.setattr(runners, "local_executor", ThreadPoolExecutor)

    def quick(name: str) -> Player:
        """Players whose search need not be compiled."""
        return find_player("random:" if ":" in name else name)

    monkeypatch.setattr(runners, "find_player", quick)
    for workload in runner_workloads():
        speed = workload.measure(rounds=1)
        assert speed.name == workload.name
        assert len(speed.ours.seconds) == len(speed.peer.seconds) == 1
        assert 0 < speed.ours.median < 1, speed.name
        assert 0 < speed.peer.median < 1, speed.name


def test_kaggle_plays_the_same_game_of_the_trivial_submission() -> None:
    """It fills column after column, until the first player has four stones side by side."""
    columns = [0] * 6 + [1] * 6 + [2] * 6 + [3]
    with as_kaggle_takes(TRIVIAL_SUBMISSION) as file:
        steps = kaggle_environments().make("connectx").run([file, file])
    assert [step[ply % 2].action for ply, step in enumerate(steps[1:])] == columns
    assert (steps[-1][0].reward, steps[-1][1].reward) == (1, -1)
    with as_kaggle_takes(find_player("random")) as submission:
        assert submission == "random", "a built-in is itself on Kaggle"


def test_a_timing_counts_the_moves_of_all_its_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three games of 19 moves in 5.7 s are 0.1 s a move."""
    clock = iter([1.0, 6.7])
    workload = BesideKaggle("trivial", TRIVIAL_SUBMISSION, Arena.KAGGLE, goal=1)
    monkeypatch.setattr(runners, "perf_counter", lambda: next(clock))
    assert workload.ours(games=3) == pytest.approx(0.1)


def test_the_report_says_what_is_reached_and_what_is_missed() -> None:
    fast = RunnerSpeed("own", Timings("ours", [0.001, 0.001]), Timings("Kaggle", [0.05, 0.07]), 50)
    slow = RunnerSpeed("two", Timings("ours", [0.002]), Timings("one", [0.0034]), 1.8)
    rows = [line.split() for line in report_text(runner_report([fast, slow])).splitlines()]
    assert ["own", "1", "Kaggle", "60", "60", "(50-70)", "50"] in rows
    assert ["two", "2", "one", "3.4", "1.70", "(1.70-1.70)", "missed:", "1.8"] in rows
