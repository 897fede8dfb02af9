import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor, wait
from pathlib import Path
from unittest.mock import Mock

import pytest

from submission.executors import local_workers
from submission.executors.local_workers import local_executor, starting_workers
from tests.helpers.systems import needs_posix

QUEUED_AT_ONCE = 2
"""How much work a pool of one process holds beyond recall, beside what it does."""


def test_work_is_done_in_other_processes_until_the_block_ends() -> None:
    with local_executor(1) as executor:
        assert executor.submit(os.getpid).result() != os.getpid()
        assert executor.submit(signal.getsignal, signal.SIGINT).result() is signal.SIG_IGN
        with pytest.raises(ZeroDivisionError):
            executor.submit(divmod, 1, 0).result()
        assert executor.submit(divmod, 7, 2).result() == (3, 1)
        folder = Path(executor.submit(tempfile.mkdtemp).result())
        assert folder.is_dir()
    assert not folder.exists(), "temporary files of the workers are removed"
    with pytest.raises(BrokenExecutor, match="after shutdown"):
        executor.submit(os.getpid).result()


@pytest.mark.parametrize(
    ("missing", "refusal"),
    [
        ("submission.executors.local_workers.WorkerPool", OSError(errno.EROFS, "no room")),
        ("multiprocessing.context.SpawnProcess._Popen", OSError(errno.EAGAIN, "no processes")),
        ("multiprocessing.queues.Queue._start_thread", RuntimeError("no threads")),
        ("concurrent.futures.process._ExecutorManagerThread.start", RuntimeError("no threads")),
    ],
)
def test_a_system_that_lets_no_workers_start_is_told_in_a_sentence(
    missing: str, refusal: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where /dev/shm is read-only or missing, or where `ulimit -u` is low."""
    monkeypatch.setattr(missing, Mock(side_effect=refusal))
    words = r"^workers cannot be started \(no \w+\): they need room in /dev/shm, and a few more"
    with pytest.raises(OSError, match=words), local_executor(1) as executor:
        executor.submit(abs, -1).result(60)


@needs_posix
def test_ctrl_c_does_not_reach_them_while_they_start_either(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """As when somebody has second thoughts: the terminal sends it to all processes in it."""
    with local_executor(1) as executor:
        answer = executor.submit(os.getpid)
        while not answer.done():
            for worker in multiprocessing.active_children():
                os.kill(worker.pid or 0, signal.SIGINT)
            time.sleep(0.005)
        assert answer.result() != os.getpid()
    assert capfd.readouterr().err == ""


@needs_posix
def test_workers_end_in_the_middle_of_their_work() -> None:
    with local_executor(1) as executor:
        worker = executor.submit(os.getpid).result()
        executor.submit(time.sleep, 60)
        left = time.perf_counter()
    assert time.perf_counter() - left < 10
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)


LEFT_WITH_WORK = """
import time
from submission.executors.local_workers import local_executor
if __name__ == "__main__":
    with local_executor(1) as executor:
        executor.submit(time.sleep, 0).result()
        executor.submit(time.sleep, 1000)
        for _ in range(9):
            executor.submit(len, bytes(10**6))  # more than a pipe holds
        time.sleep(0.3)
"""


def test_python_ends_where_workers_leave_much_work_unread(tmp_path: Path) -> None:
    script = tmp_path / "left.py"
    script.write_text(LEFT_WITH_WORK, encoding="utf-8")
    subprocess.run([sys.executable, script], check=True, timeout=60, capture_output=True)


ABANDONED = """
import os, signal, time
from submission.executors.local_workers import local_executor
with local_executor(2) as executor:
    executor.submit(os.getpid).result()
    for _ in range(2):
        executor.submit(time.sleep, 1000)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@needs_posix
def test_workers_end_when_nobody_waits_for_them_any_more(tmp_path: Path) -> None:
    killed_in = {**os.environ, "TMPDIR": str(tmp_path)}
    # The pipe to read from is closed when the last process that can write into it has ended.
    killed = subprocess.run(
        [sys.executable, "-c", ABANDONED], env=killed_in, capture_output=True, timeout=60
    )
    assert killed.returncode == -signal.SIGKILL
    assert [*tmp_path.iterdir()] == []


def survive(folder: Path, number: int) -> int:
    """A number, after a death at the first attempt where the number asks for it."""
    mark = folder / str(number)
    mark.write_text(mark.read_text() + "." if mark.exists() else ".")
    if number % 10 == 0 and mark.read_text() == ".":
        signal.raise_signal(signal.SIGKILL)
    return number


@needs_posix
def test_work_goes_on_with_new_workers_where_some_were_killed(tmp_path: Path) -> None:
    with local_executor(2) as executor:
        results = [executor.submit(survive, tmp_path, number) for number in range(1, 16)]
        assert [result.result() for result in results] == list(range(1, 16))
        assert executor.submit(os.getpid).result() != os.getpid()
    attempts = {int(mark.name): len(mark.read_text()) for mark in tmp_path.iterdir()}
    assert attempts.keys() == set(range(1, 16))
    assert attempts[10] > 1


def leave_mark_and_die(folder: Path) -> None:
    tempfile.mkstemp(dir=folder)
    signal.raise_signal(signal.SIGKILL)


@needs_posix
def test_work_that_kills_every_worker_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_workers, "RENEWALS", 1)
    with local_executor(1) as executor:
        deadly = executor.submit(leave_mark_and_die, tmp_path)
        waiting = executor.submit(os.getpid)
        unneeded = executor.submit(os.getpid)
        deadly.add_done_callback(lambda _: unneeded.cancel())
        for result in (deadly, waiting, executor.submit(os.getpid)):
            with pytest.raises(BrokenExecutor):
                result.result()
    assert len(list(tmp_path.iterdir())) == 1 + 1


def test_what_has_not_begun_can_be_called_off(tmp_path: Path) -> None:
    with local_executor(1) as executor:
        blocking = executor.submit(time.sleep, 0.5)
        others = [executor.submit(survive, tmp_path, 1) for _ in range(50)]
        assert all(other.cancel() for other in others)
        blocking.result()
        assert executor.submit(divmod, 7, 2).result() == (3, 1)
        assert wait(others).not_done == set()
    assert sum(len(mark.read_text()) for mark in tmp_path.iterdir()) <= QUEUED_AT_ONCE


def test_threads_that_start_workers_at_the_same_time_leave_the_script_alone() -> None:
    main, (first, second) = sys.modules["__main__"], (starting_workers(), starting_workers())
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        one.submit(first.__enter__).result()
        other.submit(second.__enter__).result()
        one.submit(first.__exit__, None, None, None).result()
        assert sys.modules["__main__"] is not main, "the other one's workers would run it"
        other.submit(second.__exit__, None, None, None).result()
    assert sys.modules["__main__"] is main


def test_more_workers_than_a_system_can_count_are_no_more_than_it_takes() -> None:
    with local_executor(10**11) as executor:
        assert executor.submit(abs, -1).result() == 1
