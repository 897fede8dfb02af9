"""Worker processes on this machine."""

import multiprocessing
import os
import signal
import tempfile
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from threading import Thread

from submission.executors.renewed_executor import RenewedExecutor

RENEWALS = 3
"""How often new workers take the place of such as were killed, for want of memory say."""


@contextmanager
def local_executor(workers: int) -> Iterator[Executor]:
    """Worker processes that end with the `with` block or this process, also in mid-game.

    Ctrl-C reaches only the process that opened the block. What the workers leave in temporary
    folders is removed at the end. When one is killed, all of them are replaced and what they were
    doing is begun again, at most `RENEWALS` times.

    Args:
        workers: number of processes, at least 1. With more than there are cores, players that
            think against the clock think less.

    Raises:
        ValueError: fewer than one worker.
    """
    if workers < 1:
        raise ValueError(f"the number of workers must be at least 1, not {workers}")
    others = set(multiprocessing.active_children())
    with tempfile.TemporaryDirectory(prefix="connectx-", ignore_cleanup_errors=True) as folder:

        def start() -> Executor:
            return ProcessPoolExecutor(
                workers,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_prepare_worker,
                initargs=(folder,),
            )

        executor = RenewedExecutor(start, renewals=RENEWALS)
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
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this worker when the process that started it is gone; it would wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
