"""An executor without threads or processes, and a mark that runs tests with it and with threads."""

import pickle
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

import pytest

ExecutorFactory = Callable[[], AbstractContextManager[Executor]]


class AtOnce(Executor):
    """Runs tasks within `submit`, on copies, as another process would, and counts them.

    Only `submit` works.
    """

    def __init__(self) -> None:
        self.submitted = 0

    def submit(self, task: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.submitted += 1
        copied, words, named = pickle.loads(pickle.dumps((task, args, kwargs)))
        future: Future[Any] = Future()
        future.set_result(pickle.loads(pickle.dumps(copied(*words, **named))))
        return future

    def map(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


with_every_executor = pytest.mark.parametrize(
    "executor_of", [lambda: ThreadPoolExecutor(3), AtOnce], ids=["threads", "at once"]
)
