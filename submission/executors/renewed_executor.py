"""An executor that outlives its workers."""

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from functools import partial
from threading import Lock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class RenewedExecutor(Executor):
    """Hands work to an executor and, when that one's workers die, to a new one.

    What had not ended by then is begun again, so nothing may depend on how often it is done. When
    no new executor may follow, all that is left ends with `BrokenExecutor`.

    Args:
        start: makes an executor.
        renewals: how many executors may follow the first one.
        deaths: by what but `BrokenExecutor` a future tells that its worker is dead.
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
        """Have a function called by a worker."""
        result = Future[T]()
        self._hand_over(partial(function, *args, **kwargs), result)
        return result

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers; no new ones follow them."""
        with self._lock:
            self._renewals = 0
        if cancel_futures:
            self._current.shutdown(wait, cancel_futures=True)
        else:
            self._current.shutdown(wait)  # Dask's has no such argument

    def _hand_over(self, work: Callable[[], T], result: Future[T]) -> None:
        executor = self._current
        attempt = _submit(executor, work)
        result.add_done_callback(lambda _: attempt.cancel())
        attempt.add_done_callback(lambda _: self._take(attempt, executor, work, result))

    def _take(
        self, attempt: Future[T], executor: Executor, work: Callable[[], T], result: Future[T]
    ) -> None:
        """Pass on how an attempt ended, unless it is worth another one."""
        error = self._error_of(attempt)
        is_dead = isinstance(error, BrokenExecutor)
        if is_dead and not result.cancelled() and self._has_successor(executor):
            self._hand_over(work, result)
        elif not result.set_running_or_notify_cancel():
            return
        elif error is not None:
            result.set_exception(error)
        else:
            result.set_result(attempt.result())

    def _error_of(self, attempt: Future[T]) -> BaseException | None:
        """The exception of an attempt; the death of its worker as `BrokenExecutor`."""
        error = CancelledError() if attempt.cancelled() else attempt.exception()
        return BrokenExecutor(repr(error)) if isinstance(error, self._deaths) else error

    def _has_successor(self, dead: Executor) -> bool:
        """Whether another executor has taken, or now takes, the place of a dead one."""
        with self._lock:
            if self._current is dead and self._renewals:
                self._renewals -= 1
                self._current = self._start()
            return self._current is not dead


def _submit(executor: Executor, work: Callable[[], T]) -> Future[T]:
    """Submit work; an executor that takes none is dead."""
    try:
        return executor.submit(work)
    except Exception as error:
        failure = Future[T]()
        failure.set_exception(BrokenExecutor(repr(error)))
        return failure
