"""The workers of a command, here or in a Dask cluster, and how their work has ended."""

from concurrent.futures import BrokenExecutor, Executor
from contextlib import AbstractContextManager
from enum import StrEnum

from submission.executors.dask_workers import cluster_size, dask_executor
from submission.executors.local_workers import local_executor


def chosen_executor(workers: int, dask: str | None) -> AbstractContextManager[Executor]:
    """Worker processes on this machine or, if `dask` is an address, that Dask scheduler's workers.

    Raises:
        ValueError, OSError, ModuleNotFoundError: as `local_executor` and `dask_executor`.
    """
    return local_executor(workers) if dask is None else dask_executor(dask)


def chosen_count(workers: int, dask: str | None) -> int:
    """The number of workers of `chosen_executor`; of a cluster, those that have joined so far."""
    return workers if dask is None else cluster_size(dask)


class Completion(StrEnum):
    """How the work has ended."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    WORKER_DIED = "worker died"
    UNFINISHED = "unfinished"
    """Games are missing in a results file, and another process may be playing them."""


class EarlyEnd(AbstractContextManager["EarlyEnd"]):
    """Lets Ctrl-C and the death of workers end only the `with` block, and records which it was."""

    completion = Completion.COMPLETE

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, KeyboardInterrupt):
            self.completion = Completion.INTERRUPTED
        elif isinstance(error, BrokenExecutor):
            self.completion = Completion.WORKER_DIED
        return self.completion is not Completion.COMPLETE


def early_end_in_words(
    completion: Completion, done: str, advice: str = "take fewer --workers"
) -> list[str]:
    """Say why part of the work is missing, if it is; `done` is a text such as "3 of 8 games"."""
    words = {
        Completion.INTERRUPTED: f"Interrupted after {done}.",
        Completion.UNFINISHED: f"So far {done} have been played.",
        Completion.WORKER_DIED: (
            f"The workers died after {done}, perhaps because memory ran out or their scheduler "
            f"ended: {advice}."
        ),
    }
    return [words[completion]] if completion in words else []
