"""Holds a process and all that it starts to a share of one core: a slower machine.

A token bucket, in a process of its own: every few milliseconds it reads how much processor time the
others have used, stops them when that is more than their share, and lets them go on when it is not.
Their wall clock runs on. It ends them when its supervisor is gone, however that ended: nothing is
left behind stopped.
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from threading import get_native_id
from time import monotonic

from submission.isolation.child_process import child_command
from submission.isolation.descendants import descendants

INTERVAL = 0.005
"""Seconds between two looks at the processes."""

MOST_CREDIT = 0.02
"""Seconds of processor time that idle processes save up at most."""


def can_throttle() -> bool:
    """Whether this system, Linux that is, tells the children and the time of every process."""
    return sys.platform == "linux" and Path(f"/proc/self/task/{get_native_id()}/children").exists()


class Throttle:
    """The supervisor's end.

    Args:
        process_id: the process, which adopts the orphans among its descendants.
        speed: the share of one core, above 0 and below 1, for all of its threads and processes
            together.
    """

    def __init__(self, process_id: int, speed: float) -> None:
        self._process = subprocess.Popen(  # noqa: S603
            [*child_command(__name__, Path(sys.executable)), str(process_id), str(speed)],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the supervisor alone
        )

    def begin(self) -> None:
        """From now on there is only the share."""
        if self._process.stdin is not None:
            self._process.stdin.write(b"\n")

    def close(self) -> None:
        """End the process and all that it has started."""
        self._process.communicate()


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


def processor_seconds(process_id: int) -> float:
    """What a process, with the children that it has waited for, has used; 0 where it is gone."""
    clock = ~process_id << 3 | 2  # as clock_getcpuclockid makes it
    try:
        own = time.clock_gettime(clock)
        user, system = _status(process_id)[13:15]
    except OSError:
        return 0.0
    return own + (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Tree:
    """A process and its descendants, for as long as it runs.

    Args:
        root: the process.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._birth = _birth(root)

    def processes(self) -> list[int]:
        """The process first; nothing once it is gone, when its number may be another's."""
        if self._birth is None or _birth(self._root) != self._birth:
            return []
        return [self._root, *descendants(self._root)]


def hold(tree: Tree, speed: float) -> None:
    """Hold processes to their share until the supervisor hangs up."""
    bucket = Bucket(speed, monotonic(), _used(tree.processes()))
    is_stopped = False
    while not _has_hung_up(INTERVAL):
        processes = tree.processes()
        overdraws = bucket.overdraws(monotonic(), _used(processes))
        if overdraws:
            _send(signal.SIGSTOP, processes)
        elif is_stopped:
            _send(signal.SIGCONT, processes)
        is_stopped = overdraws


def end(tree: Tree) -> None:
    """Kill a process after its descendants, all of them stopped so that none starts another."""
    _send(signal.SIGSTOP, tree.processes())
    _send(signal.SIGKILL, reversed(tree.processes()))


def main() -> None:
    """Do as the command line says, once the supervisor says so."""
    tree, speed = Tree(int(sys.argv[1])), float(sys.argv[2])
    if os.read(0, 1):
        hold(tree, speed)
    end(tree)


def _status(process_id: int) -> list[str]:
    """The fields of a process's status from the third on; see proc(5).

    Raises:
        OSError: there is no such process.
    """
    return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()


def _birth(process_id: int) -> str | None:
    """When a process was started, in ticks; None where there is none."""
    try:
        return _status(process_id)[19]
    except OSError:
        return None


def _used(processes: Iterable[int]) -> float:
    return sum(map(processor_seconds, processes))


def _send(number: signal.Signals, processes: Iterable[int]) -> None:
    for process_id in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process_id, number)


def _has_hung_up(seconds: float) -> bool:
    """Whether the supervisor, which says no more, is gone; asked for so many seconds."""
    readable, _, _ = select.select([0], [], [], seconds)
    return bool(readable)
