"""Marks of tests that need features of some systems, and limits of files, memory and the stack."""

import os
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from inspect import stack

import pytest

from submission.sandbox.processes import can_throttle

needs_posix = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="forks, signals and permissions as only POSIX has them"
)

needs_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="limits, and words of the system, as only Linux has them"
)


needs_throttling = pytest.mark.skipif(not can_throttle(), reason="only Linux slows down")


def largest_file(size: int) -> AbstractContextManager[None]:
    """Limit the size of files, as if the disk were full."""
    return _limited("RLIMIT_FSIZE", size)


def open_files(number: int) -> AbstractContextManager[None]:
    """Limit the number of open files, at most to the system's hard limit."""
    return _limited("RLIMIT_NOFILE", number)


@contextmanager
def _limited(name: str, limit: int) -> Iterator[None]:
    """Set a limit of the system in the block; processes started there inherit it."""
    resource = pytest.importorskip("resource")
    kind = getattr(resource, name)
    before, most = resource.getrlimit(kind)
    resource.setrlimit(kind, (limit if most == resource.RLIM_INFINITY else min(limit, most), most))
    try:
        yield
    finally:
        resource.setrlimit(kind, (before, most))


@contextmanager
def small_stack(frames: int) -> Iterator[None]:
    """Limit the block to this many frames in addition to its own."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(len(stack(0)) + frames)
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)


@contextmanager
def memory_below(most: float) -> Iterator[None]:
    """Fail if Python held so many bytes of the block at a time."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()
