import os
import signal
import tempfile
import time
from pathlib import Path

import pytest

from submission.evaluating.workers import local_executor


def test_work_is_done_in_other_processes() -> None:
    with local_executor(1) as executor:
        assert executor.submit(os.getpid).result() != os.getpid()


def test_ctrl_c_does_not_reach_the_workers() -> None:
    with local_executor(1) as executor:
        assert executor.submit(signal.getsignal, signal.SIGINT).result() is signal.SIG_IGN


def test_workers_end_in_the_middle_of_their_work() -> None:
    with local_executor(1) as executor:
        worker = executor.submit(os.getpid).result()
        executor.submit(time.sleep, 60)
        left = time.perf_counter()
    assert time.perf_counter() - left < 10
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)


def test_temporary_files_of_the_workers_are_removed() -> None:
    with local_executor(1) as executor:
        folder = Path(executor.submit(tempfile.mkdtemp).result())
        assert folder.is_dir()
    assert not folder.exists()


@pytest.mark.parametrize("workers", [0, -1])
def test_too_few_workers_are_refused(workers: int) -> None:
    with (
        pytest.raises(ValueError, match=f"workers must be at least 1, not {workers}"),
        local_executor(workers),
    ):
        pass
