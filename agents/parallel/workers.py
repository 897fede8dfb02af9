"""The workers of a parallel search: an executor, and how much it is given at a time."""

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from math import inf
from typing import TypeAlias, TypeVar

from agents.agent import Clock

Key = TypeVar("Key")
Outcome = TypeVar("Outcome")

Task: TypeAlias = tuple[Key, Callable[[], Outcome]]
"""Something to do, a picklable callable, and the key that its outcome is known by."""


@dataclass(frozen=True)
class Workers:
    """An executor that runs up to `count` tasks at the same time."""

    executor: Executor
    count: int

    def run(
        self, tasks: Iterator[Task[Key, Outcome]], clock: Clock
    ) -> Iterator[tuple[Key, Outcome]]:
        """Run the tasks; give the outcome of each with its key, in the order in which they end.

        A task is taken from `tasks` only when a worker is free for it, so that it can carry the
        time that is left. Whatever ends the run takes back what no worker has begun.

        Raises:
            TimeUp: the time is up, and outcomes are missing.
            Exception: what a task has raised.
        """
        running: dict[Future[Outcome], Key] = {}
        try:
            self._refill(running, tasks)
            while running:
                clock.check()
                done, _ = wait(running, _timeout(clock), return_when=FIRST_COMPLETED)
                for future in done:
                    yield running.pop(future), future.result()
                self._refill(running, tasks)
        finally:
            for future in running:
                future.cancel()

    def prepare(self, call: Callable[[], Outcome]) -> list[Outcome]:
        """Run `call` as often as there are workers, so that each one, if it is new, has done it.

        Raises:
            Exception: what the call has raised.
        """
        calls = ((number, call) for number in range(self.count))
        return [result for _, result in self.run(calls, Clock())]

    def _refill(
        self, running: dict[Future[Outcome], Key], tasks: Iterator[Task[Key, Outcome]]
    ) -> None:
        """Submit tasks until as many are running as there are workers."""
        while len(running) < self.count and (task := next(tasks, None)) is not None:
            key, call = task
            running[self.executor.submit(call)] = key


def _timeout(clock: Clock) -> float | None:
    """Seconds to wait at most, as `wait` wants them: None is for ever."""
    return None if clock.left == inf else clock.left
