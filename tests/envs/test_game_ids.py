"""Games as words with their sizes, as addresses carry them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envs import ConnectFour, ConnectX, TicTacToe
from envs.games import game_from_id, game_id

sizes = st.integers(1, 12)


@given(sizes, sizes, sizes)
def test_a_game_is_made_again_of_its_id(rows: int, columns: int, inarow: int) -> None:
    env = ConnectX(rows, columns, inarow)
    assert game_id(env) == f"connectx-{rows}x{columns}x{inarow}"
    assert game_from_id(game_id(env)) == env


def test_a_game_of_one_size_is_named_alone() -> None:
    assert game_id(TicTacToe()) == "tictactoe"
    assert game_from_id("tictactoe") == TicTacToe()
    assert game_from_id(game_id(ConnectFour())) == ConnectFour()


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", "chess", "connectx", "connectx-", "connectx-6x7", "connectx-6x7x4x4"),
        *(
            "tictactoe-",
            "tictactoe-3x3x3",
            "connectx-6x7x4 ",
            "connectx-6x7xfour",
            "ConnectX-6x7x4",
        ),
        *("connectx-0x7x4", "connectx--6x7x4", "connectx-6x7x99999", "connectx-٦x7x4"),
    ],
)
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no game|must be a whole number"):
        game_from_id(text)


def test_a_size_may_have_a_limit() -> None:
    assert game_from_id("connectx-20x20x20", largest=20).rows == 20
    with pytest.raises(ValueError, match="columns is at most 20, not 21"):
        game_from_id("connectx-20x21x4", largest=20)
