"""The table of games: each entry makes its game, and each game is what its entry says."""

import pickle
import random
from collections import Counter
from collections.abc import Iterator
from inspect import signature
from itertools import islice, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.networks.network import policy_scope
from envs import BoardGame, BoardState, ConnectFour, ConnectX, TicTacToe
from envs.games import GAMES, GameEntry, game_entry, game_from_id, game_id
from envs.learning.single_env import ENVIRONMENTS
from envs.learning.vector.vector_env import VECTOR_ENVIRONMENTS, make_vector_env
from tests.helpers.flat_boards import EVERY_GAME, free_cells, has_line
from tests.helpers.strategies import board_games

ENTRIES = [*GAMES.values()]
"""The games of the package, without those that a test may register."""
every_entry = pytest.mark.parametrize("entry", ENTRIES, ids=list(GAMES))


@every_entry
def test_an_entry_makes_its_game_of_any_size(entry: GameEntry) -> None:
    assert entry.name.isalnum()
    assert entry.name.islower()
    assert entry.sizes.keys() <= {"rows", "columns", "inarow"}
    assert list(entry.sizes) == list(signature(entry.rules).parameters)
    for larger in (0, 1):
        sizes = {name: size + larger for name, size in entry.sizes.items()}
        game = entry.make(**sizes)
        assert {name: getattr(game, name) for name in sizes} == sizes
        numpys: Any = {name: np.int8(size) for name, size in sizes.items()}
        assert vars(entry.make(**numpys)) == vars(game)
        assert entry.rules(*entry.sizes_of(game)) == game
        assert game_entry(game) is entry


@every_entry
def test_each_size_is_a_whole_number_of_at_least_one(entry: GameEntry) -> None:
    for name, size in product(entry.sizes, [0, -1, 2.0, "6", None, True]):
        with pytest.raises(ValueError, match=f"{name} must be a whole number of at least 1, not"):
            entry.make(**{name: size})  # type: ignore[arg-type]


@given(st.sampled_from(EVERY_GAME) | board_games(8), st.randoms(use_true_random=False))
def test_games_go_as_cell_by_cell(game: BoardGame, rng: random.Random) -> None:
    """On a flat board, on which stones are laid."""
    state, board, player = game.initial_state(), [0] * (game.rows * game.columns), 1
    while legal := game.get_available_actions(state):
        free = free_cells(game, board)
        assert list(legal) == sorted(free)
        assert game.current_player(state) == player
        action = rng.choice(legal)
        board[free[action]] = player
        won = has_line(board, game, player)
        assert game.reward(state, action) == (0 if not won else 1 if player == 1 else -1)
        state = game.get_next_state(state, action)
        assert game.to_board(state) == board
        assert game.from_board(board) == state
        assert game.winner(state) == (player if won else None)
        player = 3 - player
    assert has_line(board, game, 3 - player) or 0 not in board


def test_policies_tell_the_games_apart() -> None:
    """A policy knows its game by the scope alone: one class for each, or one that inherits it."""
    games = [entry.rules(*sizes) for entry in ENTRIES for sizes in some_sizes(entry)]
    for one, other in product(games, games):
        if policy_scope(one) == policy_scope(other):
            assert isinstance(one, type(other)) or isinstance(other, type(one)), (
                f"{one} and {other} have the same actions and lines: let one's class inherit the "
                "other's"
            )


def some_sizes(entry: GameEntry) -> list[tuple[int, ...]]:
    """Up to five rows and columns, where the game has a choice."""
    choices = {"rows": range(2, 6), "columns": range(2, 6), "inarow": range(2, 6)}
    return [*product(*(choices[name] for name in entry.sizes))]


class Misere(TicTacToe):
    """Who has a line has lost."""


@pytest.mark.parametrize("game", [Misere(), ENVIRONMENTS[ConnectX](opponent=None)], ids=repr)
def test_what_is_not_in_the_table_is_refused(game: BoardGame) -> None:
    sentence = r"not one of the games connectx, connectfour, .*: envs\.register_game\(name, class\)"
    with pytest.raises(ValueError, match=sentence):
        game_entry(game)
    with pytest.raises(ValueError, match=sentence):
        make_vector_env(game, 2)


def test_a_class_is_no_game() -> None:
    sentence = r"^ConnectFour is a class: give a game, as in ConnectFour\(\)$"
    with pytest.raises(ValueError, match=sentence):
        make_vector_env(ConnectFour, 2)  # type: ignore[arg-type]


@every_entry
def test_environments_have_the_names_of_their_rules(entry: GameEntry) -> None:
    single, vector = ENVIRONMENTS[entry.rules], VECTOR_ENVIRONMENTS[entry.rules]
    assert (single.__name__, vector.__name__) == (
        f"{entry.rules.__name__}Env",
        f"{entry.rules.__name__}VectorEnv",
    )
    assert pickle.loads(pickle.dumps((single, vector))) == (single, vector)


# --- the sizes of games, against published numbers


def positions_by_ply(env: BoardGame) -> Iterator[Counter[BoardState]]:
    """The positions after 0, 1, 2 ... plies, each with the number of games that lead to it."""
    layer = Counter([env.initial_state()])
    while layer:
        yield layer
        following = Counter[BoardState]()
        for state, games in layer.items():
            for action in env.get_available_actions(state):
                following[env.get_next_state(state, action)] += games
        layer = following


def test_connect_four_perft_and_distinct_positions() -> None:
    """Distinct positions: OEIS A212693."""
    layers = list(islice(positions_by_ply(ConnectFour()), 9))
    assert [layer.total() for layer in layers[1:8]] == [
        7, 49, 343, 2401, 16807, 117649, 823536,
    ]  # fmt: skip
    assert [len(layer) for layer in layers] == [
        1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275,
    ]  # fmt: skip


def test_tic_tac_toe_counts() -> None:
    """549 946 nodes, 255 168 games (131 184 for X, 77 904 for O, 46 080 draws), 5478 positions."""
    env = TicTacToe()
    layers = list(positions_by_ply(env))
    games = Counter[int | None]()
    for layer in layers:
        for state, paths in layer.items():
            if not env.get_available_actions(state):
                games[env.winner(state)] += paths
    assert sum(layer.total() for layer in layers) == 549_946
    assert games == {1: 131_184, 2: 77_904, None: 46_080}
    assert sum(len(layer) for layer in layers) == 5478


# --- games as words with their sizes, as addresses carry them


@given(board_games())
def test_a_game_is_made_again_of_its_id(game: BoardGame) -> None:
    assert game_from_id(game_id(game)) == game
    assert game_id(ConnectX(6, 7, 5)) == "connectx-6x7x5"
    assert game_id(TicTacToe()) == "tictactoe", "which has one size"


@pytest.mark.parametrize(
    "text",
    [
        *["", "-", "chess", "connectx", "connectx-", "connectx-6x7", "connectx-6x7x4x4"],
        *["tictactoe-", "tictactoe-3x3x3", "connectx-6x7x4 ", "connectx-6x7xfour"],
        *["ConnectX-6x7x4", "connectx-0x7x4", "connectx--6x7x4", "connectx-6x7x99999"],
        "connectx-٦x7x4",
    ],
)
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no game is called|must be a whole number"):
        game_from_id(text)


def test_a_size_may_have_a_limit() -> None:
    assert game_from_id("connectx-20x20x20", largest=20).rows == 20
    with pytest.raises(ValueError, match="columns must be at most 20, not 21"):
        game_from_id("connectx-20x21x4", largest=20)
