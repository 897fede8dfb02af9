"""Worker processes on this machine."""

import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from runpy import run_path
from threading import Thread
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

from submission.executors.renewed_executor import RenewedExecutor
from submission.sandbox.launcher import SUPERVISORS
from submission.sandbox.processes import remove_folder

P = ParamSpec("P")
T = TypeVar("T")

WORKER_START = str(Path(__file__).with_name("worker_start.py"))
"""Prepares a new worker."""

RENEWALS = 3
"""Times that new workers take the place of such as were killed, for want of memory say."""

UNHEEDED_SIGNALS = ("SIGINT", "SIGHUP")
"""They are meant for the process that has started the workers, and ends them."""

MOST_WORKERS = 61 if sys.platform == "win32" else sys.maxsize
"""Windows cannot wait for more processes at a time."""

WRITER_SECONDS = 1.0
"""Time for the thread that hands work to the workers to end after them."""


class WorkerPool(ProcessPoolExecutor):
    """Worker processes that do not run the caller's script, which need not guard against it."""

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a function called by a worker; the first call starts the workers."""
        with hidden_main():
            return super().submit(function, *args, **kwargs)


@contextmanager
def hidden_main() -> Iterator[None]:
    """Have processes that are started meanwhile not run the caller's script."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def local_executor(workers: int) -> Iterator[Executor]:
    """Worker processes that end with the `with` block or this process, also in mid-game.

    Ctrl-C and a closed terminal reach only the process that opened the block. What the workers
    leave in temporary folders is removed at the end. When one is killed, all of them are replaced
    and what they were doing is begun again, at most `RENEWALS` times.

    Args:
        workers: number of processes, at least 1. With more than there are cores, players that
            think against the clock think less.

    Raises:
        ValueError: fewer than one worker.
    """
    if workers < 1:
        raise ValueError(f"the number of workers must be at least 1, not {workers}")
    others = set(multiprocessing.active_children())
    queues = []
    with workers_folder() as folder:

        def start() -> Executor:
            pool = WorkerPool(
                min(workers, MOST_WORKERS),
                mp_context=multiprocessing.get_context("spawn"),
                # By its path: a submission.py in the current folder hides this package.
                initializer=run_path,
                initargs=(WORKER_START, {"temporary_folder": folder}, "__main__"),
            )
            queues.append(pool._call_queue)  # type: ignore[attr-defined]  # see `_give_up_writing`
            return pool

        executor = RenewedExecutor(start, renewals=RENEWALS)
        try:
            yield executor
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()
                worker.join()
            for queue in queues:
                _give_up_writing(queue)


@contextmanager
def workers_folder() -> Iterator[Path]:
    """A folder that is removed at the end, though the players of dead workers may still be in it.

    Their supervisors end them and remove their own folders meanwhile.
    """
    folder = Path(tempfile.mkdtemp(prefix="connectx-"))
    try:
        yield folder
    finally:
        remove_folder(folder)


def _give_up_writing(queue: Any) -> None:
    """End the thread that still writes to workers that are dead, if there is one.

    Before 3.11.5, Python itself waits for ever for somebody to read what is left.
    """
    writer = queue._thread
    if writer is not None:
        writer.join(WRITER_SECONDS)
        if writer.is_alive():
            queue._reader.close()


def prepare_worker(temporary_folder: Path) -> None:
    """Leave signals to the process that has started this one, and end with it."""
    for name in UNHEEDED_SIGNALS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    tempfile.tempdir = str(temporary_folder)
    Thread(target=_end_with_parent, args=[temporary_folder], daemon=True).start()


def _end_with_parent(temporary_folder: Path) -> None:
    """End this worker when the process that started it is gone; it would wait for ever.

    That process does not remove the folder any more, so each worker does.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        SUPERVISORS.close()
        remove_folder(temporary_folder)
        os._exit(1)
