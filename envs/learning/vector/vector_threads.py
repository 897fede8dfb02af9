"""Kernels whose work Numba's threads share."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from threading import Lock
from typing import Any

from envs.learning import IMPORTED_BY

Kernel = Callable[..., Any]

SPINS = "GOMP_SPINCOUNT", "OMP_WAIT_POLICY"
"""Environment variables by which users choose how GNU OpenMP's threads wait."""
SPIN_COUNT = "5000"
"""How often a thread polls for work before it sleeps: some 0.2 ms, long enough until the next step.
By default threads poll for 13 ms, and all threads wait as long whenever another process has taken
one of the processors.
"""
ROWS_OF_A_THREAD = 1024
"""Fewer rows are not worth a thread: their step takes 15 microseconds, and sharing it costs 2."""
TURN = Lock()  # held while threads are started, or used where only one caller may use them


class ThreadedKernel:
    """A kernel whose work Numba's threads share, where the process may use them.

    Callers in several Python threads take turns if Numba has only its own threads ("workqueue"),
    which two callers at once would crash. If the process may not use the threads, the caller runs
    the kernel `alone`. The `shared` kernel, compiled by `jit_parallel`, does the same work; its
    first argument is the number of its parts: one for each thread, though fewer may run them.
    """

    def __init__(self, alone: Kernel, shared: Kernel, threads: int) -> None:
        self._alone = alone
        self._shared = shared
        # Numba has a thread for each processor, unless the user has set the number.
        self._threads = min(threads, threading_of_numba().config.NUMBA_NUM_THREADS)

    def __call__(self, *arguments: object) -> Any:
        """Run the kernel and return its result; the caller's number of threads is restored."""
        turn = turn_of_caller()
        if turn is None:
            return self._alone(*arguments)
        numba = threading_of_numba()
        with turn:
            allowed = numba.get_num_threads()
            numba.set_num_threads(self._threads)
            try:
                return self._shared(self._threads, *arguments)
            finally:
                numba.set_num_threads(allowed)


@lru_cache
def turn_of_caller() -> AbstractContextManager[object] | None:
    """Start the threads of this process; return a context manager to hold while using them.

    It is None in a process forked after OpenMP's threads had run: GNU OpenMP would terminate it.
    """
    numba = threading_of_numba()
    if os.getpid() != IMPORTED_BY and running_layer() == "omp":
        return None
    with TURN, short_spins():
        numba.get_num_threads()
    return TURN if numba.threading_layer() == "workqueue" else nullcontext()


def forget_parent() -> None:
    """Reset the state in a forked process, where a lock that the parent held is never released."""
    global TURN
    TURN = Lock()
    turn_of_caller.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_parent)


def useful_threads(threads: int, rows: int) -> int:
    """Return how many of at most `threads` threads are worth using for `rows` games."""
    return max(1, min(threads, rows // ROWS_OF_A_THREAD))


def running_layer() -> str | None:
    """Return the name of Numba's threading library; None before its threads are started."""
    try:
        layer: str = threading_of_numba().threading_layer()
    except ValueError:
        return None
    return layer


@contextmanager
def short_spins() -> Iterator[None]:
    """Make GNU OpenMP's threads that start now poll briefly, unless the user has set how long."""
    if any(name in os.environ for name in SPINS):
        yield
        return
    os.environ[SPINS[0]] = SPIN_COUNT
    try:
        yield
    finally:
        del os.environ[SPINS[0]]


def threading_of_numba() -> Any:
    """Return Numba, imported only when its threads are needed."""
    import numba

    return numba
