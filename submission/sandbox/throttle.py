"""Holds processes to a share of one core: a slower machine.

A token bucket: every few milliseconds their processor time is read; they are stopped when that is
more than their share, and go on when it is not. Their wall clock runs on.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from time import monotonic

from submission.sandbox.processes import lists_children

INTERVAL = 0.005
"""Seconds between two looks at the processes."""

MOST_CREDIT = 0.02
"""Seconds of processor time that idle processes save up at most."""


def can_throttle() -> bool:
    """Whether this system, Linux that is, tells the children and the time of every process."""
    return sys.platform == "linux" and lists_children()


class Bucket:
    """The processor time that may be used at once.

    Args:
        speed: seconds of processor time that come in with each second.
        now: seconds on the clock that `overdraws` is told too.
        used: seconds of processor time used before.
    """

    def __init__(self, speed: float, now: float, used: float) -> None:
        self._speed = speed
        self._now = now
        self._used = used
        self._credit = 0.0

    def overdraws(self, now: float, used: float) -> bool:
        """Whether more has been used by now than has come in."""
        self._credit += self._speed * (now - self._now) - (used - self._used)
        self._credit = min(MOST_CREDIT, self._credit)
        self._now, self._used = now, used
        return self._credit < 0


class Throttle:
    """Holds processes to their share, for as long as `hold` is called every `INTERVAL`.

    Args:
        find: the processes, those first that start others.
        speed: the share of one core, above 0 and below 1, for all of their threads together.
    """

    def __init__(self, find: Callable[[], list[int]], speed: float) -> None:
        self._find = find
        self._bucket = Bucket(speed, monotonic(), _used(find()))
        self._is_stopped = False

    def hold(self) -> None:
        """Stop the processes, or let them go on, by what they have used."""
        processes = self._find()
        overdraws = self._bucket.overdraws(monotonic(), _used(processes))
        if overdraws:
            _send(signal.SIGSTOP, processes)
        elif self._is_stopped:
            _send(signal.SIGCONT, processes)
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


def _used(processes: Iterable[int]) -> float:
    return sum(map(processor_seconds, processes))


def _send(number: int, processes: Iterable[int]) -> None:
    for process_id in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process_id, number)
