"""Processes that tests start and that must end."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import IO

import psutil

from tests.helpers.clocks import wait_until
from tests.helpers.signals import heed_signals

ROOT = Path(__file__).parents[2]


def completed(
    command: Sequence[str | Path], folder: Path = ROOT, **variables: str | Path | None
) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed, with environment variables changed; None removes one."""
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
    """The output of a program that must succeed in a separate Python."""
    return completed([sys.executable, "-c", program, *words], folder, **variables).stdout


CONNECTX = ("-m", "submission")


class Piped(subprocess.Popen[str]):
    """A process whose standard streams are pipes of text."""

    stdin: IO[str]
    stdout: IO[str]
    stderr: IO[str]


@contextmanager
def running_command(
    *words: str, folder: Path = ROOT, program: Sequence[str] = CONNECTX, **variables: str
) -> Iterator[Piped]:
    """`connectx` in a folder, with pipes, in its own session; killed after two minutes."""
    pipe = subprocess.PIPE
    with Piped(
        [sys.executable, *program, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", **variables},
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        text=True,
        preexec_fn=heed_signals,
        start_new_session=True,
    ) as process:
        alarm = Timer(120, process.kill)
        alarm.start()
        try:
            yield process
        except BaseException:
            process.kill()
            raise
        finally:
            alarm.cancel()


def interrupted(
    *words: str, until: Callable[[], object], folder: Path, program: Sequence[str] = CONNECTX
) -> subprocess.CompletedProcess[str]:
    """`connectx` in a folder, and Ctrl-C in its terminal as soon as something is true."""
    with running_command(*words, folder=folder, program=program) as process:
        wait_until(lambda: process.poll() is not None or until(), 60)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    return subprocess.CompletedProcess(words, process.returncode, stdout, stderr)


def is_gone(pid: int) -> bool:
    """Whether a process has ended, reaped or not."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def survivors(mark: str) -> list[psutil.Process]:
    """The processes that bear a mark in their environment, their command or their folder."""
    return [process for process in psutil.process_iter() if _bears(process, mark)]


def _bears(process: psutil.Process, mark: str) -> bool:
    try:
        told = [*process.environ().values(), *process.cmdline(), process.cwd()]
        return process.status() != psutil.STATUS_ZOMBIE and any(mark in text for text in told)
    except (psutil.Error, OSError):
        return False


def wait_until_gone(pids: list[int], seconds: float = 10.0) -> None:
    wait_until(lambda: all(map(is_gone, pids)), seconds)


def noted(file: Path, count: int, seconds: float = 10.0) -> list[int]:
    """The process ids that players have noted in a file, once there are `count` of them."""

    def pids() -> list[int]:
        return [int(pid) for pid in file.read_text().split()] if file.exists() else []

    wait_until(lambda: len(pids()) >= count, seconds)
    return pids()
