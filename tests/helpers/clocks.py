"""Time in tests: a clock that advances only when read, a time limit for blocks, and waiting."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from time import monotonic, sleep
from types import FrameType
from typing import TypeVar

import pytest

Result = TypeVar("Result")


@contextmanager
def ticking_clock() -> Iterator[None]:
    """Advance the agents' clock by one second whenever it is read, and only then.

    So a time limit of n seconds ends a search at its n-th reading, the same in every run.
    """
    with pytest.MonkeyPatch.context() as patch:
        ticks = count()
        patch.setattr("agents.agent.perf_counter", lambda: float(next(ticks)))
        yield


@contextmanager
def ends_within(seconds: float, waiting: bool = False) -> Iterator[None]:
    """Fail if the block is still running after `seconds` of this process's own time.

    If it may be `waiting` for something, elapsed time counts instead. Windows has no such timers:
    there, nothing ends the block.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return

    def give_up(number: int, frame: FrameType | None) -> None:
        pytest.fail(f"still running after {seconds} s")

    alarm = signal.SIGALRM if waiting else signal.SIGVTALRM
    timer = signal.ITIMER_REAL if waiting else signal.ITIMER_VIRTUAL
    before = signal.signal(alarm, give_up)
    signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(alarm, before)


def wait_until(condition: Callable[[], Result], seconds: float = 30.0) -> Result:
    """The first result of a condition that is true; fails if none is in time."""
    end = monotonic() + seconds
    while not (result := condition()):
        assert monotonic() < end, f"still {result!r}"
        sleep(0.01)
    return result
