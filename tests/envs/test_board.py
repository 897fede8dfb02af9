"""Boards: Kaggle's rules and its flat board, states as values, illegal actions."""

from collections.abc import Sequence
from copy import deepcopy
from cProfile import Profile
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envs import BoardGame, ConnectFour, ConnectX, TicTacToe, state_from_moves
from envs.bitboard import cell_bit, winning_lines
from tests.helpers.flat_boards import EVERY_GAME, every_game, has_line
from tests.helpers.kaggle_rules import kaggle_game
from tests.helpers.strategies import Position, connect_games, positions

EMPTY_CONNECT_FOUR = [0] * 42


def connect_four_board(*bottom_rows: str) -> list[int]:
    """A board of 6x7 whose lowest rows are given, the highest of them first."""
    cells = [int(cell) for cell in "".join(bottom_rows)]
    return [0] * (42 - len(cells)) + cells


# --- games as Kaggle's rules have them, compared ply by ply

# (rows, columns, inarow, games): some 1 000 games
SIZES = [
    (1, 1, 1, 1),
    (1, 7, 4, 20),
    (7, 1, 4, 5),
    (2, 2, 1, 5),
    (2, 9, 2, 50),
    (3, 3, 3, 300),
    (3, 3, 2, 50),
    (4, 4, 4, 100),
    (4, 4, 5, 20),
    (5, 6, 3, 100),
    (6, 7, 4, 200),
    (7, 8, 4, 50),
    (9, 9, 4, 30),
    (10, 12, 5, 20),
    (12, 12, 6, 10),
    (12, 3, 3, 20),
    (8, 7, 12, 10),
]


@pytest.mark.parametrize(("rows", "columns", "inarow", "games"), SIZES)
def test_random_games_agree_with_kaggles_rule_functions(
    rows: int, columns: int, inarow: int, games: int
) -> None:
    env = ConnectX(rows, columns, inarow)
    rng = Random(games)
    for _ in range(games):
        state = env.initial_state()
        kaggle = kaggle_game(env, state)
        while not kaggle.over:
            actions = env.get_available_actions(state)
            assert list(actions) == kaggle.open_columns
            assert env.winner(state) is None
            assert env.current_player(state) == kaggle.mark
            action = rng.choice(actions)
            kaggle.play(action)
            assert env.reward(state, action) == {None: 0, 1: 1, 2: -1}[kaggle.winner]
            state = env.get_next_state(state, action)
        assert list(env.get_available_actions(state)) == []
        assert env.winner(state) == kaggle.winner
        assert env.to_board(state) == kaggle.board


# --- to_board and from_board


def test_the_bits_of_connect_four_lie_as_drawn() -> None:
    cells = [(0, 0), (0, 6), (5, 0), (5, 6), (4, 3)]
    assert [cell_bit(6, *cell).bit_length() - 1 for cell in cells] == [5, 47, 0, 42, 22]


@pytest.mark.parametrize(
    ("board", "player", "message"),
    [
        ([0] * 41, None, "6 rows and 7 columns has 42 cells, not 41"),
        ([0] * 43, 1, "42 cells, not 43"),
        ([[0] * 7] * 6, None, "42 cells, not 6"),
        ([*EMPTY_CONNECT_FOUR[:-1], 3], None, "cell 41 of the board is 3: 0, 1 or 2 is expected"),
        ([-1, *EMPTY_CONNECT_FOUR[1:]], None, "cell 0 of the board is -1"),
        ([None, *EMPTY_CONNECT_FOUR[1:]], None, "cell 0 of the board is None"),
        (["1", *EMPTY_CONNECT_FOUR[1:]], None, "cell 0 of the board is '1'"),
        ([[1], *EMPTY_CONNECT_FOUR[1:]], None, r"cell 0 of the board is \[1\]"),
        (connect_four_board("0110000"), None, "stones ahead"),
        (connect_four_board("0020000"), None, "stones ahead"),
        (EMPTY_CONNECT_FOUR, 0, "the player to move must be 1 or 2, not 0"),
        (EMPTY_CONNECT_FOUR, 3, "the player to move must be 1 or 2, not 3"),
        (connect_four_board("1000000", "0000002"), None, "a stone floats in column 0"),
        (connect_four_board("0000001", "0000002", "0000000"), None, "floats in column 6"),
        (connect_four_board("2222000", "1111000"), None, "player 1 is to move but has a line"),
        (connect_four_board("2220000", "1111000"), 1, "player 1 is to move but has a line"),
        (connect_four_board("2222000", "1111010"), None, "player 2 is to move but has a line"),
    ],
)
def test_a_wrong_board_is_refused(board: Sequence[int], player: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ConnectX().from_board(board, player)


@given(connect_games(largest=4, longest_line=4), st.data())
def test_a_board_is_refused_exactly_where_a_rule_is_broken(
    env: ConnectX, data: st.DataObject
) -> None:
    cells = env.rows * env.columns
    board = data.draw(st.lists(st.sampled_from([0, 1, 2]), min_size=cells, max_size=cells))
    player = data.draw(st.sampled_from([None, 1, 2]))
    ahead = board.count(1) - board.count(2)
    mover = player or 1 + ahead
    floats = any(
        board[index] and not board[index + env.columns] for index in range(cells - env.columns)
    )
    if floats or mover not in (1, 2) or has_line(board, env, mover):
        with pytest.raises(ValueError, match=r"floats|ahead|has a line"):
            env.from_board(board, player)
    else:
        state = env.from_board(board, player)
        assert env.to_board(state) == board
        assert env.current_player(state) == mover
        assert env.winner(state) == (3 - mover if has_line(board, env, 3 - mover) else None)


# --- actions


@given(positions(connect_games()), st.integers(-3, 14))
def test_an_action_is_illegal_exactly_where_kaggle_says_so(position: Position, column: int) -> None:
    env, state = position
    legal = not state.won and column in kaggle_game(env, state).open_columns
    for play in (env.get_next_state, env.reward):
        if legal:
            play(state, column)
        else:
            with pytest.raises(ValueError, match=f"illegal action {column} in BoardState"):
                play(state, column)


@every_game
def test_what_is_no_column_or_free_cell_is_illegal(game: BoardGame) -> None:
    state = game.initial_state()
    everything = ", ".join(map(str, range(game.action_count)))
    for action in (-1, game.action_count, 2.5, "3", None, [3], (1, 2)):
        with pytest.raises(ValueError, match=f"illegal action .* legal: {everything}$"):
            game.get_next_state(state, action)  # type: ignore[arg-type]
    env = TicTacToe()
    with pytest.raises(ValueError, match=r"illegal action 4 in .*: legal: 0, 1, 2, 3, 5, 6, 7, 8$"):
        env.get_next_state(state_from_moves(env, "5"), 4)


# --- wins


def test_connect_four_has_69_lines() -> None:
    assert len(ConnectFour().winning_lines) == len(set(ConnectFour().winning_lines)) == 69


@given(connect_games())
def test_there_are_as_many_lines_as_geometry_allows(env: ConnectX) -> None:
    """Each direction leaves a rectangle of cells to start from; one cell has no direction."""
    rows, columns, inarow = env.rows, env.columns, env.inarow
    high, wide = max(rows - inarow + 1, 0), max(columns - inarow + 1, 0)
    expected = rows * columns if inarow == 1 else rows * wide + high * columns + 2 * high * wide
    found = list(winning_lines(rows, columns, inarow))
    assert len(set(found)) == len(found) == expected
    assert all(line.bit_count() == inarow for line in found)


def test_winning_cells_cover_crossing_lines_and_runs_that_are_too_long() -> None:
    env = ConnectX()
    state = env.from_board(connect_four_board("1000000", "2100000", "2212000", "1111122"), 2)
    assert env.winning_cells(state) == [
        (2, 0), (3, 1), (4, 2), (5, 0), (5, 1), (5, 2), (5, 3), (5, 4),
    ]  # fmt: skip
    assert env.winning_cells(env.initial_state()) == []


# --- values: states and games


def test_a_game_is_copied_as_fast_after_many_positions() -> None:
    game, calls = ConnectX(1, 9, inarow=10), []
    deepcopy(game)  # a class's first copy takes further calls
    for moves in ("1", "12", "12345678"):
        state = state_from_moves(game, moves)
        assert len(game.get_available_actions(state)) == 9 - len(moves)
        profile = Profile()
        assert profile.runcall(deepcopy, game) == game
        calls.append(sum(entry.callcount for entry in profile.getstats()))
    assert len(set(calls)) == 1


def test_games_are_equal_by_class_and_size() -> None:
    games = [ConnectX(7, 6, 4), ConnectX(6, 7, 5), *EVERY_GAME]
    assert len(set(games)) == len(games)
    assert ConnectX(3, 3, 3) != TicTacToe()
    assert ConnectX(6, 7, 4) == ConnectX()
    assert hash(ConnectX(6, 7, 4)) == hash(ConnectX())
    assert ConnectX() != "ConnectX(rows=6, columns=7, inarow=4)"


@pytest.mark.parametrize("env", [ConnectX(3, 12, 5), *EVERY_GAME], ids=repr)
def test_repr_is_the_call_that_makes_the_game(env: BoardGame) -> None:
    assert eval(repr(env), {type(env).__name__: type(env)}) == env
