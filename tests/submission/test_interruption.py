"""Ctrl-C at any instant of a command, and at any step of waiting for workers."""

import signal
import subprocess
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
from tests.helpers.signals import handlers_kept, heed_signals
from tests.helpers.systems import needs_posix

PROGRAM = """
import atexit, signal, sys
sys.argv[1:] = ["agents"]
def press():
    signal.raise_signal(signal.SIGINT)
class Attribute:
    def __set_name__(self, owner, name): press()
class Goes:  # where Python raises nothing
    def __del__(self): press()
{interruption}
from submission.__main__ import main
main()
"""

LOADING = """
class Loading:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            {deed}
sys.meta_path.insert(0, Loading())
"""


def when_loaded(module: str, deed: str = "press()") -> str:
    """Press Ctrl-C, or do what does so, as a module is about to be loaded."""
    return LOADING.format(module=module, deed=deed)


MAKE_A_CLASS = "class Made: attribute = Attribute()"
INTERRUPTIONS = {
    "the first module": when_loaded("submission.cli"),
    "a library": when_loaded("typer.core"),
    "a module of the command": when_loaded("submission.cli.play"),
    "a class that is made": when_loaded("submission.cli", MAKE_A_CLASS),
    "a class of the command": when_loaded("submission.cli.play", MAKE_A_CLASS),
    "a finalizer": when_loaded("submission.cli.play", "Goes()"),
    "the end": 'sys.argv[1:] = ["--help"]\natexit.register(press)',
    "an error": 'sys.argv[1:] = ["play", "nobody"]\n' + when_loaded("rich.console"),
}


@needs_posix
@pytest.mark.parametrize("instant", INTERRUPTIONS)
def test_ctrl_c_ends_a_command_at_any_instant(instant: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(interruption=INTERRUPTIONS[instant])],
        capture_output=True,
        text=True,
        preexec_fn=heed_signals,
    )
    assert ended.returncode == 130, ended.stderr
    assert ended.stderr.count("\n") <= 1, ended.stderr
    assert "Traceback" not in ended.stderr


# --- while it waits for workers


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
