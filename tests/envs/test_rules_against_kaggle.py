"""The rules of ConnectX are Kaggle's: random games, compared ply by ply."""

from random import Random

import pytest

from envs import ConnectX
from tests.helpers.kaggle_rules import kaggle_game

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
