"""Solving a book's positions, by any executor and in several runs; what checkpoints keep."""

import re
from concurrent.futures import BrokenExecutor, Executor
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.book import book_positions
from agents.book.book_format import BookContent
from agents.book.book_positions import FEW_POSITIONS, BookScope, positions_by_ply
from agents.book.building.book_building import (
    Checkpoint,
    FindingsFile,
    UnfinishedBook,
    build_book,
    position_of_key,
)
from agents.book.building.replies_file import RepliesFile, TrapScope
from agents.book.opening_book import open_book
from agents.book.repertoire import RepertoireScope
from envs import ConnectX
from tests.helpers.brute_force import BruteForce, score_by_brute_force
from tests.helpers.executors import AtOnce, ExecutorFactory, with_every_executor

SCOPE = BookScope(4, 4, 3, 6)
POSITIONS = 479
MEGABYTES = 1
SOME = {149: 3}
"""The score of a position by its key; with 6 of 16 stones on the board, scores are from -5 to 5."""


class Progress:
    """Keeps what it is told, and stops the computation at some point."""

    def __init__(self, stop_at: int = POSITIONS + 1, stop: BaseException | None = None) -> None:
        self.stop_at, self.stop = stop_at, stop or KeyboardInterrupt()
        self.done: list[int] = []

    def __call__(self, done: int, total: int, description: str) -> None:
        assert total == POSITIONS
        self.done.append(done)
        if done >= self.stop_at:
            raise self.stop


@pytest.fixture
def checkpoint(tmp_path: Path) -> Checkpoint[BookScope]:
    return Checkpoint(tmp_path / "book.scores", SCOPE)


def build(
    checkpoint: Checkpoint[BookScope], executor: Executor, on_progress: Progress
) -> BookContent:
    """As the command does it."""
    with checkpoint.opened(resume=True) as known:
        return build_book(checkpoint, known, executor, MEGABYTES, on_progress)


def kept(checkpoint: Checkpoint[Any], *found: dict[int, int]) -> None:
    """Findings added to a checkpoint."""
    with checkpoint.opened(resume=True):
        for each in found:
            checkpoint.append(each)


@with_every_executor
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
    assert known.items() >= SOME.items()


@cache
def solved() -> dict[int, int]:
    """The scores of all positions by key, by full minimax."""
    env = ConnectX(SCOPE.rows, SCOPE.columns, SCOPE.inarow)
    truth, keys = BruteForce(env), positions_by_ply(SCOPE, FEW_POSITIONS)[-1].tolist()
    assert len(keys) == POSITIONS
    return {
        key: score_by_brute_force(env, truth, state)
        for key in keys
        if (state := position_of_key(SCOPE.board, key))
    }


def solved_at_once() -> list[int]:
    return [*solved().values()]


def test_a_book_that_could_not_be_opened_is_not_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = BookScope(4, 4, 3, 15)  # 30 positions; 2351 after five plies fewer
    monkeypatch.setattr(book_positions, "FEW_POSITIONS", 2000)
    with pytest.raises(ValueError, match=r"may have 2000 positions after each.*fewer plies"):
        open_book(BookContent(scope, np.zeros(30, np.int64)))
    checkpoint, executor = Checkpoint(tmp_path / "book.scores", scope), AtOnce()
    with (
        checkpoint.opened(resume=False) as known,
        pytest.raises(ValueError, match=r"fewer positions after 15 plies than after.*fewer plies"),
    ):
        build_book(checkpoint, known, executor, MEGABYTES, lambda *_: None)
    assert executor.submitted == 0


def test_an_interrupted_computation_goes_on_where_it_was(checkpoint: Checkpoint[BookScope]) -> None:
    with pytest.raises(UnfinishedBook, match=r"^A worker died.* with --resume goes on from there"):
        build(checkpoint, AtOnce(), Progress(100, BrokenExecutor("a process was ended")))
    with pytest.raises(UnfinishedBook, match=rf"^Interrupted: \d+ of {POSITIONS} positions are"):
        build(checkpoint, AtOnce(), Progress(200))
    known = checkpoint.read()
    assert 200 <= len(known) < POSITIONS
    second_run, progress = AtOnce(), Progress()
    content = build(checkpoint, second_run, progress)
    assert progress.done[0] == len(known)
    assert content.deepest_scores.tolist() == solved_at_once()
    third_run = AtOnce()
    again = build(checkpoint, third_run, Progress())
    assert second_run.submitted > third_run.submitted == 0
    assert again.deepest_scores.tolist() == content.deepest_scores.tolist()


# --- checkpoints


places = st.lists(st.integers(0, POSITIONS - 1), max_size=9)


@given(places, places, st.data())
def test_a_file_cut_anywhere_keeps_what_is_whole(
    some: list[int], others: list[int], data: st.DataObject
) -> None:
    scores = [*solved().items()]
    first, second = (dict(scores[place] for place in drawn) for drawn in (some, others))
    with TemporaryDirectory() as folder:
        checkpoint = Checkpoint(Path(folder) / "book.scores", SCOPE)
        kept(checkpoint, first)
        written = checkpoint.path.read_bytes()
        length = data.draw(st.integers(1, len(written)))
        checkpoint.path.write_bytes(written[:length])
        whole_lines = written[:length].count(b"\n")
        expected = dict([*first.items()][: max(0, whole_lines - 1)])
        assert checkpoint.read() == expected
        with checkpoint.opened(resume=True) as known:
            assert known == expected
            assert checkpoint.was_torn == (written[length - 1] != ord("\n"))
            checkpoint.append(second)
        assert checkpoint.read() == expected | second
        assert checkpoint.path.read_bytes().startswith(checkpoint.heading.encode() + b"\n")


def test_no_file_and_an_empty_one_have_no_scores(checkpoint: Checkpoint[BookScope]) -> None:
    for resume in (True, False):
        with checkpoint.opened(resume) as known:
            assert known == {}
        assert not checkpoint.path.exists(), "nothing was found"
        checkpoint.path.touch()
    kept(checkpoint, SOME)
    assert checkpoint.read() == SOME


def require_refused(
    checkpoint: FindingsFile[Any], error: type[Exception], message: str, resume: bool = True
) -> None:
    """A run that is refused leaves the file as it is."""
    before = checkpoint.path.read_bytes()
    with pytest.raises(error, match=message), checkpoint.opened(resume):
        pass
    assert checkpoint.path.read_bytes() == before


def test_an_earlier_run_is_not_overwritten(checkpoint: Checkpoint[BookScope]) -> None:
    kept(checkpoint, SOME)
    message = r"findings of an earlier run: go on with --resume"
    require_refused(checkpoint, FileExistsError, message, resume=False)


OTHERS = [BookScope(4, 4, 3, 5), BookScope(4, 5, 3, 6), BookScope(4, 4, 4, 6)]


@pytest.mark.parametrize(
    "content",
    [
        *(f"{Checkpoint(Path(), other).heading}\n149 3\n".encode() for other in OTHERS),
        *(b"5 -1\n", b"\xff\x00", b"connectx books", b"\n"),
    ],
)
def test_files_of_something_else_are_left_alone(
    checkpoint: Checkpoint[BookScope], content: bytes
) -> None:
    checkpoint.path.write_bytes(content)
    message = r"does not belong to 'connectx book .*': choose another --output"
    require_refused(checkpoint, ValueError, message)


SOUND = {
    "scores": "149 3\n148 5\n",
    "moves": "0 1\n",
    "replies": "32806 0:1,1:-1:\n4 0:1,1:-2:1.2.0.3 1:0,0.1:1:\n",
}
"""Lines that can be, for each kind of checkpoint; 148 is won at once."""
SCORE_OR_COLUMN = "key and a score or column"
POSSIBLE = "position with a score or column that it can have"
REFUSED: list[tuple[str, str, list[str]]] = [
    ("scores", SCORE_OR_COLUMN, ["5", "5 x", "5 1 7 2", ""]),
    ("scores", POSSIBLE, ["149 6", "149 999", "149 -6", "148 4", "20 0", "-1 0", f"{2**70} 0"]),
    ("scores", POSSIBLE, ["0 0"]),  # the empty board, which has no 6 stones
    ("moves", SCORE_OR_COLUMN, ["0"]),
    ("moves", POSSIBLE, ["0 4", "0 -1"]),
    ("moves", POSSIBLE, ["2 0"]),  # one stone, and its player is to move
    (
        "replies",
        "key and replies with a chance for each opponent",
        [
            *("", "5", "x 0:1,1:1:", "5 0:1,1", "5 0:1:1:", "5 0:nan,1:1:", "5 0:1,1:1:a"),
            *("5 0:2,0:1:", "4 0:1,-1:1:"),
            "4 0:0,0:1:",  # nobody would play it: what is left has no probability
        ],
    ),
    (
        "replies",
        "position of the opponent's with replies that it can have",
        [
            "1 0:1,1:0:1",  # one stone: the opponent, player 1, is not to move
            "20 0:1,1:0:1",  # no position
            "4 4:1,1:0:1",  # a column that is not there
            "4 0:1,1:0:1 0:1,1:0:1",  # twice the same column
            "4 1:1,1:-7:1",  # no loss comes so soon after three stones
            "4 1:1,1:2:",  # 1 stands for every win
            "4 1:1,1:1:2",  # where nothing is left to choose
            "4 1:1,1:0:",  # nothing to choose, but no win
            "4 1:1,1:0:4",  # a column that is not there, in the position after the reply
            "32806 0:1,1:1:",  # the reply wins: the game is over, and lost
            "32806 0:1,1:-1:2",
        ],
    ),
]


@pytest.mark.parametrize(
    ("kind", "expected", "line"),
    [(kind, expected, line) for kind, expected, lines in REFUSED for line in lines],
)
def test_a_line_that_cannot_be_is_named(
    tmp_path: Path, kind: str, expected: str, line: str
) -> None:
    path = tmp_path / "found"
    checkpoints: dict[str, FindingsFile[Any]] = {
        "scores": Checkpoint(path, SCOPE),
        "moves": Checkpoint(path, RepertoireScope(4, 4, 3, -1, 6, 7)),
        "replies": RepliesFile(path, TrapScope(4, 4, 3, 2, ("random", "greedy"))),
    }
    checkpoint = checkpoints[kind]
    sound = f"{checkpoint.heading}\n{SOUND[kind]}"
    path.write_text(sound)
    assert len(checkpoint.read()) == SOUND[kind].count("\n")
    path.write_text(f"{sound}{line}\n{SOUND[kind]}")
    message = f"line {sound.count(chr(10)) + 1}: {line!r} is not a {expected}: delete this line"
    require_refused(checkpoint, ValueError, re.escape(message))


@pytest.mark.parametrize("line", ["[" * 10**5, "9" * 10**5, f"{next(iter(SOME))} {'0' * 10**5}2"])
def test_a_long_line_is_not_repeated_whole(checkpoint: Checkpoint[BookScope], line: str) -> None:
    kept(checkpoint, SOME)
    with checkpoint.path.open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(ValueError, match="line 3") as refused:
        checkpoint.read()
    assert len(str(refused.value)) < 200 + len(str(checkpoint.path))


def test_lines_that_contradict_each_other_are_refused(checkpoint: Checkpoint[BookScope]) -> None:
    (key,) = SOME
    kept(checkpoint, SOME, SOME)
    assert checkpoint.read() == SOME, "the same twice is no contradiction"
    kept(checkpoint, {key: SOME[key] + 1})
    with pytest.raises(ValueError, match=rf"line 4: '{key} .*' contradicts an earlier line"):
        checkpoint.read()
