"""Traces of Monte Carlo tree search, added up again from the results of the simulations."""

from collections import defaultdict
from math import log, sqrt
from typing import Any

import pytest
from hypothesis import given

from agents import MCTSAgent
from agents.trace.recording import recorded
from agents.trace.trace import SearchTrace
from envs import ExplicitTree, TicTacToe
from tests.helpers.brute_force import BruteForce
from tests.helpers.random_trees import mixed_trees
from tests.helpers.strategies import Position, connect_games, late_positions
from tests.helpers.traces import growing_agents, trace_of, unchanged_by_a_trace

positions = late_positions(connect_games(largest=4), most_free_cells=12)
searches = positions | mixed_trees().map(lambda tree: (ExplicitTree(tree), ()))
"""Games and states, some with nodes of chance."""


@given(searches, growing_agents())
def test_a_search_is_the_same_with_a_trace(game: tuple[Any, Any], agent: MCTSAgent) -> None:
    trace, result = unchanged_by_a_trace(agent, *game)
    assert len(trace.simulations) == result.simulations


@given(positions, growing_agents(solver=False))
def test_visits_and_totals_are_the_sums_of_the_results(
    position: Position, agent: MCTSAgent
) -> None:
    rollouts = agent.rollouts_per_leaf
    visits: dict[Any, int] = defaultdict(int)
    totals: dict[Any, float] = defaultdict(float)
    for simulation in trace_of(agent, *position).simulations:
        assert simulation.expanded == (visits[simulation.path] == 0)
        for selection in simulation.selections:
            for action, child in selection.children.items():
                path = (*selection.path, action)
                assert (child.visits, child.total) == (visits[path], totals[path])
                assert child.mean == totals[path] / visits[path]
        if simulation.rollouts:
            assert len(simulation.rollouts) == rollouts
            assert simulation.result == sum(simulation.rollouts)
        way = [simulation.path[:depth] for depth in range(len(simulation.path), -1, -1)]
        for path in way:
            visits[path] += rollouts
            totals[path] += simulation.result
        assert simulation.backed_up == [(path, visits[path], totals[path]) for path in way]


@given(positions, growing_agents())
def test_each_choice_is_the_child_with_the_highest_bound_that_is_not_proven(
    position: Position, agent: MCTSAgent
) -> None:
    """UCB1 as P. Auer, N. Cesa-Bianchi and P. Fischer (2002) have it, scaled by C."""
    env, state = position
    trace = trace_of(agent, env, state)
    visits: dict[Any, int] = defaultdict(int)
    for simulation in trace.simulations:
        for selection in simulation.selections:
            sign = 1 if trace.players[selection.path] == 1 else -1
            for child in selection.children.values():
                parent = visits[selection.path]
                spread = agent.exploration * sqrt(log(parent) / child.visits)
                assert child.uct == pytest.approx(sign * child.mean + spread)
            rest = {
                action: child.uct
                for action, child in selection.children.items()
                if child.proven is None
            }
            assert rest[selection.chosen] == pytest.approx(max(rest.values()))
        visits |= {path: count for path, count, _ in simulation.backed_up}


@given(searches, growing_agents())
def test_a_simulation_goes_where_a_player_or_chance_decides(
    game: tuple[Any, Any], agent: MCTSAgent
) -> None:
    trace = trace_of(agent, *game)
    seen: set[Any] = {()}
    for simulation in trace.simulations:
        path = simulation.path
        before = [path[:depth] for depth in range(len(path) - simulation.expanded)]
        by_players = [place for place in before if trace.players[place]]
        assert [selection.path for selection in simulation.selections] == by_players
        assert [(*s.path, s.chosen) for s in simulation.selections] == [
            path[: len(place) + 1] for place in by_players
        ]
        assert not (simulation.expanded and path in seen)
        seen |= {place for place, _, _ in simulation.backed_up}
    assert seen == set(trace.players)


@given(positions, growing_agents(solver=True))
def test_proven_values_are_exact(position: Position, agent: MCTSAgent) -> None:
    env, state = position
    exact = BruteForce(env)
    trace = trace_of(agent, env, state)
    for path, value in trace.proven.items():
        node, reward = state, 0.0
        for action in path:
            reward = env.reward(node, action)  # type: ignore[arg-type]
            node = env.get_next_state(node, action)  # type: ignore[arg-type]
        assert value == (exact.value(node) if env.get_available_actions(node) else reward)


def test_a_tree_is_not_kept_from_one_search_to_the_next() -> None:
    env = TicTacToe()
    trace = SearchTrace()
    agent = recorded(MCTSAgent(simulations=50, seed=3), trace)
    state = env.initial_state()
    for _ in range(2):
        state = env.get_next_state(state, agent.act(env, state))
        assert len(trace.simulations) == 50
        assert trace.simulations[0].backed_up[-1][1] == 1
