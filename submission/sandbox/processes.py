"""Finds, slows and ends processes, for the supervisors of a sandbox."""

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import psutil

from submission.sandbox.inside.containment import LINUX
from submission.sandbox.interpreter import MARK

PR_SET_CHILD_SUBREAPER = 36  # from Linux's `sys/prctl.h`
END_SECONDS = 30.0  # seconds for killing processes that start others
PAUSE = 0.002  # seconds between two looks at processes that should end
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # on Windows either ends a process at once

GIB = 2**30

LISTS_CHILDREN = Path(f"/proc/self/task/{os.getpid()}/children").exists()
"""Whether this system (Linux) lists the children of every process."""


def adopt_orphans() -> None:
    """Make this process the parent of all descendants whose own parents end.

    On Linux no process can escape that by a session of its own, a cleared environment or the end
    of its parent. On other systems nothing is adopted.
    """
    if LINUX:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(process_id: int) -> list[int]:
    """The processes that come from another, parents first.

    On Linux this reads the system's own lists: psutil scans all processes of the machine, which is
    too slow for a call every few milliseconds.
    """
    if not LISTS_CHILDREN:
        with contextlib.suppress(psutil.Error):
            return [child.pid for child in psutil.Process(process_id).children(recursive=True)]
        return []
    found = [process_id]
    for parent in found:
        found += _children(parent)
    return found[1:]


def _children(process_id: int) -> list[int]:
    listed = b""
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{process_id}/task").iterdir():
            listed += (thread / "children").read_bytes()
    return [int(child) for child in listed.split()]


def end_marked(mark: str) -> None:
    """Kill the processes in whose environment `MARK` has this value, and those they start."""
    processes = psutil.process_iter
    for _ in ending(lambda: [process.pid for process in processes() if _mark(process) == mark]):
        time.sleep(PAUSE)


def ending(find: Callable[[], list[int]]) -> Iterator[None]:
    """Kill processes, once per iteration, until none is found: they may start others meanwhile."""
    end = time.monotonic() + END_SECONDS
    while (processes := find()) and time.monotonic() < end:
        send(KILL, processes)
        yield


def is_stopped(process_id: int) -> bool:
    """Whether a process has been stopped by a signal."""
    with contextlib.suppress(psutil.Error):
        status = psutil.Process(process_id).status()
        return status in (psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP)
    return False


def reap_orphans(spared: int | None) -> None:
    """Reap adopted processes that have ended, except `spared`, which others reap."""
    for process_id in _children(os.getpid()):
        if process_id != spared:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process_id, os.WNOHANG)


def _mark(process: psutil.Process) -> str | None:
    with contextlib.suppress(psutil.Error, OSError):
        mark: str | None = process.environ().get(MARK)
        return mark
    return None


def default_memory() -> int:
    """A third of the machine's memory in bytes, at least 4 GiB and at most Kaggle's 16 GiB."""
    return min(16 * GIB, max(4 * GIB, int(psutil.virtual_memory().total) // 3))


INTERVAL = 0.005  # seconds between two looks at the processes
MOST_CREDIT = 0.02  # most seconds of processor time that idle processes save up


def can_throttle() -> bool:
    """Whether this system (Linux) reports the children and the time of every process."""
    return LINUX and LISTS_CHILDREN


class Throttle:
    """Limits processes to a share of one core, like a slower machine, if `hold` is called often.

    A token bucket: every `INTERVAL` their processor time is read; they are stopped when it exceeds
    their share, and resumed when it does not. Their wall clock runs on.

    Args:
        speed: the share of one core, above 0 and below 1, for all of their threads together.
        now: seconds, by the clock of later calls.
        used: seconds of processor time that they have used by now.
    """

    def __init__(self, speed: float, now: float, used: float) -> None:
        self._speed = speed
        self._now = now
        self._used = used
        self._credit = 0.0
        self._is_stopped = False

    def overdraws(self, now: float, used: float) -> bool:
        """Whether more has been used by now than has been granted."""
        self._credit += self._speed * (now - self._now) - (used - self._used)
        self._credit = min(MOST_CREDIT, self._credit)
        self._now, self._used = now, used
        return self._credit < 0

    def hold(self, processes: list[int]) -> None:
        """Stop the processes, parents first, if they have used too much, else resume them."""
        overdraws = self.overdraws(time.monotonic(), used_by(processes))
        if overdraws:
            send(signal.SIGSTOP, processes)
        elif self._is_stopped:
            send(signal.SIGCONT, processes)
        self._is_stopped = overdraws


def processor_seconds(process_id: int) -> float:
    """Measure the time of a process and of the children that it has waited for; 0 where it is gone.

    psutil counts in ticks of 10 ms, twice as long as an interval.
    """
    clock = ~process_id << 3 | 2  # as clock_getcpuclockid makes it
    try:
        own = time.clock_gettime(clock)
        status = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    user, system = status[13:15]
    return own + (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def used_by(processes: Iterable[int]) -> float:
    """Measure the time of several processes."""
    return sum(map(processor_seconds, processes))


def send(number: int, processes: Iterable[int]) -> None:
    """Send a signal to those of the processes that still run and are the user's own."""
    for process_id in processes:
        with contextlib.suppress(OSError):  # it has gone, or belongs to another user
            os.kill(process_id, number)
