"""The agent that a network guides: its engines, its root, its budgets, its bundle."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents import make_agent
from agents.networks.network import encode_policy
from agents.policy.alphazero_agent import AlphaZeroAgent
from envs import ConnectFour, ConnectX, state_from_moves
from envs.board import BoardGame
from tests.helpers.brute_force import BruteForce
from tests.helpers.clocks import ends_within
from tests.helpers.small_games import MisereConnectX
from tests.helpers.strategies import (
    WIDE_BOARDS,
    Position,
    board_games,
    late_positions,
    unfinished_positions,
)
from tests.helpers.trained_policies import random_policy

FOUR = ConnectFour()
ENGINES = ("auto", "reference")
roots = pytest.mark.parametrize("root", ["puct", "gumbel"])
both_engines = pytest.mark.parametrize("engine", ENGINES)


def alphazero(env: BoardGame = FOUR, **options: Any) -> AlphaZeroAgent:
    content = encode_policy(random_policy(env, seed=1))
    return AlphaZeroAgent(content, **{"simulations": 100, **options})


@roots
@given(position=unfinished_positions(board_games(largest=7) | st.just(WIDE_BOARDS[0])))
@settings(max_examples=20)
def test_both_engines_find_the_same(root: str, position: Position) -> None:
    env, state = position
    one, other = (
        alphazero(env, simulations=40, root=root, noise=0.5, seed=1, engine=engine).search(
            env, state
        )
        for engine in ENGINES
    )
    assert one.action_values == pytest.approx(other.action_values, abs=1e-3)
    assert (one.action, one.simulations, one.nodes) == (
        other.action,
        other.simulations,
        other.nodes,
    )
    assert one.principal_variation[0] == one.action
    assert one.action in env.get_available_actions(state)
    if one.simulations:
        assert (one.engine, other.engine) == ("compiled", "reference")


@both_engines
@roots
@given(position=late_positions(board_games(largest=4), most_free_cells=7))
@settings(max_examples=25)
def test_a_solved_position_is_played_exactly(engine: str, root: str, position: Position) -> None:
    env, state = position
    exact = BruteForce(env)
    result = alphazero(env, simulations=3000, root=root, engine=engine).search(env, state)
    if root == "puct" or abs(result.value) == 1:
        assert result.value == exact.value(state)
        assert exact.action_value(state, result.action) == exact.value(state)


@both_engines
@pytest.mark.parametrize(("moves", "actions"), [("121212", {0}), ("44553", set(range(7)))])
def test_what_two_plies_decide_is_not_searched(engine: str, moves: str, actions: set[int]) -> None:
    """Player 1 wins at once; or has two ways to do so, and player 2 is to move."""
    result = alphazero(engine=engine).search(FOUR, state_from_moves(FOUR, moves))
    assert result.action in actions
    assert (result.value, result.simulations) == (1.0, 0)
    assert result.action_values == {result.action: 1.0}


def test_one_simulation_is_the_policy_among_safe_moves() -> None:
    state = state_from_moves(FOUR, "44")
    result = alphazero(simulations=1).search(FOUR, state)
    assert result.simulations == 1
    assert result.action == make_agent("policy", weights=alphazero().weights).act(FOUR, state)


@both_engines
def test_the_tree_is_kept(engine: str) -> None:
    agent = alphazero(engine=engine, simulations=300)
    result = agent.search(FOUR, FOUR.initial_state())
    first, second = result.principal_variation[:2]
    state = FOUR.get_next_state(FOUR.get_next_state(FOUR.initial_state(), first), second)
    agent.search(FOUR, state)
    assert agent.tree is not None
    assert agent.tree.root.visits > 300
    forgetful = alphazero(engine=engine, simulations=300, keep_tree=False)
    forgetful.search(FOUR, FOUR.initial_state())
    forgetful.search(FOUR, state)
    assert forgetful.tree is not None
    assert forgetful.tree.root.visits == 300


@both_engines
@roots
def test_the_time_is_kept(engine: str, root: str) -> None:
    agent = alphazero(engine=engine, root=root, simulations=10**7, time_limit=0.05)
    agent.compile(FOUR)
    with ends_within(1.0):
        assert 0 < agent.search(FOUR, FOUR.initial_state()).simulations < 10**7
    assert agent.search(FOUR, FOUR.initial_state(), time_limit=0.0).simulations > 0


def test_a_temperature_draws_in_proportion_to_the_visits() -> None:
    count = 500
    agent = alphazero(simulations=60, temperature=1.0, seed=3, keep_tree=False)
    drawn = Counter(agent.act(FOUR, FOUR.initial_state()) for _ in range(count))
    assert agent.tree is not None
    visits = {action: child.visits for action, child in agent.tree.root.children.items()}
    for action, visited in visits.items():
        chance = visited / sum(visits.values())
        assert abs(drawn[action] - count * chance) <= 5 * (count * chance * (1 - chance)) ** 0.5


def test_the_compiled_engine_is_refused_where_it_cannot_search() -> None:
    for env in (ConnectX(16, 16), MisereConnectX(4, 4, 3)):
        with pytest.raises(ValueError, match="the compiled engine needs Numba, ConnectX"):
            alphazero(env, engine="compiled").act(env, env.initial_state())
