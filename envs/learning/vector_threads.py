"""Kernels that are shared by Numba's threads."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from threading import Lock
from typing import Any

Kernel = Callable[..., None]

SPINS = "GOMP_SPINCOUNT", "OMP_WAIT_POLICY"
"""Variables of the environment by which users say how GNU OpenMP's threads wait."""
SPIN_COUNT = "5000"
"""How often they look for work before they sleep: for some 0.2 ms, which lasts to the next step.

They would do so for 13 ms; and as long does everything wait whenever another process has taken one
of the processors.
"""
IMPORTED_BY = os.getpid()
TURN = Lock()
"""Of those who start the threads, or use them where only one may."""


class ThreadedKernel:
    """A kernel that so many of Numba's threads share.

    Callers in several Python threads take turns where Numba has only its own threads ("workqueue"),
    which two callers at once would crash. In a process that was forked after OpenMP's threads had
    run, the caller runs the kernel alone: GNU OpenMP would end the process.

    Args:
        alone: the kernel.
        shared: the same in parts, whose number it takes first, compiled by `jit_parallel`.
        threads: how many; fewer where Numba has fewer, one for each processor.
    """

    def __init__(self, alone: Kernel, shared: Kernel, threads: int) -> None:
        numba = threading_of_numba()
        self._alone = alone
        self._shared = shared
        self._parts = threads
        self._threads = min(threads, numba.config.NUMBA_NUM_THREADS)
        self._get_num_threads = numba.get_num_threads
        self._set_num_threads = numba.set_num_threads

    def __call__(self, *arguments: object) -> None:
        """Run the kernel."""
        turn = turn_of_process(os.getpid())
        if turn is None:
            self._alone(*arguments)
            return
        with turn:
            allowed = self._get_num_threads()
            if allowed != self._threads:
                self._set_num_threads(self._threads)
            try:
                self._shared(self._parts, *arguments)
            finally:
                if allowed != self._threads:
                    self._set_num_threads(allowed)


@lru_cache
def turn_of_process(process: int) -> AbstractContextManager[object] | None:
    """Whose turn it is with the threads of this process, which are started; None if they are lost.

    Args:
        process: the number of the process that asks.
    """
    numba = threading_of_numba()
    if process != IMPORTED_BY and running_layer() == "omp":
        return None
    with TURN, short_spins():
        numba.get_num_threads()
    return TURN if numba.threading_layer() == "workqueue" else nullcontext()


def running_layer() -> str | None:
    """What Numba's threads are made by; None before they are started."""
    try:
        layer: str = threading_of_numba().threading_layer()
    except ValueError:
        return None
    return layer


@contextmanager
def short_spins() -> Iterator[None]:
    """Let threads of GNU OpenMP that are started now wait briefly, unless the user has said how."""
    if any(name in os.environ for name in SPINS):
        yield
        return
    os.environ[SPINS[0]] = SPIN_COUNT
    try:
        yield
    finally:
        del os.environ[SPINS[0]]


def threading_of_numba() -> Any:
    """Numba, imported when its threads are needed; its types do not tell of them."""
    import numba

    return numba
