"""A smaller stack for tests of what fills Python's: to fill the usual one takes seconds."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import stack


@contextmanager
def small_stack(frames: int) -> Iterator[None]:
    """Leave the block so many frames in addition to its own."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(len(stack(0)) + frames)
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)
