"""Minimax, against exact values by definition and the published size of tic-tac-toe's tree."""

import sys
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import MinimaxAgent
from agents.guidance.heuristics import open_lines
from envs import CHANCE, ConnectFour, ExplicitTree, TicTacToe
from tests.helpers.random_trees import mixed_trees, subtree, worth
from tests.helpers.strategies import Position, board_games, unfinished_positions

FULL = MinimaxAgent(depth=None)
small_boards = board_games(largest=5)


def test_tic_tac_toe_is_a_draw_of_549_946_nodes() -> None:
    env = TicTacToe()
    result = FULL.search(env, env.initial_state())
    assert result.value == 0.0
    assert result.nodes == 549_946
    assert result.depth is None
    assert dict(result.action_values) == dict.fromkeys(range(9), 0.0)


def test_a_node_takes_at_most_six_calls_of_python_functions() -> None:
    """Calls take most of the time, and can be counted where others disturb the clock."""
    env, agent = ConnectFour(), MinimaxAgent(depth=4, heuristic="zero")
    calls = Counter[str]()
    sys.setprofile(lambda frame, event, argument: calls.update([event]))
    try:
        result = agent.search(env, env.initial_state())
    finally:
        sys.setprofile(None)
    assert calls["call"] <= 6 * result.nodes


@given(mixed_trees())
def test_chance_is_worth_what_it_brings_on_average(tree: Any) -> None:
    """The best of such averages, and so on, computed from the lists of the tree."""
    env = ExplicitTree(tree)
    result = FULL.search(env, ())
    assert result.value * env.scale == pytest.approx(worth(tree), abs=1e-9)
    for action in env.get_available_actions(()):
        value = worth(*subtree(tree, (action,)))
        assert result.action_values[action] * env.scale == pytest.approx(value, abs=1e-9)
    assert result.value == result.action_values[result.action]

    state = env.initial_state()
    for action in result.principal_variation:
        assert env.current_player(state) != CHANCE
        state = env.get_next_state(state, action)
    over = not env.get_available_actions(state)
    assert over or env.current_player(state) == CHANCE


@given(unfinished_positions(small_boards))
def test_depth_one_compares_what_the_heuristic_says_of_the_next_states(position: Position) -> None:
    env, state = position
    result = MinimaxAgent(depth=1, heuristic="open_lines").search(env, state)
    for action, value in result.action_values.items():
        child = env.get_next_state(state, action)
        over = not env.get_available_actions(child)
        assert value == (env.reward(state, action) if over else open_lines(env, child))
    assert set(result.action_values) == set(env.get_available_actions(state))
    best = max if state.player == 1 else min
    assert result.value == best(result.action_values.values())


@given(unfinished_positions(small_boards), st.integers(1, 3))
def test_one_ply_more_is_the_best_of_the_states_one_ply_on(position: Position, depth: int) -> None:
    env, state = position
    deeper = MinimaxAgent(depth=depth + 1).search(env, state)
    for action, value in deeper.action_values.items():
        child = env.get_next_state(state, action)
        if env.get_available_actions(child):
            assert value == MinimaxAgent(depth=depth).search(env, child).value
        else:
            assert value == env.reward(state, action)
