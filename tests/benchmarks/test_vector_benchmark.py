"""The timings of the vector environments: what is printed and drawn of them."""

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks.environments import vector_environments
from benchmarks.environments.vector_environments import (
    ONE_AGAINST_RANDOM,
    ONE_THREAD,
    PEER,
    SAME_STEP,
    TWO_AGAINST_RANDOM,
    TWO_THREADS,
    BatchSpeed,
    batch_report,
    draw_batches,
    measure_batches,
    measure_random_games,
    random_game_report,
)
from benchmarks.results import print_report

SPEEDS = [
    BatchSpeed(
        "Connect Four",
        8192,
        {ONE_THREAD: 30e6, TWO_THREADS: 28e6, SAME_STEP: 20e6, PEER: 4e6},
        {
            ONE_THREAD: 30e6,
            TWO_THREADS: 54e6,
            SAME_STEP: 20e6,
            PEER: 4e6,
            ONE_AGAINST_RANDOM: 20e6,
            TWO_AGAINST_RANDOM: 38e6,
        },
    )
]


def test_every_batch_of_every_game_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_environments, "BATCHES", (1, 3))
    measured = list(measure_batches(rounds=1))
    assert [(speed.game, speed.size) for speed in measured] == [
        ("Connect Four", 1),
        ("Connect Four", 3),
        ("tic-tac-toe", 1),
        ("tic-tac-toe", 3),
    ]
    for speed in measured:
        assert {ONE_THREAD, TWO_THREADS, SAME_STEP} <= set(speed.by_clock)
        assert min(speed.by_processor.values()) > 0


def test_random_games_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_environments, "RANDOM_GAMES", 100)
    written = StringIO()
    report = random_game_report([*measure_random_games(rounds=1)])
    print_report(report, Console(file=written, width=100))
    assert "tic-tac-toe" in written.getvalue()


def test_the_report_says_how_much_faster_than_the_peer() -> None:
    written = StringIO()
    print_report(batch_report(SPEEDS), Console(file=written, width=100))
    assert "Connect Four: ours at 8192 over the best of pgx: x7.5" in written.getvalue()
    assert "x1.80" in written.getvalue()
    assert "x1.90" in written.getvalue()
    assert "tic-tac-toe: " not in written.getvalue()
    assert "pgx is missing: install it with `pip install pgx`" in written.getvalue()


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_figures_are_drawn(tmp_path: Path, ending: str) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / f"speed.{ending}"
    draw_batches(SPEEDS, path)
    start = path.read_bytes()[:5]
    assert start in (b"\x89PNG\r", b"<?xml")
