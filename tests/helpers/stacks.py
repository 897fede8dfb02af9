"""A smaller stack for tests that overflow Python's, which takes seconds to fill."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import stack


@contextmanager
def small_stack(frames: int) -> Iterator[None]:
    """Limit the block to this many frames in addition to its own."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(len(stack(0)) + frames)
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)
