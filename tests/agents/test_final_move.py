"""Ties are broken for the opponent's mistakes, and never at the cost of the value."""

from math import exp
from typing import Any

import pytest
from hypothesis import given, settings

from agents import Agent, RandomAgent, make_agent
from agents.agent import TimeUp
from agents.guidance.final_move import best_against_fallible, value_against_fallible
from envs import ChanceNode, ConnectFour, ExplicitTree, MaxNode
from tests.helpers.brute_force import BruteForce
from tests.helpers.quick_agents import end_of_game
from tests.helpers.small_games import Nim
from tests.helpers.strategies import Position, connect_games, late_positions

EXACT: dict[str, dict[str, Any]] = {
    "minimax": {"depth": None},
    "alphabeta": {"depth": None, "time_limit": None, "engine": "reference"},
}
"""The agents that prove their values in any game."""


def exact_agent(name: str, tie_break: str = "expectimax", **options: Any) -> Agent:
    return make_agent(name, **{**EXACT[name], **options}, tie_break=tie_break)


def later(leaf: Any, plies: int) -> Any:
    """A leaf that is reached after some plies without a choice."""
    return [later(leaf, plies - 1)] if plies else leaf


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize(("leaf", "sign"), [(0.0, 1), (-1.0, 1), (0.0, -1), (1.0, -1)])
def test_a_mistake_that_cannot_be_seen_is_hoped_for(name: str, leaf: float, sign: int) -> None:
    """Both actions lead to `leaf`; after the second, one of the two replies is a mistake."""
    better = leaf + sign
    branches = [[later(leaf, 6), later(leaf, 6)], [later(leaf, 6), later(better, 6)]]
    env = ExplicitTree(branches if sign == 1 else [branches])
    state = () if sign == 1 else (0,)
    assert exact_agent(name, "first").search(env, state).action == 0
    result = exact_agent(name).search(env, state)
    assert result.action == 1
    assert result.value == leaf
    assert result.action_values[1] == leaf


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize(
    ("branches", "action"),
    [
        # The first action has a mistake that the opponent sees, the second one that he does not.
        ([[0, 1], [later(0, 5), later(1, 5)]], 1),
        # The more mistakes there are, the better.
        ([[later(leaf, 6) for leaf in leaves] for leaves in ([0, 1, 0], [1, 0, 1], [0, 0, 1])], 1),
        # The second action loses, but most replies to it are mistakes that the opponent overlooks.
        ([[0, 0], [later(leaf, 6) for leaf in (-1, 1, 1, 1)]], 0),
    ],
    ids=["plain", "more", "gamble"],
)
def test_mistakes_are_counted_that_cost_no_value(name: str, branches: Any, action: int) -> None:
    result = exact_agent(name).search(ExplicitTree(branches), ())
    assert (result.action, result.value) == (action, 0.0)


def test_likely_replies_are_weighed_by_what_the_opponent_sees() -> None:
    """The probabilities are proportional to exp(merit / 0.1), those below 0.02 are left out."""
    env = ExplicitTree([[0, 0, 0]])
    seen = {0: -0.2, 1: -0.1, 2: 0.9}
    exact = {0: 0.0, 1: 0.5, 2: 1.0}
    value = value_against_fallible(
        env, (), 0, lambda _, reply: seen[int(reply)], lambda _, reply: exact[int(reply)]
    )
    assert value == pytest.approx(0.5 * exp(-1) / (1 + exp(-1)))


@pytest.mark.parametrize(
    "tree",
    [[0.25, 0], [MaxNode([0.25, 0]), 0], [ChanceNode([(1.0, 0.25)]), 0]],
    ids=["the game is over", "the same player moves again", "chance decides"],
)
def test_where_the_opponent_is_not_next_the_exact_value_counts(tree: Any) -> None:
    def exact(state: Any, action: Any) -> float:
        assert (state, action) == ((), 0)
        return 0.25

    def seen(state: Any, action: Any) -> float:
        raise AssertionError("no reply is looked at")

    assert value_against_fallible(ExplicitTree(tree), (), 0, seen, exact) == 0.25


def test_the_first_is_chosen_where_the_time_is_up() -> None:
    def up(state: Any, action: Any) -> float:
        raise TimeUp

    env = ExplicitTree([[0, 1], [0, 1]])
    assert best_against_fallible(env, (), [1, 0], up, up) == 1


@settings(max_examples=30)
@given(late_positions(connect_games(largest=5, longest_line=4), 9))
def test_the_compiled_search_loses_no_value(position: Position) -> None:
    """As `test_proofs` shows of the reference."""
    env, state = position
    truth = BruteForce(env)
    result = exact_agent("alphabeta", engine="compiled").search(env, state)
    assert result.value == truth.value(state)
    assert truth.action_value(state, result.action) == result.value


@pytest.mark.parametrize("heaps", [(1, 2, 3), (2, 2), (1, 1, 1)])
def test_a_won_game_is_won_as_before(heaps: tuple[int, ...]) -> None:
    env = Nim(*heaps)
    for name in EXACT:
        first, hoping = (
            exact_agent(name, tie_break).search(env, env.initial_state())
            for tie_break in ("first", "expectimax")
        )
        assert first.value == hoping.value
        if first.value == 1.0:
            assert first.action == hoping.action


def test_a_short_time_costs_no_value() -> None:
    env = ConnectFour()
    agent = make_agent("alphabeta", time_limit=0.02, tie_break="expectimax")
    for seed in range(2):
        assert env.winner(end_of_game(env, agent, RandomAgent(seed))) == 1
