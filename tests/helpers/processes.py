"""Processes that tests start, and that must end."""

import os
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import psutil

ROOT = Path(__file__).parents[2]


def output_of(
    program: str, *words: str | Path, folder: Path = ROOT, **variables: str | Path
) -> str:
    """What a program prints that succeeds in a Python of its own."""
    ended = subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        check=False,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


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
