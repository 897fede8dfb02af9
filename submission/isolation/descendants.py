"""The processes that come from this one, also those that have left it."""

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Container
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
"""From Linux's `sys/prctl.h`."""


def adopt_orphans() -> None:
    """Make this process the parent of every descendant whose own parent ends.

    On Linux, nothing that a process does to itself takes it out of this line: no session of its
    own, no cleared environment, no parent that has ended. Elsewhere nothing is adopted.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_descendants(spared: Container[int] = ()) -> None:
    """Kill and reap this process's children, and with `adopt_orphans` all their descendants.

    Args:
        spared: children that live on, with their descendants.
    """
    while strays := [pid for pid in _children(os.getpid()) if pid not in spared]:
        for pid in strays:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in strays:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def count_descendants() -> int:
    """How many processes come from this one; 0 where Linux does not list them."""
    return len(descendants(os.getpid()))


def descendants(process_id: int) -> list[int]:
    """The processes that come from another, parents first; none where Linux does not list them."""
    found = [process_id]
    for parent in found:
        found += _children(parent)
    return found[1:]


def _children(process_id: int) -> list[int]:
    """The children of a process; none where Linux does not list them."""
    listed = b""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for thread in Path(f"/proc/{process_id}/task").iterdir():
            listed += (thread / "children").read_bytes()
    return [int(child) for child in listed.split()]
