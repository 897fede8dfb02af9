"""Solving a book's positions: by any executor, and in several runs."""

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.book.book_building import Checkpoint, UnfinishedBook, build_book
from agents.book.book_format import BookContent
from agents.book.book_positions import BookScope, positions_by_ply
from agents.book.opening_book import open_book
from agents.book.shards import solve_positions
from envs import ConnectX
from submission.executors.local_workers import local_executor
from tests.helpers.brute_force import BruteForce, reached_states, score_by_brute_force

SCOPE = BookScope(4, 4, 3, 6)
POSITIONS = 479
MEGABYTES = 1

ExecutorFactory = Callable[[], AbstractContextManager[Executor]]


class AtOnce(Executor):
    """Runs what is submitted before it returns, and counts it; nothing but `submit` works."""

    def __init__(self) -> None:
        self.submitted = 0

    def submit(self, task: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.submitted += 1
        future: Future[Any] = Future()
        future.set_result(task(*args, **kwargs))
        return future

    def map(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


class Dying(AtOnce):
    """Loses its workers after two tasks."""

    def submit(self, task: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.submitted < 2:
            return super().submit(task, *args, **kwargs)
        future: Future[Any] = Future()
        future.set_exception(BrokenExecutor("a process was ended"))
        return future


class Progress:
    """Keeps what it is told, and interrupts at some point."""

    def __init__(self, interrupt_at: int = POSITIONS + 1) -> None:
        self.interrupt_at = interrupt_at
        self.done: list[int] = []

    def __call__(self, done: int, total: int, description: str) -> None:
        assert total == POSITIONS
        self.done.append(done)
        if done >= self.interrupt_at:
            raise KeyboardInterrupt


@pytest.fixture
def checkpoint(tmp_path: Path) -> Checkpoint[BookScope]:
    return Checkpoint(tmp_path / "book.scores", SCOPE)


def build(
    checkpoint: Checkpoint[BookScope], executor: Executor, on_progress: Progress
) -> BookContent:
    """As the command does it."""
    return build_book(checkpoint, checkpoint.read(), executor, MEGABYTES, on_progress)


@pytest.mark.parametrize(
    "executor_of", [AtOnce, lambda: ThreadPoolExecutor(2), lambda: local_executor(1)]
)
def test_every_executor_builds_the_same_book(
    executor_of: ExecutorFactory, checkpoint: Checkpoint[BookScope]
) -> None:
    progress = Progress()
    with executor_of() as executor:
        content = build(checkpoint, executor, progress)
    assert progress.done == sorted(progress.done)
    assert progress.done[-1] == POSITIONS
    known = checkpoint.read()
    assert content.deepest_scores.tolist() == [known[key] for key in sorted(known)]
    assert content.deepest_scores.tolist() == solved_at_once()


def solved_at_once() -> list[int]:
    keys = positions_by_ply(SCOPE)[-1].tolist()
    found: dict[int, int] = {}
    for scores in solve_positions(SCOPE, keys, AtOnce(), MEGABYTES):
        found |= scores
    assert len(found) == POSITIONS
    return [found[key] for key in keys]


@pytest.mark.parametrize("scope", [SCOPE, BookScope(3, 5, 3, 5)])
def test_whole_books_against_full_minimax(scope: BookScope, tmp_path: Path) -> None:
    env = ConnectX(scope.rows, scope.columns, scope.inarow)
    truth = BruteForce(env)
    checkpoint = Checkpoint(tmp_path / "book.scores", scope)
    opening_book = open_book(build_book(checkpoint, {}, AtOnce(), MEGABYTES, lambda *_: None))
    for states in reached_states(scope):
        for state in states:
            if env.get_available_actions(state):
                assert opening_book.score(state) == score_by_brute_force(env, truth, state)


def test_an_interrupted_computation_goes_on_where_it_was(checkpoint: Checkpoint[BookScope]) -> None:
    with pytest.raises(UnfinishedBook, match=rf"^Interrupted: \d+ of {POSITIONS} positions are"):
        build(checkpoint, AtOnce(), Progress(interrupt_at=100))
    known = checkpoint.read()
    assert 100 <= len(known) < POSITIONS
    second_run, progress = AtOnce(), Progress()
    content = build(checkpoint, second_run, progress)
    assert progress.done[0] == len(known)
    assert content.deepest_scores.tolist() == solved_at_once()
    third_run = AtOnce()
    again = build(checkpoint, third_run, Progress())
    assert second_run.submitted > third_run.submitted == 0
    assert again.deepest_scores.tolist() == content.deepest_scores.tolist()


def test_the_death_of_a_worker_loses_nothing(checkpoint: Checkpoint[BookScope]) -> None:
    with pytest.raises(UnfinishedBook, match=r"^A worker died.* with --resume goes on from there"):
        build(checkpoint, Dying(), Progress())
    assert build(checkpoint, AtOnce(), Progress()).deepest_scores.tolist() == solved_at_once()


@given(
    st.dictionaries(st.integers(0, 2**63 - 1), st.integers(-21, 21)),
    st.dictionaries(st.integers(0, 2**63 - 1), st.integers(-21, 21)),
    st.data(),
)
def test_a_file_cut_anywhere_keeps_what_is_whole(
    first: dict[int, int], second: dict[int, int], data: st.DataObject
) -> None:
    with TemporaryDirectory() as folder:
        checkpoint = Checkpoint(Path(folder) / "book.scores", SCOPE)
        checkpoint.append({})
        empty = checkpoint.path.read_bytes()
        checkpoint.append(first)
        written = checkpoint.path.read_bytes()
        length = data.draw(st.integers(len(empty), len(written)))
        checkpoint.path.write_bytes(written[:length])
        known = checkpoint.read()
        whole_lines = written[len(empty) : length].count(b"\n")
        assert known == dict(list(first.items())[:whole_lines])
        checkpoint.append(second)
        assert checkpoint.read() == known | second


def test_no_file_and_an_empty_one_have_no_scores(checkpoint: Checkpoint[BookScope]) -> None:
    assert checkpoint.read() == {}
    checkpoint.path.touch()
    assert checkpoint.read() == {}
    checkpoint.append({5: -1})
    assert checkpoint.read() == {5: -1}


def test_an_earlier_run_is_not_overwritten(checkpoint: Checkpoint[BookScope]) -> None:
    checkpoint.require_new()
    checkpoint.append({5: -1})
    with pytest.raises(
        FileExistsError, match=r"earlier run found: go on from there with --resume, or de"
    ):
        checkpoint.require_new()


@pytest.mark.parametrize(
    "other", [BookScope(4, 4, 3, 5), BookScope(4, 5, 3, 6), BookScope(4, 4, 4, 6)]
)
def test_scores_of_another_book_are_refused(
    checkpoint: Checkpoint[BookScope], other: BookScope
) -> None:
    checkpoint.append({5: -1})
    before = checkpoint.path.read_bytes()
    with pytest.raises(ValueError, match=r"does not begin with .*: it belongs to something else"):
        Checkpoint(checkpoint.path, other).read()
    assert checkpoint.path.read_bytes() == before


@pytest.mark.parametrize("content", [b"5 -1\n", b"\xff\x00", b"connectx book"])
def test_other_files_are_left_alone(checkpoint: Checkpoint[BookScope], content: bytes) -> None:
    checkpoint.path.write_bytes(content)
    with pytest.raises(ValueError, match=r"does not begin with"):
        checkpoint.read()
    assert checkpoint.path.read_bytes() == content


@pytest.mark.parametrize("line", ["5", "5 x", "5 1 7 2", ""])
def test_a_damaged_line_is_named(checkpoint: Checkpoint[BookScope], line: str) -> None:
    checkpoint.append({5: -1})
    with checkpoint.path.open("a") as file:
        file.write(f"{line}\n6 2\n")
    with pytest.raises(
        ValueError, match=rf"line 3: '{line}' is not a key and a score or column: delete"
    ):
        checkpoint.read()
