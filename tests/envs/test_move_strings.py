"""Move strings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envs import ConnectX, TicTacToe, parse_moves, state_from_moves
from envs.board import moves_text


@pytest.mark.parametrize(
    ("moves", "actions"),
    [
        ("", []),
        ("  ", []),
        ("4", [3]),
        ("4453", [3, 3, 4, 2]),
        ("12", [0, 1]),
        (" 12 ", [0, 1]),
        ("12,", [11]),
        ("1,2", [0, 1]),
        ("4, 4, 12", [3, 3, 11]),
        ("4 4 12", [3, 3, 11]),
        ("10 11", [9, 10]),
    ],
)
def test_moves_are_counted_from_one(moves: str, actions: list[int]) -> None:
    assert parse_moves(moves) == actions


@pytest.mark.parametrize(
    ("moves", "wrong"),
    [
        ("0", "0"),
        ("4403", "0"),
        ("4a5", "a"),
        ("-1", "-"),
        ("1,-1", "-1"),
        ("4, 0", "0"),
        ("4.5", r"\."),
        ("1,x", "x"),
        ("²", "²"),
        ("٣", "٣"),
    ],
)
def test_what_is_no_number_is_named(moves: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=f"contain '{wrong}': write numbers from 1 on"):
        parse_moves(moves)


def test_a_number_is_no_string_of_moves() -> None:
    with pytest.raises(ValueError, match=r"^moves must be a string such as '4453', not 44$"):
        parse_moves(44)  # type: ignore[arg-type]


@pytest.mark.parametrize("moves", ["1,,2", ",1", " ,", "4, ,5", "1,,"])
def test_a_missing_number_is_not_passed_over(moves: str) -> None:
    with pytest.raises(ValueError, match="a number is missing before a comma"):
        parse_moves(moves)


def test_a_string_of_moves_is_played_from_the_empty_board() -> None:
    env = ConnectX()
    state = env.initial_state()
    for column in (3, 3, 4, 2):
        state = env.get_next_state(state, column)
    assert state_from_moves(env, "4453") == state
    assert state_from_moves(env, "") == env.initial_state()
    assert TicTacToe().to_board(state_from_moves(TicTacToe(), "59")) == [0, 0, 0, 0, 1, 0, 0, 0, 2]


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ("448", "move 3 of '448' is 8: legal: 1, 2, 3, 4, 5, 6, 7"),
        ("1111111", "move 7 of '1111111' is 1: legal: 2, 3, 4, 5, 6, 7"),
        ("12121213", "move 8 of '12121213' is 3: the game is over"),
    ],
)
def test_an_illegal_move_is_named_with_its_ply(moves: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        state_from_moves(ConnectX(), moves)


@given(st.lists(st.integers(0, 30)), st.sampled_from([",", " ", ", "]))
def test_moves_are_written_as_they_are_read(actions: list[int], separator: str) -> None:
    assert parse_moves(moves_text(actions)) == actions
    if len(actions) > 1:
        separated = separator.join(str(action + 1) for action in actions)
        assert parse_moves(separated) == actions
