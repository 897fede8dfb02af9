"""The timings of the vector environments: what is printed and drawn of them."""

import shutil
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from benchmarks.environments import vector_environments
from benchmarks.environments.puffer_peer import HEADER, PufferGames
from benchmarks.environments.vector_environments import (
    ONE_AGAINST_RANDOM,
    ONE_THREAD,
    PEER,
    PUFFERLIB,
    SAME_STEP,
    TWO_AGAINST_RANDOM,
    TWO_THREADS,
    BatchSpeed,
    batch_report,
    draw_batches,
    measure_batches,
    measure_opponents,
    measure_random_games,
    opponent_report,
    random_game_report,
)
from tests.helpers.benchmark_reports import report_text
from tests.helpers.systems import needs_posix

BY_CLOCK = {ONE_THREAD: 30e6, TWO_THREADS: 28e6, SAME_STEP: 20e6, PEER: 4e6}
AGAINST_RANDOM = {ONE_AGAINST_RANDOM: 20e6, TWO_AGAINST_RANDOM: 38e6}
SPEEDS = [
    BatchSpeed("Connect Four", 8192, BY_CLOCK, {**BY_CLOCK, TWO_THREADS: 54e6, **AGAINST_RANDOM})
]


def test_every_batch_of_every_game_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_environments, "BATCHES", (1, 3))
    measured = list(measure_batches(rounds=1))
    batches = [*product(("Connect Four", "tic-tac-toe"), (1, 3))]
    assert [(speed.game, speed.size) for speed in measured] == batches
    for speed in measured:
        assert {ONE_THREAD, TWO_THREADS, SAME_STEP} <= set(speed.by_clock)
        assert min(speed.by_processor.values()) > 0


def test_random_games_and_opponents_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_environments, "RANDOM_GAMES", 100)
    monkeypatch.setattr(vector_environments, "OPPONENT_BATCH", 2)
    monkeypatch.setattr(vector_environments, "OPPONENTS", ("random", "greedy"))
    assert "tic-tac-toe" in report_text(random_game_report(measure_random_games(rounds=1)))
    assert "greedy" in report_text(opponent_report(measure_opponents(rounds=1)))


LEFTMOST = """
#include <stdint.h>
#include <stdlib.h>
#include "raylib.h"
enum { ROWS = 6, COLUMNS = 7 };
typedef struct {
    float *observations; int *actions; float *rewards; unsigned char *terminals;
} CConnect4;
void init(CConnect4* env) { *env->terminals = 0; }
void c_reset(CConnect4* env) { for (int i = 0; i < 42; i++) env->observations[i] = 0; }
void lay(CConnect4* env, int column, float stone) {
    for (int row = 0; row < ROWS; row++)
        if (env->observations[ROWS * column + row] == 0) {
            env->observations[ROWS * column + row] = stone;
            return;
        }
}
void c_step(CConnect4* env) {
    lay(env, *env->actions, 1);
    lay(env, 0, -1);
    *env->rewards = *env->actions;
}
Color drawn(void) { InitWindow(1, 1, "never"); return IsKeyDown(KEY_ESCAPE) ? BLACK : WHITE; }
"""
"""An environment with the functions of PufferLib's, whose opponent plays in the first column."""


@needs_posix
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_an_environment_in_c_is_built_and_stepped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(FileNotFoundError, match="give the folder of PufferLib's source"):
        PufferGames(tmp_path, 2)
    header = tmp_path / HEADER
    header.parent.mkdir(parents=True)
    header.write_text(LEFTMOST, encoding="utf-8")
    games = PufferGames(tmp_path, 2)
    for _ in range(5):
        games.step(games.prepare(np.array([3, 1])))
        assert games.rewards.tolist() == [3, 1]
    assert games.action_masks().all()
    games.step(games.prepare(np.array([3, 1])))
    assert games.action_masks().tolist() == [[0, 1, 1, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1, 1]]
    monkeypatch.setattr(vector_environments, "OPPONENTS", ())
    assert [name for name, _ in measure_opponents(1, tmp_path)] == [PUFFERLIB]


def test_the_report_says_how_much_faster_than_the_peer() -> None:
    text = report_text(batch_report(SPEEDS))
    assert "Connect Four: ours at 8192 over the best of pgx: x7.5" in text
    assert "x1.80" in text
    assert "x1.90" in text
    assert "tic-tac-toe: " not in text
    assert "pgx is missing: install it with `pip install pgx`" in text


def test_the_figures_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    draw_batches(SPEEDS, tmp_path / "speed.svg")
    assert (tmp_path / "speed.svg").read_bytes().startswith(b"<?xml")
