"""Plays one game of a submission in a sandbox and brings it to an end, whatever happens."""

import re
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from submission.checking.game_watch import GameWatch, Limits
from submission.checking.observed_game import (
    ChannelClosed,
    Died,
    Ending,
    GamePlan,
    ObservedGame,
    Overdue,
    Stopped,
    TooLong,
)
from submission.checking.sandbox import Sandbox
from submission.isolation.messages import Message
from submission.isolation.player_job import CHANNEL_LOST, MAIN

WORKER = "submission.checking.check_worker"

SEED = 1
"""Seeds Python's random numbers, with which Kaggle's `random` agent plays."""

GLANCE_SECONDS = 0.2
"""How long to wait for a report before looking at the clock again."""

FAREWELL_SECONDS = 1.0
"""How long a process at full speed may take for its last words."""

RUNNING_LINE = re.compile(rf'File "[^"]*{re.escape(MAIN)}", line (\d+) in (\S+)')
"""A line of faulthandler's that lies in the submission."""


def play_game(
    plan: GamePlan,
    staged: Path,
    limits: Limits,
    python: Path | None,
    is_cancelled: Callable[[], bool],
) -> ObservedGame:
    """Play a game in a process of its own.

    Args:
        plan: the game.
        staged: folder with the submission, which is copied for this game.
        limits: what the submission may take.
        python: the interpreter that plays; None for this one.
        is_cancelled: asked several times a second; True stops the game.

    Raises:
        ChildProcessError: the process did not get as far as the submission.
    """
    with TemporaryDirectory(prefix="connectx-", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary).resolve()
        copy, empty = folder / "agent", folder / "working"
        shutil.copytree(staged, copy)
        empty.mkdir()
        task = job(plan, copy / MAIN, limits)
        with Sandbox(
            WORKER,
            task,
            folder=empty,
            memory=limits.memory,
            speed=limits.speed,
            python=python,
        ) as sandbox:
            watch = GameWatch(plan, limits, monotonic())
            ending = _follow(sandbox, watch, limits, is_cancelled)
            if watch.versions is None:
                said = sandbox.stderr.strip().rpartition("\n")[2]
                raise ChildProcessError(
                    f"the process that plays the games did not start: {said or 'it said nothing'}"
                )
            return watch.record(watch.versions, ending, sandbox.stderr)


def job(plan: GamePlan, main: Path, limits: Limits) -> Message:
    """What the worker has to know."""
    return {
        "main": str(main),
        "seats": plan.seats,
        "seed": SEED,
        "bank": limits.bank,
        "is_slowed": limits.speed < 1,
        "configuration": {
            "rows": plan.rows,
            "columns": plan.columns,
            "inarow": plan.inarow,
            "actTimeout": plan.act_timeout,
            "runTimeout": limits.run_timeout,
        },
    }


def _follow(
    sandbox: Sandbox, watch: GameWatch, limits: Limits, is_cancelled: Callable[[], bool]
) -> Ending:
    end = monotonic() + limits.run_timeout
    farewell = FAREWELL_SECONDS / limits.speed
    while True:
        _hear(sandbox, watch, GLANCE_SECONDS)
        now = monotonic()
        if watch.ending is not None:
            _hear(sandbox, watch, 0)
            return watch.ending
        if not sandbox.can_report or sandbox.exit_code() is not None:
            return _last_words(sandbox, watch, farewell)
        if watch.is_overdue(now):
            return Overdue(watch.waited(now), _running_line(sandbox, farewell))
        if now > end:
            return TooLong(limits.run_timeout)
        if is_cancelled() or watch.has_shown_enough(now):
            return Stopped()


def _hear(sandbox: Sandbox, watch: GameWatch, seconds: float) -> None:
    for message in sandbox.listen(seconds):
        watch.hear(message, monotonic())
        if message["event"] == "ready":
            sandbox.slow_down()


def _last_words(sandbox: Sandbox, watch: GameWatch, seconds: float) -> Ending:
    """What a process that ends has still said in so many seconds, or how it ended."""
    end = monotonic() + seconds
    while sandbox.can_report and watch.ending is None and monotonic() < end:
        _hear(sandbox, watch, GLANCE_SECONDS)
    if watch.ending is not None:
        return watch.ending
    exit_code = sandbox.exit_code(wait=seconds)
    if exit_code is None or exit_code == CHANNEL_LOST:
        return ChannelClosed()
    return Died(exit_code)


def _running_line(sandbox: Sandbox, seconds: float) -> str | None:
    """Ask the process for its stack, which Python prints even in an endless loop."""
    sandbox.send_signal(signal.SIGUSR1)
    end = monotonic() + seconds
    while monotonic() < end:
        sandbox.listen(GLANCE_SECONDS)
        _, _, stack = sandbox.stderr.rpartition("most recent call first")
        if running := RUNNING_LINE.search(stack):
            line, function = running.groups()
            return f"line {line}, in {function}"
    return None
