"""The workers of a parallel search: an executor, and a limit on the tasks that it has.

Ctrl-C raises `KeyboardInterrupt` between any two steps of the main thread. Within
`concurrent.futures` that may leave a lock held, so that other threads wait forever. So Ctrl-C is
delayed here until all locks are free.
"""

import os
import signal
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from threading import current_thread, main_thread
from time import monotonic
from typing import Any, TypeAlias, TypeVar

from agents.agent import Clock

Key = TypeVar("Key")
Outcome = TypeVar("Outcome")

Task: TypeAlias = tuple[Key, Callable[[], Outcome]]
"""A picklable callable, after the key that identifies its outcome."""

ENDING_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
"""Signals that may end a command by an exception, as Ctrl-C does; Windows lacks the last."""

CORES = (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()) or 1
"""How many processors this process may use."""

GLANCE_SECONDS = 0.1  # the longest delay of Ctrl-C while workers are busy


@contextmanager
def interrupt_put_off() -> Iterator[None]:
    """Delay Ctrl-C until a `with` block has ended."""
    if current_thread() is not main_thread():  # Ctrl-C is raised only in the main one
        yield
        return
    waiting: list[int] = []
    earlier = {
        number: signal.signal(number, lambda number, frame: waiting.append(number))
        for number in ENDING_SIGNALS
        if callable(signal.getsignal(number))
    }
    try:
        yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
    for number in waiting:
        signal.raise_signal(number)


def wait_for_any(futures: Collection[Future[Outcome]], seconds: float) -> set[Future[Outcome]]:
    """Wait until some futures have ended, and return these; none if the time is up first."""
    end = monotonic() + seconds
    while True:
        left = end - monotonic()
        with interrupt_put_off():
            ended, _ = wait(futures, max(0.0, min(GLANCE_SECONDS, left)), FIRST_COMPLETED)
        if ended or left <= GLANCE_SECONDS:
            return ended


@dataclass(frozen=True)
class Workers:
    """An executor that runs up to `count` tasks at the same time; ValueError if it is none."""

    executor: Executor
    count: int

    def __post_init__(self) -> None:
        if not hasattr(self.executor, "submit"):
            raise ValueError(
                f"{self.executor!r:.60} is no executor: give one, such as a ProcessPoolExecutor of "
                "concurrent.futures"
            )

    def run(
        self,
        tasks: Iterator[Task[Key, Outcome]],
        clock: Clock,
        is_needed: Callable[[Key], bool] = lambda _: True,
    ) -> Iterator[tuple[Key, Outcome]]:
        """Run the tasks; yield the outcome of each with its key, in the order in which they end.

        A task is taken from `tasks` only when a worker is free for it, so that it can include the
        time left. A task that is no longer needed is cancelled, and all are when the run ends;
        those that a worker has begun continue, and are not waited for.

        Raises:
            TimeUp: the time is up, and outcomes are missing.
            BrokenExecutor: the executor can run no more; all finished outcomes have been yielded.
            Exception: whatever a task has raised.
        """
        running: dict[Future[Outcome], Key] = {}
        try:
            while True:
                for key, call in islice(tasks, self.count - len(running)):
                    with interrupt_put_off():
                        running[self.executor.submit(call)] = key
                if not running:
                    return
                clock.check()
                for future in sorted(wait_for_any(running, clock.left), key=_has_failed):
                    yield running.pop(future), _outcome(future)
                unneeded = [future for future, key in running.items() if not is_needed(key)]
                call_off(unneeded)
                for future in unneeded:
                    del running[future]
        finally:
            call_off(running)

    def prepare(self, call: Callable[[], object]) -> None:
        """Run `call` once for each worker, so that every new worker has run it."""
        for _ in self.run(((number, call) for number in range(self.count)), Clock()):
            pass


def _has_failed(future: Future[Outcome]) -> bool:
    return future.cancelled() or future.exception() is not None


def _outcome(future: Future[Outcome]) -> Outcome:
    if future.cancelled():
        raise BrokenExecutor("the executor has cancelled a task")
    return future.result()


def call_off(futures: Iterable[Future[Any]]) -> None:
    """Cancel tasks; those that a worker has begun continue."""
    with interrupt_put_off():
        for future in futures:
            future.cancel()
