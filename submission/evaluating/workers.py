"""Worker processes on this machine."""

import multiprocessing
import signal
import tempfile
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager


@contextmanager
def local_executor(workers: int) -> Iterator[Executor]:
    """Worker processes that end with the `with` block, also in the middle of a game.

    Ctrl-C reaches only the process that opened the block. What the workers leave in temporary
    folders is removed at the end.

    Args:
        workers: number of processes, at least 1. With more than there are cores, players that
            think against the clock think less.

    Raises:
        ValueError: fewer than one worker.
    """
    if workers < 1:
        raise ValueError(f"the number of workers must be at least 1, not {workers}")
    others = set(multiprocessing.active_children())
    with tempfile.TemporaryDirectory(prefix="connectx-") as folder:
        executor = ProcessPoolExecutor(
            workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_prepare_worker,
            initargs=(folder,),
        )
        try:
            yield executor
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()
                worker.join()


def _prepare_worker(temporary_folder: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tempfile.tempdir = temporary_folder
