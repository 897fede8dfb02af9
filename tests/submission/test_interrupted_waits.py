"""Ctrl-C at any step of waiting for workers: it raises, and no lock stays held."""

import signal
import sys
from collections.abc import Callable, Iterator
from concurrent import futures
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count, repeat
from pathlib import Path
from threading import Barrier
from threading import __file__ as threading_file
from types import FrameType
from typing import Any

import pytest

from agents.agent import Clock
from agents.book.building.shards import SHARD_POSITIONS, run_shards
from agents.parallel.workers import Workers
from submission.match import run
from tests.helpers.signals import handlers_kept

WORKERS = 2
PATIENCE = 20.0
AMID = (threading_file, str(Path(futures.__file__).parent))
"""Where locks are held."""


def run_tasks(executor: Executor) -> None:
    list(Workers(executor, 3).run(((number, bool) for number in range(4)), Clock()))


def solve_shards(executor: Executor) -> None:
    list(run_shards(executor, list, range(2 * SHARD_POSITIONS)))


def play_games(executor: Executor) -> None:
    specifications: Any = repeat(None, 3)
    list(run.play_games(specifications, lambda _: True, executor))


@contextmanager
def ctrl_c_at(step: int) -> Iterator[Callable[[], bool]]:
    """Press Ctrl-C at a step of this thread among the locks; tells whether it came as far."""
    steps, pressed = count(), []

    def press(frame: FrameType, event: str, argument: object) -> None:
        if frame.f_code.co_filename.startswith(AMID) and next(steps) == step:
            pressed.append(step)
            signal.raise_signal(signal.SIGINT)

    sys.setprofile(press)
    try:
        yield lambda: bool(pressed)
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("work", [run_tasks, solve_shards, play_games])
def test_ctrl_c_leaves_no_lock_behind(
    work: Callable[[Executor], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "play_game", lambda _: None)
    with handlers_kept():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for step in count():
            executor = ThreadPoolExecutor(WORKERS)
            with ctrl_c_at(step) as was_pressed:
                try:
                    work(executor)
                    assert not was_pressed()
                except KeyboardInterrupt:
                    pass
            meet = Barrier(WORKERS + 1)
            for _ in range(WORKERS):
                executor.submit(meet.wait, PATIENCE)
            meet.wait(PATIENCE)
            executor.shutdown()
            if not was_pressed():
                break
    assert step > 100
