"""What two plies of look-ahead show, and that every agent that looks ahead plays by it.

It takes a win in one and blocks a loss in one, from either seat. Kaggle's own rule functions say
what wins at once. Positions of both seats come from random games on boards of every size.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents import (
    Agent,
    AlphaBetaAgent,
    ExpectimaxAgent,
    GreedyAgent,
    MCTSAgent,
    MinimaxAgent,
    make_agent,
)
from agents.guidance.ordering import allows_win, best_action, sensible_actions, winning_action
from agents.registry import agent_class
from envs import ConnectX, TicTacToe, state_from_moves
from tests.helpers.clocks import ticking_clock
from tests.helpers.kaggle_rules import kaggle_game
from tests.helpers.quick_agents import (
    clocked_agent_names,
    fresh,
    has_option,
    quick_agent,
    thinking_agent_names,
)
from tests.helpers.small_games import Nim, NimState, PassingRace, Race, RaceState, Take
from tests.helpers.strategies import (
    Position,
    connect_games,
    contested_games,
    narrow,
    swapped_colours,
    threatened_positions,
    unfinished_positions,
    winnable_positions,
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

every_hurried_agent = pytest.mark.parametrize("hurried", HURRIED.values(), ids=HURRIED)
games = narrow(contested_games())
small_games = contested_games(largest=6)


def blocks(agent: Agent, position: Position, safe: Sequence[int]) -> bool:
    """Whether a loss in one is blocked; who expects it to be overlooked may leave it."""
    return isinstance(agent, ExpectimaxAgent) or agent.act(*position) in safe


@given(winnable=winnable_positions(games), threatened=threatened_positions(games))
@settings(max_examples=20)
def test_a_win_in_one_is_taken_and_a_loss_in_one_is_blocked(
    winnable: Position, threatened: Position
) -> None:
    winning = kaggle_game(*winnable).winning_columns()
    safe = kaggle_game(*threatened).safe_columns()
    for name, agent in AGENTS.items():
        assert fresh(agent).act(*winnable) in winning, name
        assert blocks(fresh(agent), threatened, safe), name


@given(
    winnable=winnable_positions(small_games),
    threatened=threatened_positions(small_games),
    looks=st.integers(1, 300),
)
@settings(max_examples=25)
def test_wins_and_blocks_are_seen_whenever_the_time_is_up(
    winnable: Position, threatened: Position, looks: int
) -> None:
    winning = kaggle_game(*winnable).winning_columns()
    safe = kaggle_game(*threatened).safe_columns()
    for name, hurried in HURRIED.items():
        with ticking_clock():
            assert hurried(looks).act(*winnable) in winning, name
        with ticking_clock():
            assert blocks(hurried(looks), threatened, safe), name


@every_hurried_agent
@pytest.mark.parametrize(
    ("rows", "columns", "moves"),
    [(5, 4, "141"), (5, 5, "153"), (3, 3, "2131"), (3, 3, "331"), (5, 4, "214")],
)
def test_the_only_block_is_played_whenever_the_time_is_up(
    hurried: Callable[[float], Agent], rows: int, columns: int, moves: str
) -> None:
    env = ConnectX(rows, columns, inarow=3)
    position = Position(env, state_from_moves(env, moves))
    safe = kaggle_game(*position).safe_columns()
    assert len(safe) == 1
    for looks in (*range(1, 30), *range(30, 160, 9)):
        with ticking_clock():
            assert blocks(hurried(looks), position, safe), looks


@given(unfinished_positions(games))
@settings(max_examples=20)
def test_both_seats_are_played_alike(position: Position) -> None:
    """With the colours exchanged the same action is chosen."""
    env, state = position
    for name in AGENTS.keys() - clocked_agent_names():
        agent = AGENTS[name]
        chosen = fresh(agent).act(env, state)
        assert fresh(agent).act(env, swapped_colours(state)) == chosen, name
