"""Positions that show themselves: the picture says what the board says, and runs nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envs import ConnectFour, ConnectX, ExplicitTree, TicTacToe, board_text, show, state_from_moves
from tests.helpers.html_reading import drawings, shown
from tests.helpers.strategies import Position, positions
from tests.helpers.svg_reading import SVG

FOUR = ConnectFour()


@given(positions(st.sampled_from([FOUR, ConnectX(3, 12, 3), ConnectX(1, 1, 1), TicTacToe()])))
def test_each_stone_has_its_mark(position: Position) -> None:
    env, state = position
    (picture,) = drawings(show(env, state))
    board = env.to_board(state)
    crosses = [*picture.findall(f"{SVG}path")]
    rings = [*picture.findall(f"{SVG}circle")]
    assert (len(crosses), len(rings)) == (board.count(1), board.count(2))
    assert len([*picture.iter(f"{SVG}circle")]) == len(board) + len(rings)
    assert str(show(env, state)).startswith(board_text(env, state))


def texts(picture: object) -> list[str]:
    return [text.text or "" for text in picture.iter(f"{SVG}text")]  # type: ignore[attr-defined]


def test_values_stand_below_their_columns() -> None:
    state = state_from_moves(FOUR, "4")
    view = show(FOUR, state, {3: 0.0, 0: -0.129, 6: 1.0})
    (picture,) = drawings(view)
    assert texts(picture) == ["1", "-0.12", "2", "3", "4", "0", "5", "6", "7", "+1"]
    assert str(view).splitlines()[-4:-1] == ["  1: -0.12  best", "  4: 0", "  7: +1"]
    assert "Player 2 to move (O)" in shown(view).text


def test_the_best_value_is_the_movers() -> None:
    first = show(FOUR, FOUR.initial_state(), {0: -0.5, 1: 0.5})
    second = show(FOUR, state_from_moves(FOUR, "4"), {0: -0.5, 1: 0.5})
    assert "2: +0.50  best" in str(first)
    assert "1: -0.50  best" in str(second)


def test_cells_have_numbers_until_they_are_taken() -> None:
    env = TicTacToe()
    (picture,) = drawings(show(env, state_from_moves(env, "51"), {1: -1.0}))
    assert texts(picture) == ["-1", *"346789"]


def test_a_finished_game_says_who_has_won() -> None:
    assert "Player 1 has won." in shown(show(FOUR, state_from_moves(FOUR, "1212121"))).text


def test_a_game_without_a_board_is_text() -> None:
    tree = ExplicitTree({"<script>alert(1)</script>": [1, 2], "b": 3})
    view = show(tree, tree.initial_state(), {"<script>alert(1)</script>": 0.5})
    assert "<script>alert(1)</script>: +0.50  best" in shown(view).text
    assert "Player 1 to move" in str(view)
    assert str(show(tree, ("b",))).endswith("The game is over")


def test_a_board_too_large_to_draw_is_text() -> None:
    env = ConnectX(50, 51, 4)
    view = show(env, env.initial_state())
    assert view.svg is None
    assert shown(view).tags == ["pre"]


def test_what_is_no_position_is_refused() -> None:
    with pytest.raises(ValueError, match=r"of ConnectFour\(\) must be a BoardState, not \(1, 2"):
        show(FOUR, (1, 2))
    with pytest.raises(ValueError, match="a value is given for 9, which is not a legal action"):
        show(FOUR, FOUR.initial_state(), {9: 0.5})
