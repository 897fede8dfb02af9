"""Self-play and labels by a worker that dies: the same as by this process alone."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agents.policy.network import encode_policy
from agents.policy.training.labelling import LabelSettings, make_labelled_positions
from agents.policy.training.learner import LEARNERS, TrainingSettings
from envs import ConnectX
from submission.executors.local_workers import local_executor
from tests.helpers.systems import needs_posix

BOARD = ConnectX(4, 4, inarow=3)


def die_once(mark: Path) -> None:
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)


class Deadly(Executor):
    """Hands work on, and kills the worker amid the first of it."""

    def __init__(self, workers: Executor, mark: Path) -> None:
        self._workers = workers
        self._mark = mark

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        result = self._workers.submit(function, *args, **kwargs)
        self._workers.submit(die_once, self._mark)
        return result


@contextmanager
def a_worker_that_dies_once(folder: Path) -> Iterator[Executor]:
    mark = folder / "mark"
    with local_executor(1) as workers:
        yield Deadly(workers, mark)
    assert mark.exists()


@needs_posix
def test_labels_are_the_same(tmp_path: Path) -> None:
    settings = LabelSettings(ConnectX(4, 5, 4), 500, seed=3)
    with ThreadPoolExecutor(1) as alone:
        one, _ = make_labelled_positions(settings, alone, 1, lambda *_: None)
    with a_worker_that_dies_once(tmp_path) as workers:
        other, _ = make_labelled_positions(settings, workers, 2, lambda *_: None)
    assert len(one) == 500
    for name in ("movers", "masks", "scores"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()


@needs_posix
def test_weights_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from agents.policy.learners import alphazero

    for name, number in (("GAMES", 64), ("SHARES", 8), ("ITERATIONS", 2)):
        monkeypatch.setattr(alphazero, name, number)

    def weights(executor: Executor | None) -> bytes:
        settings = TrainingSettings(seed=1, simulations=4, width=8)
        learner = LEARNERS["alphazero"](BOARD, settings, executor)
        for spent in (0.0, 0.5):
            learner.advance(spent)
        return encode_policy(learner.policy)

    with a_worker_that_dies_once(tmp_path) as workers:
        assert weights(workers) == weights(None)
