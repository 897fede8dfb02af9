"""Processes that tests start, and that must end."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep

import psutil

ROOT = Path(__file__).parents[2]


def completed(
    command: Sequence[str | Path], folder: Path = ROOT, **variables: str | Path | None
) -> subprocess.CompletedProcess[str]:
    """A command that succeeds, with further variables of the environment; None: without that."""
    environment = {**os.environ, **variables}
    ended = subprocess.run(
        command,
        cwd=folder,
        env={name: value for name, value in environment.items() if value is not None},
        capture_output=True,
        check=False,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended


def output_of(
    program: str, *words: str | Path, folder: Path = ROOT, **variables: str | Path
) -> str:
    """The output of a program that succeeds in a Python of its own."""
    return completed([sys.executable, "-c", program, *words], folder, **variables).stdout


def is_gone(pid: int) -> bool:
    """Whether a process has ended, reaped or not."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def wait_until_gone(pids: list[int], seconds: float = 10.0) -> None:
    end = monotonic() + seconds
    while alive := [pid for pid in pids if not is_gone(pid)]:
        assert monotonic() < end, f"still running: {alive}"
        sleep(0.02)


def noted(file: Path, count: int, seconds: float = 10.0) -> list[int]:
    """The process ids that players have noted in a file, once there are so many."""
    end = monotonic() + seconds
    while True:
        pids = file.read_text().split() if file.exists() else []
        if len(pids) >= count:
            return [int(pid) for pid in pids]
        assert monotonic() < end, f"noted only {pids}"
        sleep(0.02)
