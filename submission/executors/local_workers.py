"""Worker processes on this machine, and executors that outlive their workers."""

import errno
import multiprocessing
import os
import platform
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from multiprocessing import resource_tracker
from pathlib import Path
from runpy import run_path
from threading import Lock, Thread
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

from agents.options import require_whole
from submission.sandbox.folders import owned_folder, remove_folder
from submission.sandbox.launcher import SUPERVISORS

P = ParamSpec("P")
T = TypeVar("T")

PROCESS_START = str(Path(__file__).with_name("process_start.py"))

RENEWALS = 3  # how often killed workers are replaced; the system kills them if memory runs out

UNHEEDED_SIGNALS = frozenset(
    getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)
)
"""Signals that workers ignore, because the process that started them ends them."""

change_mask = getattr(signal, "pthread_sigmask", None)
"""Blocks or unblocks signals; None on Windows."""

MOST_WORKERS = 61 if sys.platform == "win32" else 32_000
"""Windows cannot wait for more processes at a time; elsewhere a semaphore cannot count higher."""

WRITER_SECONDS = 1.0  # how long the thread that feeds the workers may take to end after them


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions that games are played with; other versions may play different games."""

    package: str
    kaggle_environments: str | None  # None where it is not installed
    python: str

    @classmethod
    def current(cls) -> "Versions":
        """The versions of this process; a ModuleNotFoundError if this package is not installed."""
        kaggle = None
        with suppress(metadata.PackageNotFoundError):
            kaggle = metadata.version("kaggle-environments")
        return cls(metadata.version("connectx-agents"), kaggle, platform.python_version())


class WorkerPool(ProcessPoolExecutor):
    """Worker processes that do not run the caller's script, which needs no `__main__` guard."""

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call a function in a worker; the first calls start the workers."""
        try:
            with starting_workers():
                return super().submit(function, *args, **kwargs)
        except OSError as error:
            failure = Future[T]()
            failure.set_exception(_unstartable(error))
            return failure

    def _start_executor_manager_thread(self) -> None:
        """Start the pool's threads; if the manager started the other, nobody would see it fail."""
        try:
            if self._executor_manager_thread is None:
                self._call_queue._start_thread()
            super()._start_executor_manager_thread()
        except RuntimeError as error:
            raise OSError(errno.EAGAIN, str(error)) from error


def _unstartable(error: OSError) -> OSError:
    return OSError(
        f"workers cannot be started ({error.strerror}): they need room in /dev/shm, and a few more "
        "open files, processes and threads"
    )


@contextmanager
def starting_workers() -> Iterator[None]:
    """Let processes started in the `with` block skip the caller's script and ignore Ctrl-C.

    They ignore Ctrl-C from the start, because they inherit this thread's blocked signals.
    """
    former = None
    if change_mask:
        resource_tracker.ensure_running()  # starting it later would unblock the signals
        former = change_mask(signal.SIG_BLOCK, UNHEEDED_SIGNALS)
    try:
        with _main_hidden():
            yield
    finally:
        if change_mask:
            change_mask(signal.SIG_SETMASK, former)


_hiding = Lock()
_hiders = list[ModuleType]()  # the caller's `__main__`, for each thread that hides it


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Replace `__main__` by an empty module until the last thread that hides it is done."""
    with _hiding:
        _hiders.append(_hiders[0] if _hiders else sys.modules["__main__"])
        sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        with _hiding:
            main = _hiders.pop()
            if not _hiders:
                sys.modules["__main__"] = main


def start_by_path(
    function: Callable[..., None], *arguments: object
) -> tuple[str, dict[str, object], str]:
    """The arguments with which `runpy.run_path` calls a function of ours in a new process.

    The path is needed because a submission.py in the current folder would hide this package.
    """
    names: dict[str, object] = {
        "module": function.__module__,
        "function": function.__name__,
        "arguments": arguments,
    }
    return PROCESS_START, names, "__main__"


@contextmanager
def local_executor(workers: int) -> Iterator[Executor]:
    """Worker processes that end with the `with` block or this process, even during a game.

    Ctrl-C and a closed terminal affect only the process that opened the block. The workers'
    temporary files are removed at the end. When a worker is killed, all of them are replaced and
    their work restarts, at most `RENEWALS` times.

    Args:
        workers: number of processes, at least 1. With more processes than cores, players that
            think until a time limit get less done.

    Raises:
        ValueError: fewer than one worker.
        OSError: the system offers no semaphores. If it lets no process or thread start, the work
            ends with this error.
    """
    require_whole("the number of workers", workers, 1)
    others = set(multiprocessing.active_children())
    queues = []
    with owned_folder() as folder:  # the players of dead workers may still use it at the end

        def start() -> Executor:
            try:
                pool = WorkerPool(
                    min(workers, MOST_WORKERS),
                    mp_context=multiprocessing.get_context("spawn"),
                    initializer=run_path,
                    initargs=start_by_path(prepare_worker, folder),
                )
            except OSError as error:  # no semaphores: on Linux these are files
                raise _unstartable(error) from error
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


def _give_up_writing(queue: Any) -> None:
    """End a thread that writes to dead workers; Python before 3.11.5 waits for it forever."""
    writer = queue._thread
    if writer is not None and writer.is_alive():
        writer.join(WRITER_SECONDS)
        if writer.is_alive():
            queue._reader.close()


def prepare_worker(temporary_folder: Path) -> None:
    """Leave signals to the process that started this worker, and end this one when that ends."""
    for number in UNHEEDED_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if change_mask:  # otherwise the players' programs would inherit the blocked signals
        change_mask(signal.SIG_UNBLOCK, UNHEEDED_SIGNALS)
    tempfile.tempdir = str(temporary_folder)
    try:
        Thread(target=_end_with_parent, args=[temporary_folder], daemon=True).start()
    except RuntimeError:  # the system permits no more threads: another worker may be luckier
        os._exit(1)


def _end_with_parent(temporary_folder: Path) -> None:
    """End this worker, which would wait forever, when the process that started it is gone.

    That process can no longer remove the folder, so each worker removes it.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        SUPERVISORS.close()
        remove_folder(temporary_folder)
        os._exit(1)


class RenewedExecutor(Executor):
    """Passes work to an executor and, when its workers die, to a new one.

    Unfinished work restarts, so it must be repeatable. After `renewals` replacements all remaining
    work ends with `BrokenExecutor`. `deaths` are further exceptions that mean that a worker has
    died.
    """

    def __init__(
        self,
        start: Callable[[], Executor],
        *,
        renewals: int,
        deaths: tuple[type[Exception], ...] = (),
    ) -> None:
        self._start = start
        self._renewals = renewals
        self._deaths = deaths
        self._lock = Lock()
        self._current = start()

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call a function in a worker."""
        result = Future[T]()
        self._hand_over(partial(function, *args, **kwargs), result)
        return result

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers, without replacing them."""
        with self._lock:
            self._renewals = 0
        if cancel_futures:
            self._current.shutdown(wait, cancel_futures=True)
        else:
            self._current.shutdown(wait)  # Dask's executor lacks the other argument

    def _hand_over(self, work: Callable[[], T], result: Future[T]) -> None:
        executor = self._current
        attempt = _submit(executor, work)
        # While a pool ends the work of dead workers, Python 3.11 fails if some is cancelled.
        result.add_done_callback(lambda _: getattr(executor, "_broken", "") or attempt.cancel())
        attempt.add_done_callback(lambda _: self._take(attempt, executor, work, result))

    def _take(
        self, attempt: Future[T], executor: Executor, work: Callable[[], T], result: Future[T]
    ) -> None:
        """Pass on the outcome of an attempt, unless another attempt follows."""
        error = self._error_of(attempt)
        is_dead = isinstance(error, BrokenExecutor)
        try:
            has_successor = is_dead and not result.cancelled() and self._has_successor(executor)
        except OSError as refusal:  # there are no semaphores for it
            error, has_successor = refusal, False
        if has_successor:
            self._hand_over(work, result)
        elif not result.set_running_or_notify_cancel():
            return
        elif error is not None:
            result.set_exception(error)
        else:
            result.set_result(attempt.result())

    def _error_of(self, attempt: Future[T]) -> BaseException | None:
        """The exception of an attempt; `BrokenExecutor` if its worker has died."""
        error = CancelledError() if attempt.cancelled() else attempt.exception()
        return BrokenExecutor(repr(error)) if isinstance(error, self._deaths) else error

    def _has_successor(self, dead: Executor) -> bool:
        """Whether another executor replaces a dead one, which is started here if necessary."""
        with self._lock:
            if self._current is dead and self._renewals:
                self._renewals -= 1
                self._current = self._start()
            return self._current is not dead


def _submit(executor: Executor, work: Callable[[], T]) -> Future[T]:
    """Submit work; an executor that refuses it is dead."""
    try:
        return executor.submit(work)
    except Exception as error:
        failure = Future[T]()
        failure.set_exception(BrokenExecutor(repr(error)))
        return failure
