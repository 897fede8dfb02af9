"""Move strings."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envs import ConnectX, parse_moves, state_from_moves
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


REFUSED: dict[str, list[Any]] = {
    "contain '0': write numbers from 1 on": ["0", "4403", "4, 0"],
    "contain 'a': write numbers from 1 on": ["4a5"],
    "contain '-': write numbers from 1 on": ["-1"],
    "contain '-1': write numbers from 1 on": ["1,-1"],
    r"contain '\.': write numbers from 1 on": ["4.5"],
    "contain 'x': write numbers from 1 on": ["1,x", "4x"],
    "contain '²': write numbers from 1 on": ["²"],
    "contain '٣': write numbers from 1 on": ["٣"],
    "a number is missing before a comma": ["1,,2", ",1", " ,", "4, ,5", "1,,"],
    "^moves must be a string such as '4453', not 44$": [44],
    "move 3 of '448' is 8: legal: 1, 2, 3, 4, 5, 6, 7": ["448"],
    "move 7 of '1111111' is 1: legal: 2, 3, 4, 5, 6, 7": ["1111111"],
    "move 8 of '12121213' is 3: the game is over": ["12121213"],
}


@pytest.mark.parametrize(
    ("message", "moves"), [(message, each) for message in REFUSED for each in REFUSED[message]]
)
def test_what_is_wrong_is_named(message: str, moves: Any) -> None:
    with pytest.raises(ValueError, match=message):
        state_from_moves(ConnectX(), moves)


@given(st.lists(st.integers(0, 30)), st.sampled_from([",", " ", ", "]))
def test_moves_are_written_as_they_are_read(actions: list[int], separator: str) -> None:
    assert parse_moves(moves_text(actions)) == actions
    if len(actions) > 1:
        separated = separator.join(str(action + 1) for action in actions)
        assert parse_moves(separated) == actions
