"""Heuristics: guesses inside (-1, 1), alike for both players, and what they count."""

import pytest
from hypothesis import given

from agents.evaluation import HEURISTICS, automatic, open_lines, zero
from envs import ConnectFour, ConnectX, TicTacToe, state_from_moves
from tests.small_games import Nim
from tests.strategies import (
    Position,
    board_games,
    mirrored,
    swapped_colours,
    unfinished_positions,
)

every_heuristic = pytest.mark.parametrize("name", HEURISTICS)


@every_heuristic
@given(position=unfinished_positions(board_games()))
def test_a_guess_never_reaches_a_proof(name: str, position: Position) -> None:
    env, state = position
    assert -1.0 < HEURISTICS[name](env, state) < 1.0


@every_heuristic
@pytest.mark.parametrize(
    ("rows", "columns", "inarow"),
    [(12, 12, 12), (12, 12, 2), (40, 40, 5), (1, 1, 1), (3, 3, 600), (60, 60, 60)],
)
@pytest.mark.parametrize("player", [1, 2])
def test_extreme_boards_stay_inside(
    name: str, rows: int, columns: int, inarow: int, player: int
) -> None:
    """All cells but those of the top row belong to one player, far from any game."""
    env = ConnectX(rows, columns, inarow)
    board = [0] * columns + [3 - player] * columns * (rows - 1)
    state = env.from_board(board, player)
    assert -1.0 < HEURISTICS[name](env, state) < 1.0


@every_heuristic
@given(position=unfinished_positions(board_games()))
def test_the_sign_changes_with_the_colours(name: str, position: Position) -> None:
    env, state = position
    heuristic = HEURISTICS[name]
    assert heuristic(env, swapped_colours(state)) == -heuristic(env, state)


@every_heuristic
@given(position=unfinished_positions(board_games()))
def test_the_mirror_image_is_worth_the_same(name: str, position: Position) -> None:
    env, state = position
    heuristic = HEURISTICS[name]
    assert heuristic(env, mirrored(env, state)) == pytest.approx(heuristic(env, state))


@pytest.mark.parametrize(
    ("moves", "difference"),
    [
        ("", 0.0),
        ("5", 4 / 4),  # the centre: four lines with one stone
        ("51", 3 / 4 - 2 / 4),  # a corner cuts one of them and begins two of its own
        ("512", 1.0 + 2 / 4 - 1 / 4),  # 2-5-8 has two stones; 1-4-7 alone is left to player 2
    ],
)
def test_open_lines_of_tic_tac_toe_counted_by_hand(moves: str, difference: float) -> None:
    env = TicTacToe()
    value = open_lines(env, state_from_moves(env, moves))
    assert value == pytest.approx(difference / (4 + abs(difference)))


def test_open_lines_of_connect_four_counted_by_hand() -> None:
    """The middle of the bottom row is in four rows, one column and two diagonals of four."""
    env = ConnectFour()
    difference = 7 * 4.0**-2
    assert open_lines(env, state_from_moves(env, "4")) == pytest.approx(
        difference / (4 + difference)
    )


def test_the_automatic_heuristic_fits_the_game() -> None:
    env, nim = ConnectFour(), Nim(3, 4, 5)
    state = state_from_moves(env, "4")
    assert automatic(env, state) == open_lines(env, state) != 0.0
    assert automatic(nim, nim.initial_state()) == 0.0
    assert zero(env, state) == 0.0
