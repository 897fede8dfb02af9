"""Time in tests: a clock that only its readers move, and an end to what would never end."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from types import FrameType

import pytest


@contextmanager
def ticking_clock() -> Iterator[None]:
    """Let the agents' clock advance by one second with each look at it, and not otherwise.

    So a time limit of n seconds ends a search at its n-th look, the same in every run.
    """
    with pytest.MonkeyPatch.context() as patch:
        ticks = count()
        patch.setattr("agents.agent.perf_counter", lambda: float(next(ticks)))
        yield


@contextmanager
def ends_within(seconds: float) -> Iterator[None]:
    """Fail when the block is still running after `seconds` of this process's own time.

    Windows tells no process its time: there, nothing ends the block.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return

    def give_up(number: int, frame: FrameType | None) -> None:
        pytest.fail(f"still running after {seconds} s")

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
