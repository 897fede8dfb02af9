"""The workers that a command asks for: processes of this machine, or those of a cluster."""

from concurrent.futures import Executor
from contextlib import AbstractContextManager

from submission.executors.dask_workers import cluster_size, dask_executor
from submission.executors.local_workers import local_executor


def chosen_executor(workers: int, dask: str | None) -> AbstractContextManager[Executor]:
    """This number of worker processes here, or the workers of the Dask scheduler at an address.

    Raises:
        ValueError, OSError, ModuleNotFoundError: as `local_executor` and `dask_executor`.
    """
    return local_executor(workers) if dask is None else dask_executor(dask)


def chosen_count(workers: int, dask: str | None) -> int:
    """How many workers `chosen_executor` has; of a cluster, how many have joined by now."""
    return workers if dask is None else cluster_size(dask)
