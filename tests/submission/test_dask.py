"""Games on a real Dask cluster, some of whose processes die."""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from submission.arena.game_record import GameConfiguration, GameRecord
from submission.arena.players import Pairing, find_player
from submission.executors import dask_workers
from submission.executors.dask_workers import dask_executor
from submission.executors.work import Completion
from submission.match.run import play_match
from submission.match.schedule import Arena, Settings
from tests.helpers.clocks import wait_until
from tests.helpers.game_records import without_durations
from tests.helpers.systems import needs_posix

pytestmark = pytest.mark.skipif(not find_spec("distributed"), reason="needs the extra `dask`")

SETTINGS = Settings(games=8, seed=3, configuration=GameConfiguration(4, 5, 4), arena=Arena.OWN)
PATIENCE = 30.0


@cache
def pairings() -> list[Pairing]:
    """A game takes tenths of a second, so that something can happen amid the games."""
    return [Pairing(find_player("alphabeta:depth=5,engine=reference"), find_player("random:"))]


def dask(folder: Path, *words: str, **variables: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *words, "--no-dashboard"],
        cwd=folder,
        env={**os.environ, "DASK_TEMPORARY_DIRECTORY": str(folder), **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


@dataclass
class Cluster:
    """A scheduler and its workers, each a process of its own on this machine."""

    folder: Path
    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def add_worker(self, *, threads: int = 1, **variables: str) -> None:
        words = ("worker", self.address, "--no-nanny", "--nthreads", str(threads))
        self.workers.append(dask(self.folder, *words, **variables))

    def have_workers(self, number: int) -> None:
        """Start or kill workers until this number of them is alive."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) > number:
            self.kill_worker()
        while len(self.workers) < number:
            self.add_worker()
        self.wait_for_workers()

    def wait_for_workers(self) -> None:
        from distributed import Client  # half a second, in each worker that collects tests

        with Client(self.address, set_as_default=False) as client:
            wait_until(lambda: len(client.scheduler_info()["workers"]) == len(self.workers))

    def kill_worker(self) -> None:
        kill(self.workers.pop())


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster that gives work up when it has killed two workers; tests leave any to the next."""
    folder = tmp_path_factory.mktemp("dask")
    file = folder / "scheduler.json"
    scheduler = dask(
        folder,
        *("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)),
        DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="1",
    )
    wait_until(lambda: file.exists() and file.read_text().rstrip().endswith("}"))
    started = Cluster(folder, json.loads(file.read_text())["address"], scheduler)
    try:
        yield started
    finally:
        for process in (*started.workers, scheduler):
            kill(process)


class Disaster:
    """Keeps the games, and lets something happen after the second."""

    def __init__(self, happens: Callable[[], None]) -> None:
        self.happens = happens
        self.games: list[GameRecord] = []

    def __call__(self, record: GameRecord) -> None:
        self.games.append(record)
        if len(self.games) == 2:
            self.happens()


def test_the_death_of_a_worker_neither_loses_nor_repeats_a_game(cluster: Cluster) -> None:
    cluster.have_workers(2)
    with dask_executor(cluster.address) as executor:
        seen = Disaster(cluster.kill_worker)
        match = play_match(pairings(), SETTINGS, executor=executor, on_game=seen)
    assert len(cluster.workers) == 1
    assert match.completion is Completion.COMPLETE
    assert len(seen.games) == len(match.records) == SETTINGS.games
    assert set(seen.games) == set(match.records)
    assert without_durations(match) == without_durations(play_match(pairings(), SETTINGS))


def test_a_worker_that_dies_when_it_is_asked_for_its_versions_counts_as_none(
    cluster: Cluster, tmp_path: Path
) -> None:
    deadly = tmp_path / "deadly" / "submission"
    deadly.mkdir(parents=True)
    (deadly / "__init__.py").write_text("import os; os._exit(1)")
    cluster.have_workers(1)
    cluster.add_worker(PYTHONPATH=str(deadly.parent))
    cluster.wait_for_workers()
    with dask_executor(cluster.address) as executor:
        assert executor.submit(divmod, 7, 2).result(PATIENCE) == (3, 1)
    assert cluster.workers[1].wait(PATIENCE) == 1


def refusal(address: str, error: type[Exception]) -> str:
    with pytest.raises(error) as refused, dask_executor(address):
        pass
    message = str(refused.value)
    assert "\n" not in message
    return message


def test_workers_that_would_play_other_games_are_refused(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission" / "__init__.py").touch()
    cluster.have_workers(1)
    with monkeypatch.context() as patch:
        patch.setattr("importlib.metadata.version", lambda distribution: "0.0.1")
        there, _, here = refusal(cluster.address, ValueError).partition("here are")
    assert f"package='{version('connectx-agents')}'" in there
    assert "package='0.0.1'" in here
    cluster.add_worker(threads=2)
    cluster.wait_for_workers()
    assert "has 2 threads" in refusal(cluster.address, ValueError)
    cluster.kill_worker()
    cluster.add_worker(PYTHONPATH=str(tmp_path))
    cluster.wait_for_workers()
    assert "cannot import this package" in refusal(cluster.address, ValueError)
    cluster.kill_worker()


def test_without_workers_an_evaluation_ends_with_what_it_has(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_workers, "NO_WORKER_SECONDS", 1)
    monkeypatch.setattr(dask_workers, "CONNECT_SECONDS", 1)
    cluster.have_workers(1)
    assert_ends_early(cluster, cluster.kill_worker)
    message = refusal(cluster.address, ConnectionError)
    assert "has no workers" in message
    assert f"dask worker {cluster.address} --nthreads 1" in message


def assert_ends_early(started: Cluster, happens: Callable[[], None]) -> None:
    seen = Disaster(happens)
    with dask_executor(started.address) as executor:
        match = play_match(pairings(), SETTINGS, executor=executor, on_game=seen)
    assert match.completion is Completion.WORKER_DIED
    assert 2 <= len(match.records) == len(seen.games) < SETTINGS.games


@needs_posix
def test_unawaited_work_is_called_off_and_work_that_kills_workers_is_given_up(
    cluster: Cluster,
) -> None:
    cluster.have_workers(2)
    with dask_executor(cluster.address) as executor:
        abandoned = [executor.submit(time.sleep, 0.2) for _ in range(500)]
        abandoned[0].result(PATIENCE)
    with dask_executor(cluster.address) as executor:
        assert executor.submit(divmod, 7, 2).result(PATIENCE) == (3, 1)
        deadly = executor.submit(signal.raise_signal, signal.SIGKILL)
        with pytest.raises(BrokenExecutor, match="KilledWorker"):
            deadly.result(PATIENCE)


def test_without_a_scheduler_an_evaluation_ends_with_what_it_has(
    cluster: Cluster, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last test that has the cluster. Dask's client would log a traceback."""
    cluster.have_workers(1)
    monkeypatch.setattr(logging.getLogger("distributed"), "propagate", True)
    assert_ends_early(cluster, lambda: kill(cluster.scheduler))
    assert "Traceback" not in caplog.text


def test_an_address_without_a_scheduler_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_workers, "CONNECT_SECONDS", 0.5)
    for address in ("nowhere", "http://127.0.0.1:8786"):
        assert f"{address!r} is not an address" in refusal(address, ValueError)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        of_another_kind = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        for address in ("tcp://127.0.0.1:1", of_another_kind):
            message = refusal(address, ConnectionError)
            assert f"no Dask scheduler answers at {address}" in message


def test_without_dask_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert 'pip install -e ".[dask]"' in refusal("127.0.0.1:8786", ModuleNotFoundError)
