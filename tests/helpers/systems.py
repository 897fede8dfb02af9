"""Marks of tests that need what not every system has, and a disk without room."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from submission.sandbox.processes import can_throttle

needs_posix = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="forks, signals and permissions as only POSIX has them"
)

needs_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="limits, and words of the system, as only Linux has them"
)


needs_throttling = pytest.mark.skipif(not can_throttle(), reason="only Linux slows down")


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """As if the disk were full beyond so many bytes."""
    resource = pytest.importorskip("resource")
    before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))
