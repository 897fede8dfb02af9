"""Shared by all tests: the command line, and Hypothesis without a clock on a shared machine."""

import gc
import os
import re
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from agents.compiled import compilation
from envs.learning.vector import vector_threads
from tests.helpers.shell import Shell

for profile, examples in {"shared-machine": 50, "long": 1000}.items():
    settings.register_profile(
        profile,
        deadline=None,
        max_examples=examples,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("shared-machine")  # `pytest --hypothesis-profile=long` takes the other

TESTS = Path(__file__).parent

FAR = {
    "distributed",
    "multiprocessing",
    "subprocess",
    "submission.kaggle",
    "tests.helpers.kaggle_rules",
    "tests.helpers.processes",
}
"""Tests that import these modules start processes or need Kaggle."""

BROWSER = {"tests.helpers.browser", "tests.helpers.jupyter"}
"""Tests that import these drive Chromium or a notebook."""


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: a third of the tests wait for processes of their own."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of modules by what they import; begin with the documents', the longest."""
    for item in items:
        for mark, modules in {"far": FAR, "browser": BROWSER}.items():
            if _imports(item.path) & modules:
                item.add_marker(mark)
    items.sort(key=lambda item: item.path.parent != TESTS)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Spare the garbage collector the modules and tests, which stay to the end.

    What collecting leaves behind stays with them: to look for it costs each process a second.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@cache
def _imports(path: Path) -> set[str]:
    """The modules that a file imports at the beginning of a line."""
    return {*re.findall(r"^(?:from|import) (\S+)", path.read_text(encoding="utf-8"), re.MULTILINE)}


@pytest.fixture(scope="module")
def threads_of_single_rows() -> Iterator[None]:
    """Share even small batches among all threads that are asked for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_threads, "ROWS_OF_A_THREAD", 1)
        yield


@pytest.fixture
def workers_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands share out their work to threads; processes would load and compile it once more."""
    # Not for tests with Kaggle's versions, which lack what these import.
    from submission.executors import local_workers, work

    processes = local_workers.local_executor  # refuses too few

    def threads(workers: int) -> AbstractContextManager[Executor]:
        return ThreadPoolExecutor(workers) if workers > 0 else processes(workers)

    monkeypatch.setattr(work, "local_executor", threads)


@pytest.fixture(autouse=True)
def no_compiling_from_one_test_into_the_next() -> Iterator[None]:
    """End the compiling of a submission that a test has loaded here: Numba sets warnings aside.

    The package's own is waited for: once it was told to end, nothing more would be compiled here.
    """
    yield
    for thread in threading.enumerate():
        target = vars(thread).get("_target")
        if thread.name.startswith("compiling") and target is not None:
            if target.__globals__ is not vars(compilation):
                target.__globals__["ENDING"].set()
            thread.join()


@pytest.fixture
def shell(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    workers_in_threads: None,
) -> Shell:
    """The command line in an empty folder, with workers in threads."""
    monkeypatch.chdir(tmp_path)
    return Shell(monkeypatch, capsys)
