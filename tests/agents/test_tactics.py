"""What two plies of look-ahead show, against Kaggle's rule functions and small hand-made cases."""

from hypothesis import given

from agents import GreedyAgent, MCTSAgent, MinimaxAgent
from agents.guidance.ordering import allows_win, best_action, sensible_actions, winning_action
from envs import TicTacToe, state_from_moves
from tests.helpers.kaggle_rules import kaggle_game
from tests.helpers.small_games import Nim, NimState, PassingRace, Race, RaceState, Take
from tests.helpers.strategies import (
    Position,
    connect_games,
    contested_games,
    threatened_positions,
    unfinished_positions,
)


@given(unfinished_positions(connect_games(largest=9, longest_line=5)))
def test_tactics_agree_with_kaggles_rules(position: Position) -> None:
    env, state = position
    actions = env.get_available_actions(state)
    game = kaggle_game(env, state)
    wins, safe = game.winning_columns(), game.safe_columns()

    assert list(winning_action(env, state, actions)) == wins[:1]
    for action in set(actions) - set(wins):
        assert allows_win(env, state, action) == (action not in safe)
    expected = wins[:1] or safe or actions
    assert list(sensible_actions(env, state, actions)) == list(expected)


@given(threatened_positions(contested_games()))
def test_sensible_actions_keep_the_order_that_they_are_given(position: Position) -> None:
    env, state = position
    backwards = env.get_available_actions(state)[::-1]
    assert sensible_actions(env, state, backwards) == kaggle_game(env, state).safe_columns()[::-1]


def test_tactics_of_tic_tac_toe() -> None:
    env = TicTacToe()
    cross_to_block = state_from_moves(env, "1592")
    assert not winning_action(env, cross_to_block, range(9)[2:4])
    assert sensible_actions(env, cross_to_block, [2, 3, 5, 6, 7]) == [7]
    nought_to_win = state_from_moves(env, "15926")
    assert sensible_actions(env, nought_to_win, [2, 3, 6, 7]) == (7,)


def test_an_action_that_loses_by_itself_is_avoided() -> None:
    """In misère Nim the player who takes the last object has lost."""
    env = Nim(2, misere=True)
    for player in (1, 2):
        state = NimState((2,), player)
        assert allows_win(env, state, Take(0, 2))
        assert not allows_win(env, state, Take(0, 1))
        assert sensible_actions(env, state, env.get_available_actions(state)) == [Take(0, 1)]
        lost = NimState((1,), player)
        assert sensible_actions(env, lost, [Take(0, 1)]) == [Take(0, 1)]


def test_a_win_of_ones_own_next_turn_is_no_danger() -> None:
    """From 4, adding 1 makes 5, plays again and reaches 7; adding 2 lets the opponent reach it."""
    env = Race(target=7)
    for player in (1, 2):
        state = RaceState(4, player)
        assert not allows_win(env, state, 1)
        assert allows_win(env, state, 2)
        assert winning_action(env, state, (1, 2, 3)) == (3,)


def test_an_action_may_be_none() -> None:
    env = PassingRace(target=7)
    for player in (1, 2):
        won, threatened = RaceState(4, player), RaceState(3, player)
        assert winning_action(env, won, env.get_available_actions(won)) == (None,)
        assert allows_win(env, threatened, 1)
        for agent in (GreedyAgent(), MinimaxAgent(depth=1), MCTSAgent(simulations=2, seed=1)):
            assert agent.act(env, won) is None
            assert agent.act(env, threatened) == 2


def test_the_best_action_is_the_first_of_the_best_for_its_player() -> None:
    values = {"a": -0.5, "b": 0.5, "c": 0.5, "d": -0.5}
    assert best_action(values, sensible=["a", "d"], sign=1) == "b"
    assert best_action(values, sensible=["b", "c"], sign=-1) == "a"


def test_an_action_that_was_not_examined_is_better_than_a_lost_one() -> None:
    for sign in (1, -1):
        lost = {"a": -float(sign), "b": -float(sign)}
        assert best_action(lost, sensible=["a", "c", "d"], sign=sign) == "c"
        assert best_action(lost, sensible=["a", "b"], sign=sign) == "a"
        drawn = lost | {"b": 0.0}
        assert best_action(drawn, sensible=["a", "c"], sign=sign) == "b"
