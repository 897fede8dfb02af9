"""Every agent that looks ahead takes a win in one and blocks a loss in one, from either seat.

Kaggle's own rule functions say what wins at once. Positions of both seats come from random games
on boards of every size.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents import Agent, AlphaBetaAgent, GreedyAgent, MCTSAgent, MinimaxAgent, make_agent
from agents.registry import agent_class
from envs import ConnectX, state_from_moves
from tests.helpers.clocks import ticking_clock
from tests.helpers.kaggle_rules import kaggle_game
from tests.helpers.quick_agents import (
    clocked_agent_names,
    fresh,
    has_option,
    quick_agent,
    thinking_agent_names,
)
from tests.helpers.strategies import (
    Position,
    contested_games,
    narrow,
    swapped_colours,
    threatened_positions,
    unfinished_positions,
    winnable_positions,
)

AGENTS: dict[str, Agent] = {
    **{name: quick_agent(name) for name in thinking_agent_names()},
    "greedy without heuristic": GreedyAgent(heuristic="zero"),
    "minimax without heuristic": MinimaxAgent(depth=3, heuristic="zero"),
    "minimax without time": MinimaxAgent(time_limit=0.0),
    "alphabeta at once": AlphaBetaAgent(depth=4, time_limit=None, iterative_deepening=False),
    "alphabeta bare": AlphaBetaAgent(
        depth=3, time_limit=None, table_size=0, killer_moves=False, ordering="natural"
    ),
    "alphabeta without time": AlphaBetaAgent(time_limit=0.0),
    "alphabeta at once without time": AlphaBetaAgent(time_limit=0.0, iterative_deepening=False),
    "mcts with one simulation": MCTSAgent(simulations=1, seed=1),
    "mcts with 20 simulations": MCTSAgent(simulations=20, seed=2),
    "mcts by value": MCTSAgent(simulations=20, final_move="value", rollout="decisive", seed=3),
    "mcts by total": MCTSAgent(simulations=20, final_move="total", solver=False, seed=4),
    "mcts without time": MCTSAgent(simulations=None, time_limit=0.0, seed=5),
}


def limited_by_time_alone(name: str) -> Callable[[float], Agent]:
    """With a small table, for one is made for each position."""
    small = {"seed": 6, "table_size": 10_000, "table_megabytes": 1}
    options = {option: value for option, value in small.items() if has_option(name, option)}
    agent: Any = make_agent(name, **{**agent_class(name).unlimited, **options})
    return lambda limit: replace(agent, time_limit=limit)


HURRIED: dict[str, Callable[[float], Agent]] = {
    **{
        name: limited_by_time_alone(name)
        for name in thinking_agent_names()
        if has_option(name, "time_limit")
    },
    "alphabeta at once": lambda limit: AlphaBetaAgent(
        depth=5, time_limit=limit, iterative_deepening=False, table_size=10_000
    ),
}
"""Agents by their time limit."""

HOPEFUL = ("expectimax",)
"""Who expects the opponent to overlook a win may leave it to him."""


def every_agent(but: Collection[str] = ()) -> pytest.MarkDecorator:
    chosen = {name: agent for name, agent in AGENTS.items() if name not in but}
    return pytest.mark.parametrize("agent", chosen.values(), ids=chosen.keys())


def every_hurried_agent(but: Collection[str] = ()) -> pytest.MarkDecorator:
    chosen = {name: make for name, make in HURRIED.items() if name not in but}
    return pytest.mark.parametrize("hurried", chosen.values(), ids=chosen.keys())


games = narrow(contested_games())
small_games = contested_games(largest=6)


@every_agent()
@given(position=winnable_positions(games))
@settings(max_examples=25)
def test_a_win_in_one_is_taken(agent: Agent, position: Position) -> None:
    env, state = position
    assert fresh(agent).act(env, state) in kaggle_game(env, state).winning_columns()


@every_agent(but=HOPEFUL)
@given(position=threatened_positions(games))
@settings(max_examples=25)
def test_a_loss_in_one_is_blocked(agent: Agent, position: Position) -> None:
    env, state = position
    assert fresh(agent).act(env, state) in kaggle_game(env, state).safe_columns()


@every_hurried_agent()
@given(position=winnable_positions(small_games), looks=st.integers(1, 300))
@settings(max_examples=40)
def test_a_win_in_one_is_taken_whenever_the_time_is_up(
    hurried: Callable[[float], Agent], position: Position, looks: int
) -> None:
    env, state = position
    with ticking_clock():
        assert hurried(looks).act(env, state) in kaggle_game(env, state).winning_columns()


@every_hurried_agent(but=HOPEFUL)
@given(position=threatened_positions(small_games), looks=st.integers(1, 300))
@settings(max_examples=40)
def test_a_loss_in_one_is_blocked_whenever_the_time_is_up(
    hurried: Callable[[float], Agent], position: Position, looks: int
) -> None:
    env, state = position
    with ticking_clock():
        assert hurried(looks).act(env, state) in kaggle_game(env, state).safe_columns()


@every_hurried_agent(but=HOPEFUL)
@pytest.mark.parametrize(
    ("rows", "columns", "moves"),
    [(5, 4, "141"), (5, 5, "153"), (3, 3, "2131"), (3, 3, "331"), (5, 4, "214")],
)
def test_the_only_block_is_played_whenever_the_time_is_up(
    hurried: Callable[[float], Agent], rows: int, columns: int, moves: str
) -> None:
    env = ConnectX(rows, columns, inarow=3)
    state = state_from_moves(env, moves)
    safe = kaggle_game(env, state).safe_columns()
    assert len(safe) == 1
    for looks in range(1, 160):
        with ticking_clock():
            assert hurried(looks).act(env, state) in safe, looks


@every_agent(but=clocked_agent_names())
@given(position=unfinished_positions(games))
@settings(max_examples=20)
def test_both_seats_are_played_alike(agent: Agent, position: Position) -> None:
    """With the colours exchanged the same action is chosen."""
    env, state = position
    assert fresh(agent).act(env, state) == fresh(agent).act(env, swapped_colours(state))
