"""Ctrl-C in tests."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

NUMBERS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


def _heed_signals() -> None:
    for number in NUMBERS:
        signal.signal(number, signal.SIG_DFL)


heed_signals = None if sys.platform == "win32" else _heed_signals
"""The `preexec_fn` of a child process that must not ignore what its parent ignores.

Background programs of a shell ignore Ctrl-C, and so do their children, except on Windows."""


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Restore the handlers of signals and of unraisable errors after the block."""
    before = {number: signal.getsignal(number) for number in NUMBERS}
    hook = sys.unraisablehook
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)
