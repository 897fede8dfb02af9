"""Ctrl-C in tests."""

import signal


def heed_ctrl_c() -> None:
    """For a child process before it starts: a parent in the background passes on that it does not.

    Programs started in a shell's background ignore Ctrl-C, and so do their children.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def heed_all() -> None:
    """For a child process before it starts: whatever its parent ignores, it does not."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
