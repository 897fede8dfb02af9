"""The executor that a command line names."""

from concurrent.futures import Executor
from contextlib import AbstractContextManager

from submission.executors.dask_workers import dask_executor
from submission.executors.workers import local_executor


def chosen_executor(workers: int, dask: str | None) -> AbstractContextManager[Executor]:
    """So many worker processes here; or those of the Dask scheduler at an address.

    Raises:
        ValueError, OSError, ModuleNotFoundError: as `local_executor` and `dask_executor`.
    """
    return local_executor(workers) if dask is None else dask_executor(dask)
