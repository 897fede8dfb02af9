"""Ctrl-C in tests."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def _heed_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


heed_ctrl_c = None if sys.platform == "win32" else _heed_ctrl_c
"""The `preexec_fn` of a child process: a parent in the background passes on that it does not.

Programs started in a shell's background ignore Ctrl-C, and so do their children; Windows has no
such thing."""


def heed_all() -> None:
    """For a child process before it starts: whatever its parent ignores, it does not."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Whatever the block makes of signals and lost errors, they are then handled as before."""
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    hook = sys.unraisablehook
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)
