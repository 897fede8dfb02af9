"""Ctrl-C in tests."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def _heed_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


heed_ctrl_c = None if sys.platform == "win32" else _heed_ctrl_c
"""The `preexec_fn` of a child process that must not ignore Ctrl-C.

Background programs of a shell ignore it, and so do their children, except on Windows."""


def heed_all() -> None:
    """Reset the signals that a child process would otherwise ignore like its parent."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Restore the handlers of signals and of unraisable errors after the block."""
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
