"""The opening book: its positions, its bytes, and its scores against minimax and BitBully.

BitBully's databases were computed independently.
"""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.book.book_format import BookContent, decode_book, encode_book
from agents.book.book_positions import FEW_POSITIONS, BookScope, positions_by_ply, stones_of_keys
from agents.book.opening_book import OpeningBook, open_book, shipped_book, shipped_book_of
from agents.solver.solver_kernel import table_key
from envs import BoardState, ConnectFour, ConnectX, TicTacToe, state_from_moves
from envs.bitboard import board_masks
from tests.helpers.brute_force import env_of, reached_states, score_by_brute_force, truth_of
from tests.helpers.strategies import mirrored
from tests.helpers.systems import memory_below

CONNECT_FOUR = BookScope(6, 7, 4, 8)
SMALL_BOARDS = [
    BookScope(4, 4, 3, 5),
    BookScope(4, 3, 3, 11),  # the whole game
    BookScope(3, 5, 3, 3),
    BookScope(2, 3, 7, 5),  # too small for a line
    BookScope(3, 3, 1, 2),  # no position after the first ply
    BookScope(5, 1, 2, 3),
]
LARGE_BOARDS = [BookScope(6, 7, 4, 5), BookScope(6, 9, 5, 3), BookScope(2, 21, 3, 3)]
"""The last two have 63 bits; on the last one columns are full after two plies."""


def solver_key(scope: BookScope, state: BoardState) -> int:
    """What the solver's table calls a position and its mirror image."""
    board = board_masks(scope.rows, scope.columns, scope.inarow)
    return int(table_key(board, state.mover, state.mask))


def state_of_key(scope: BookScope, key: int, ply: int) -> BoardState:
    movers, masks = stones_of_keys(scope.board, np.array([key]))
    return BoardState(int(movers[0]), int(masks[0]), player=1 + ply % 2, won=False)


def small_book(scope: BookScope) -> OpeningBook:
    """A book whose last ply is solved by full minimax."""
    env = env_of(scope)
    truth = truth_of(env)
    deepest = [
        score_by_brute_force(env, truth, state_of_key(scope, key, scope.plies))
        for key in positions_by_ply(scope, FEW_POSITIONS)[-1].tolist()
    ]
    return open_book(BookContent(scope, np.array(deepest, np.int64)))


@pytest.mark.parametrize("scope", [*SMALL_BOARDS, *LARGE_BOARDS])
def test_positions_are_those_that_play_reaches(scope: BookScope) -> None:
    env = env_of(scope)
    positions = positions_by_ply(scope, FEW_POSITIONS)
    assert len(positions) == scope.plies + 1
    for ply, states in enumerate(reached_states(scope)):
        going_on = {solver_key(scope, s) for s in states if env.get_available_actions(s)}
        keys = positions[ply].tolist()
        assert keys == sorted(going_on)
        assert [solver_key(scope, state_of_key(scope, key, ply)) for key in keys] == keys


@pytest.mark.parametrize("scope", SMALL_BOARDS)
def test_small_books_against_full_minimax(scope: BookScope) -> None:
    env = env_of(scope)
    truth = truth_of(env)
    opening_book = small_book(scope)
    looked_up = 0
    for states in reached_states(scope):
        for state in states:
            if env.get_available_actions(state):
                score = score_by_brute_force(env, truth, state)
                assert opening_book.score(state) == score
                assert opening_book.score(mirrored(env, state)) == score
                looked_up += 1
            else:
                assert opening_book.score(state) is None
    assert looked_up >= sum(map(len, opening_book.keys))


def test_positions_that_are_not_in_the_book() -> None:
    scope = BookScope(4, 4, 3, 2)
    env = env_of(scope)
    opening_book = small_book(scope)
    assert opening_book.score(state_from_moves(env, "12")) is not None
    assert opening_book.score(state_from_moves(env, "123")) is None
    two_of_one_player = [0] * 12 + [1, 1, 0, 0]
    assert opening_book.score(env.from_board(two_of_one_player, player=2)) is None


@st.composite
def contents(draw: st.DrawFn) -> BookContent:
    scope = draw(st.sampled_from([*SMALL_BOARDS, CONNECT_FOUR, BookScope(6, 9, 32, 53)]))
    scores = draw(st.lists(st.integers(-27, 27), max_size=200))
    return BookContent(scope, np.array(scores, np.int64))


@given(contents())
def test_bytes_say_what_was_written(content: BookContent) -> None:
    scope, scores = decode_book(encode_book(content))
    assert scope == content.scope
    assert scores.dtype == np.int64
    assert scores.tolist() == content.deepest_scores.tolist()


@given(contents(), st.data())
def test_damage_is_noticed(content: BookContent, data: st.DataObject) -> None:
    written = encode_book(content)
    place = data.draw(st.integers(0, len(written) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != written[place]))
    for damaged in (written[:place] + bytes([other]) + written[place + 1 :], written[:place]):
        with pytest.raises(ValueError, match=r"opening book.* `connectx book`"):
            decode_book(damaged)


def test_a_book_with_too_few_scores_is_refused() -> None:
    with pytest.raises(ValueError, match="1 scores for 4 positions: build it again"):
        open_book(BookContent(BookScope(6, 7, 4, 1), np.zeros(1, np.int64)))


def written(scope: tuple[int, int, int, int], scores: bytes, *, after: bytes = b"") -> bytes:
    """A book as `book_format` describes it, with a checksum that fits."""
    data = struct.pack("<4sHHHHH", b"CXBK", 1, *scope) + scores + after
    return data + struct.pack("<I", zlib.crc32(data))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (written((6, 7, 4, 41), zlib.compress(b"\0" * 9)), "may have 262144 positions after each"),
        pytest.param(
            written((1, 31, 9, 30), zlib.compress(b"\0" * 9)),
            "may have 262144 positions after each",
            marks=pytest.mark.thorough,
        ),
        (written((4, 34564, 3, 4), zlib.compress(b"\0" * 9)), "at most 63"),
        (written((6, 7, 4, 0), b"no zlib"), "is damaged"),
        (written((6, 7, 4, 0), zlib.compress(b"\1")[:-1]), "is damaged"),
        (written((6, 7, 4, 0), zlib.compress(b"\1"), after=b"more"), "is damaged"),
    ],
    ids=["plies", "columns", "board", "not folded", "cut short", "something after it"],
)
def test_a_book_takes_what_its_bytes_are_worth(content: bytes, sentence: str) -> None:
    with memory_below(2**26), pytest.raises(ValueError, match=sentence):
        open_book(decode_book(content))


def test_no_more_of_a_book_is_unfolded_than_it_may_hold() -> None:
    content = written((6, 7, 4, 8), zlib.compress(bytes(10**7)))
    with memory_below(2**20), pytest.raises(ValueError, match="is damaged"):
        open_book(decode_book(content))


def test_the_shipped_book_against_published_scores() -> None:
    """P. Pons' solver gives these for the empty board and, from the left, for the first moves."""
    env = ConnectFour()
    assert shipped_book().scope == CONNECT_FOUR
    assert shipped_book().score(env.initial_state()) == 1
    after = [shipped_book().score(state_from_moves(env, str(column))) for column in range(1, 8)]
    assert after == [2, 1, 0, -1, 0, 1, 2]


def test_for_other_games_the_shipped_book_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening it takes half a second, by which the first move would be late."""
    monkeypatch.setattr("agents.book.opening_book.shipped_book", lambda: pytest.fail("opened"))
    assert [shipped_book_of(env) for env in (ConnectX(6, 8), TicTacToe())] == [None, None]


def bitbully() -> tuple[Any, Path]:
    """Its classes, and the folder of its databases."""
    core = pytest.importorskip("bitbully.bitbully_core")
    databases = pytest.importorskip("bitbully_databases")
    return core, Path(databases.__file__).parent / "assets"


def shipped_scores(core: Any, ply: int, step: int) -> Iterator[tuple[Any, int]]:
    """Every `step`-th position of a ply as BitBully's board, and its score."""
    book = shipped_book()
    movers, masks = stones_of_keys(book.scope.board, book.keys[ply][::step])
    firsts = masks ^ movers if ply % 2 else movers
    scores = book.scores[ply][::step].tolist()
    for first, mask, score in zip(firsts.tolist(), masks.tolist(), scores, strict=True):
        cells = [(mask >> cell & 1) * (2 - (first >> cell & 1)) for cell in range(49)]
        board = core.BoardCore()
        assert board.setBoard([cells[bottom : bottom + 6] for bottom in range(0, 49, 7)])
        yield board, score


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("step", "number"), [(40, 3_243), pytest.param(1, 129_498, marks=pytest.mark.slow)]
)
def test_every_shipped_score_against_bitbully(step: int, number: int) -> None:
    """BitBully searches from each position to its database of exact scores after 12 plies.

    Without the mark slow that is every 40th position; the next test has the outcomes of all.
    """
    core, folder = bitbully()
    solver = core.BitBullyCore(folder / "book_12ply_distances.dat")
    compared = 0
    for ply in range(CONNECT_FOUR.plies + 1):
        for board, score in shipped_scores(core, ply, step):
            assert solver.mtdf(board, score) == score, board.toString()
            compared += 1
    assert compared == number


def test_every_shipped_outcome_after_eight_plies_against_bitbully() -> None:
    """BitBully has a database of wins, draws and losses after 8 plies."""
    core, folder = bitbully()
    outcomes = core.OpeningBookCore(folder / "book_8ply.dat")
    compared = 0
    for board, score in shipped_scores(core, ply=8, step=1):
        assert outcomes.getBoardValue(board) == (score > 0) - (score < 0), board.toString()
        compared += 1
    assert compared == 91_295
