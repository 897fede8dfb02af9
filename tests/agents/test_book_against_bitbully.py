"""The whole shipped book against the databases of BitBully, which were computed independently."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from agents.book.book_positions import stones_of_keys
from agents.book.opening_book import OpeningBook, shipped_book

Entry = tuple[Any, int]
"""A position as BitBully's board, and its score in the book."""


@pytest.fixture(scope="module")
def core() -> Any:
    return pytest.importorskip("bitbully.bitbully_core")


@pytest.fixture(scope="module")
def databases() -> Path:
    package = pytest.importorskip("bitbully_databases")
    return Path(package.__file__).parent / "assets"


def entries(core: Any, opening_book: OpeningBook, ply: int) -> Iterator[Entry]:
    movers, masks = stones_of_keys(opening_book.scope.board, opening_book.keys[ply])
    stones = zip(movers.tolist(), masks.tolist(), strict=True)
    for (mover, mask), score in zip(stones, opening_book.scores[ply].tolist(), strict=True):
        first, second = (mover, mask ^ mover) if ply % 2 == 0 else (mask ^ mover, mover)
        yield bitbully_board(core, first, second), score


def bitbully_board(core: Any, first: int, second: int) -> Any:
    """The board of both players' stones: columns from the left, each from the bottom up."""
    board = core.BoardCore()
    assert board.setBoard(
        [
            [(first >> cell & 1) + 2 * (second >> cell & 1) for cell in range(bottom, bottom + 6)]
            for bottom in range(0, 49, 7)
        ]
    )
    return board


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("step", "number"), [(5, 38_203 + 18_259), pytest.param(1, 129_498, marks=pytest.mark.slow)]
)
def test_every_score(core: Any, databases: Path, step: int, number: int) -> None:
    """BitBully searches from each position to its database of exact scores after 12 plies.

    Of the last ply that is for each fifth position; the next test has the outcomes of all.
    """
    solver = core.BitBullyCore(databases / "book_12ply_distances.dat")
    compared, last = 0, shipped_book().scope.plies
    for ply in range(last + 1):
        chosen = islice(entries(core, shipped_book(), ply), None, None, step if ply == last else 1)
        for board, score in chosen:
            assert solver.mtdf(board, score) == score, board.toString()
            compared += 1
    assert compared == number


def test_every_outcome_after_eight_plies(core: Any, databases: Path) -> None:
    """BitBully has a database of wins, draws and losses after 8 plies."""
    outcomes = core.OpeningBookCore(databases / "book_8ply.dat")
    compared = 0
    for board, score in entries(core, shipped_book(), ply=8):
        outcome = (score > 0) - (score < 0)
        assert outcomes.getBoardValue(board) == outcome, board.toString()
        compared += 1
    assert compared == 91_295
