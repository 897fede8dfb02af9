"""Heuristics: guesses inside (-1, 1), alike for both players, and what they count."""

from functools import partial
from itertools import product
from math import nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import AlphaBetaAgent, ExpectimaxAgent, GreedyAgent, MinimaxAgent
from agents.guidance.heuristics import (
    HEURISTICS,
    automatic,
    graded_squares,
    odd_even_threats,
    open_lines,
    open_twos,
    threat_board,
    zero,
)
from envs import BoardGame, ConnectFour, ConnectX, TicTacToe, state_from_moves
from envs.bitboard import column_cells
from tests.helpers.kaggle_rules import kaggle_game, kaggle_rules
from tests.helpers.small_games import Nim
from tests.helpers.strategies import (
    Position,
    board_games,
    connect_games,
    contested_games,
    mirrored,
    swapped_colours,
    unfinished_positions,
)

ANY_BOARD = board_games()
GAMES: dict[str, st.SearchStrategy[Any]] = {
    "auto": ANY_BOARD,
    "open_lines": ANY_BOARD,
    "zero": ANY_BOARD,
    "open_twos": st.builds(TicTacToe),
    "squares": st.builds(TicTacToe),
    "threats": connect_games(),
}
"""The games that each heuristic is for."""


@pytest.mark.parametrize("name", HEURISTICS)
@given(data=st.data())
def test_a_guess_is_no_proof_and_alike_in_a_mirror_and_for_both_players(
    name: str, data: st.DataObject
) -> None:
    env, state = data.draw(unfinished_positions(GAMES[name]))
    guess = HEURISTICS[name](env, state)
    assert -1.0 < guess < 1.0
    assert HEURISTICS[name](env, mirrored(env, state)) == pytest.approx(guess)
    if name != "threats":  # odd and even rows are not alike for both players
        assert HEURISTICS[name](env, swapped_colours(state)) == -guess


@pytest.mark.parametrize("name", HEURISTICS)
def test_extreme_boards_stay_inside(name: str) -> None:
    """All cells but those of the top row belong to one player, far from any game."""
    games: list[BoardGame] = [
        *(ConnectX(12, 12, 12), ConnectX(12, 12, 2), ConnectX(40, 40, 5), ConnectX(1, 1, 1)),
        *(ConnectX(3, 3, 600), ConnectX(60, 60, 60)),
    ]
    if name in ("open_twos", "squares"):
        games = [TicTacToe()]
    for env, player in product(games, (1, 2)):
        stones = [3 - player] * env.columns * (env.rows - 1)
        top = [3 - player] * 3 if env == TicTacToe() else [0] * env.columns
        assert -1.0 < HEURISTICS[name](env, env.from_board([*top, *stones], player)) < 1.0


OTHERS: list[tuple[str, Any]] = [
    *(("open_lines", Nim(3, 4, 5)), ("open_twos", ConnectFour()), ("squares", ConnectX(4, 4, 3))),
    *(("threats", TicTacToe()), ("threats", Nim(3, 4, 5))),
]


@pytest.mark.parametrize(
    ("agent", "env", "purpose"),
    [
        (agent, env, f"heuristic {name} is for")
        for name, env in OTHERS
        for agent in (GreedyAgent(name), MinimaxAgent(1, heuristic=name))
    ]
    + [
        (agent, Nim(1, 2), "ordering centre is for columns, not for")
        for agent in (GreedyAgent(ordering="centre"), AlphaBetaAgent(ordering="centre"))
    ],
)
def test_another_game_is_refused_in_one_sentence(agent: Any, env: Any, purpose: str) -> None:
    for ask in (agent.require_playable, partial(agent.act, state=env.initial_state())):
        with pytest.raises(ValueError, match=f"^the {purpose} .*: choose auto$"):
            ask(env)


@pytest.mark.parametrize("agent", [GreedyAgent, MinimaxAgent, AlphaBetaAgent, ExpectimaxAgent])
def test_a_guess_is_a_number_and_not_beyond_a_win(agent: Any) -> None:
    env = TicTacToe()

    def search(guess: Any) -> Any:
        searcher = agent(**agent.quick, heuristic=lambda env, state: guess)
        return searcher.search(env, env.initial_state())

    assert (search(-1).value, search(1.0).value) == (-1, 1)
    for wrong in (-1.25, nan, None, "0.5"):
        with pytest.raises(ValueError, match=rf"^the heuristic gives {wrong!r} in .*d / \(1"):
            search(wrong)


# --- counted by hand


@pytest.mark.parametrize(
    ("env", "moves", "difference"),
    [
        (TicTacToe(), "", 0.0),
        (TicTacToe(), "5", 4 / 4),  # the centre: four lines with one stone
        (TicTacToe(), "51", 3 / 4 - 2 / 4),  # a corner cuts one of them and begins two of its own
        (TicTacToe(), "512", 1.0 + 2 / 4 - 1 / 4),  # 2-5-8 has two stones; 1-4-7 is player 2's
        # The middle of the bottom row is in four rows, one column and two diagonals of four.
        (ConnectFour(), "4", 7 * 4.0**-2),
        (ConnectX(2, 2, inarow=10**12), "12", 0.0),  # no line is as long
    ],
)
def test_open_lines_counted_by_hand(env: BoardGame, moves: str, difference: float) -> None:
    value = open_lines(env, state_from_moves(env, moves))
    assert value == pytest.approx(difference / (4 + abs(difference)))


@pytest.mark.parametrize(
    ("moves", "twos", "grades"),
    [
        ("", 0, 0),
        ("5", 0, 4),
        ("51", 0, 4 - 3),
        ("512", 1, 4 - 3 + 2),  # 2-5-8
        ("5127", 1 - 1, 4 - 3 + 2 - 3),  # and 1-4-7
        ("51273", 1 - 1, 4 - 3 + 2 - 3 + 3),  # 2-5-8, while 3-5-7 is closed
    ],
)
def test_tic_tac_toe_counted_by_hand(moves: str, twos: int, grades: int) -> None:
    env = TicTacToe()
    state = state_from_moves(env, moves)
    assert open_twos(env, state) == pytest.approx(twos / 9)
    assert graded_squares(env, state) == pytest.approx(grades / 25)


# --- odd and even threats


def threats_by_trial(position: Position, player: int) -> set[tuple[int, int]]:
    """The hanging cells, row from the bottom and column, where a stone of the player would win.

    Each is tried by Kaggle's rules: the board is filled below it with stones of no one.
    """
    env, state = position
    board = env.to_board(state)
    found = set()
    for column in range(env.columns):
        cells = [row * env.columns + column for row in range(env.rows)][::-1]
        free = [row for row, cell in enumerate(cells) if board[cell] == 0]
        for row in free[1:]:
            trial = board.copy()
            for below in free[: free.index(row)]:
                trial[cells[below]] = 3
            game = kaggle_game(env, state)
            if kaggle_rules().is_win(trial, column, player, game.configuration, has_played=False):
                found.add((row + 1, column))
    return found


@given(unfinished_positions(contested_games(largest=7)))
def test_threats_are_the_hanging_cells_that_win(position: Position) -> None:
    env, state = position
    first_row = 1 if (env.columns - 1) * env.rows % 2 == 0 else 0
    difference = 0
    for row, _ in threats_by_trial(position, 1):
        difference += 2 if row % 2 == first_row else 1
    for row, _ in threats_by_trial(position, 2):
        difference -= 1 if row % 2 == first_row else 2
    value = odd_even_threats(env, state)  # type: ignore[arg-type]
    assert value == pytest.approx(difference / (4 + abs(difference)))


def test_the_automatic_heuristic_fits_the_game() -> None:
    env, nim = ConnectFour(), Nim(3, 4, 5)
    state = state_from_moves(env, "4")
    assert automatic(env, state) == open_lines(env, state) != 0.0
    assert automatic(nim, nim.initial_state()) == 0.0
    assert zero(env, state) == 0.0


@pytest.mark.parametrize(("rows", "columns"), [(6, 7), (6, 6), (5, 7), (5, 6), (7, 8), (1, 1)])
def test_the_rows_are_those_that_are_filled_last(rows: int, columns: int) -> None:
    """The last column is filled by turns, once all the others are full."""
    env = ConnectX(rows, columns, inarow=rows + columns)
    state = env.initial_state()
    for column in range(columns - 1):
        for _ in range(rows):
            state = env.get_next_state(state, column)
    before = env.stones(state)[0]
    while env.get_available_actions(state):
        state = env.get_next_state(state, columns - 1)
    filled = env.stones(state)[0] & ~before
    assert threat_board(rows, columns).first & column_cells(rows, columns - 1) == filled
