"""The rules of ConnectX are Kaggle's: random games, compared ply by ply."""

from random import Random

import pytest

from envs import ConnectX
from submission.kaggle import kaggle_environments
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


@pytest.mark.parametrize(
    ("rows", "columns", "inarow", "games"),
    [(1, 1, 1, 1), (2, 9, 2, 5), (3, 3, 3, 10), (6, 7, 4, 5), (10, 12, 5, 1), (8, 7, 12, 1)],
)
def test_whole_games_agree_with_kaggles_environment(
    rows: int, columns: int, inarow: int, games: int
) -> None:
    env = ConnectX(rows, columns, inarow)
    configuration = {"rows": rows, "columns": columns, "inarow": inarow}
    kaggle = kaggle_environments().make("connectx", configuration=configuration)
    rng = Random(games)
    for _ in range(games):
        kaggle.reset(2)
        state, reward = env.initial_state(), 0.0
        while actions := env.get_available_actions(state):
            assert [seat.status for seat in kaggle.state] == (
                ["ACTIVE", "INACTIVE"] if state.player == 1 else ["INACTIVE", "ACTIVE"]
            )
            action = rng.choice(actions)
            kaggle.step([action, None] if state.player == 1 else [None, action])
            reward = env.reward(state, action)
            state = env.get_next_state(state, action)
            assert [seat.reward for seat in kaggle.state] == [reward, -reward]
            assert kaggle.state[0].observation["board"] == env.to_board(state)
        assert [seat.status for seat in kaggle.state] == ["DONE", "DONE"]
