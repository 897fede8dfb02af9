"""Searches looked at while they think, beside the whole trace and what was played out."""

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import make_agent
from agents.trace.growth import SlicedSearch, growth_after, trace_after
from agents.trace.pictures.picture import simulations_picture
from agents.trace.recorder import LIMIT
from agents.trace.trace import Path, ReturnReason, SearchTrace
from envs import ConnectX, ExplicitTree, TicTacToe, state_from_moves
from tests.helpers.random_trees import mixed_trees, plain_trees
from tests.helpers.strategies import Position
from tests.helpers.traces import trace_of

SHORT: dict[str, dict[str, Any]] = {
    "alphabeta": {"depth": 3, "time_limit": None},
    "minimax": {"depth": 2},
    "mcts": {"simulations": 60, "seed": 3},
}
FOUR_TAKEN = Position(TicTacToe(), state_from_moves(TicTacToe(), "1528"))
DEPTH_FIRST = ("minimax", "alphabeta", "expectimax")

small_searches = st.tuples(
    st.sampled_from([("minimax", {"depth": 3}), ("alphabeta", {"depth": 4}), ("expectimax", {})]),
    mixed_trees().map(ExplicitTree),
)


def looked_at(search: SlicedSearch) -> list[SearchTrace]:
    """What can be seen of a search before each visit, and at its end."""
    seen = []
    while search.advance(0):
        if search.trace.steps:
            seen.append(trace_after(search.trace, search.trace.steps))
    return [*seen, trace_after(search.trace, search.trace.steps)]


@given(small_searches)
def test_a_search_looks_the_same_while_it_goes_on_and_afterwards(case: Any) -> None:
    (agent, options), tree = case
    whole = trace_of(make_agent(agent, **options), tree)
    seen = looked_at(SlicedSearch(make_agent(agent, **options), tree, ()))
    assert len(seen) == len(whole.nodes)
    for step, then in enumerate(seen, start=1):
        assert then == trace_after(whole, step)


@given(plain_trees().map(ExplicitTree))
def test_the_window_of_an_open_node_follows_from_its_children(tree: Any) -> None:
    whole = trace_of(make_agent("alphabeta", table_size=0, killer_moves=False), tree)
    for step in range(1, len(whole.nodes)):
        then = trace_after(whole, step)
        nodes = {node.path: node for node in then.nodes}
        for node in then.nodes:
            if node.ending is not ReturnReason.NOT_YET or node.window_returned is None:
                continue
            alpha, beta = node.window or (-1.0, 1.0)
            for action in node.visited:
                value = nodes[*node.path, action].value
                if value is not None and node.player == 1:
                    alpha = max(alpha, value)
                elif value is not None:
                    beta = min(beta, value)
            assert node.window_returned == (alpha, beta)


@pytest.mark.parametrize("agent", DEPTH_FIRST)
def test_open_nodes_are_those_on_the_way_to_the_next_one(agent: str) -> None:
    whole = trace_of(make_agent(agent, depth=4), *FOUR_TAKEN)
    for step in range(1, len(whole.nodes)):
        then, following = trace_after(whole, step), whole.nodes[step]
        way = following.path if following.iteration == then.nodes[0].iteration else ()
        is_open = {node.path for node in then.nodes if node.ending is ReturnReason.NOT_YET}
        assert is_open == {way[:length] for length in range(len(way))}
        assert all(node.value is not None for node in then.nodes if node.path not in is_open)


def test_a_monte_carlo_tree_has_the_visits_of_its_simulations_so_far() -> None:
    env = ConnectX(4, 4, 3)
    whole = trace_of(make_agent("mcts", simulations=60, seed=3), env)
    for step in range(1, len(whole.simulations) + 1):
        visits = Counter(
            simulation.path[:length]
            for simulation in whole.simulations[:step]
            for length in range(len(simulation.path) + 1)
        )
        root = simulations_picture(trace_after(whole, step))
        assert {node.path: node.visits for node in root.walk()} == visits


def test_a_monte_carlo_tree_looks_the_same_while_it_grows() -> None:
    env, options = TicTacToe(), {"simulations": 80, "seed": 5}
    whole = trace_of(make_agent("mcts", **options), env)
    search = SlicedSearch(make_agent("mcts", **options), env, env.initial_state())
    seen = set()
    while search.advance(0):
        if search.trace.steps:
            step = search.trace.steps
            seen.add(step)
            growing, grown = (growth_after(trace, step, 50) for trace in (search.trace, whole))
            assert growing == grown._replace(steps=step)
    assert seen == set(range(1, 80))
    assert trace_after(search.trace, 80) == whole


def test_growth_is_shown_and_told() -> None:
    env = ConnectX()
    whole = trace_of(make_agent("alphabeta", depth=3, time_limit=None), env)
    growth = growth_after(whole, whole.steps, 40)
    assert (growth.chosen, growth.path) == (whole.chosen, ())
    assert growth.words[-1] == f"the search chooses {whole.action_label(whole.chosen)}"
    assert len(growth.nodes) == 40
    below = growth_after(whole, whole.steps, 40, top=(3,))
    assert [node["action"] for node in below.nodes if node["parent"] is None] == ["4"]
    first = growth_after(whole, 1, 40)
    assert (first.chosen, first.steps) == (None, whole.steps)
    assert first.words == ("enter the root (max), alpha \N{MINUS SIGN}1, beta 1",)
    assert not re.search(r"-[\d∞]", f"{growth.title} {growth.nodes} {growth.words}")
    begun = [step for step, node in enumerate(whole.nodes, start=1) if not node.path]
    for step in (begun[1], begun[2] - 1):  # the first and the last of the second search
        second = growth_after(whole, step, 40)
        assert second.title.startswith("Alpha-beta, search 2")
        assert "search 2, one ply deeper" in " ".join(second.notes)
        assert "the last of" not in " ".join((*second.notes, *second.words))
    assert "the last of 3 searches" in " ".join(growth.notes)


@pytest.mark.parametrize("agent", ["alphabeta", "minimax", "mcts"])
def test_any_first_nodes_are_a_tree_that_counts_what_is_below(agent: str) -> None:
    env = ConnectX()
    whole = trace_of(make_agent(agent, **SHORT[agent]), env, state_from_moves(env, "44444326556"))
    for step in (1, whole.steps // 2, whole.steps):
        growth = growth_after(whole, step, 10**6)
        nodes = growth.nodes
        paths: list[Path] = []
        for index, node in enumerate(nodes):
            assert node["parent"] is None if index == 0 else 0 <= node["parent"] < index
            paths.append(() if index == 0 else (*paths[node["parent"]], node["move"]))
        then = trace_after(whole, step)
        visited = set(then.players) or {node.path for node in then.last_iteration()}
        assert set(paths) == visited
        for path, node in zip(paths, nodes, strict=True):
            assert node["below"] == sum(
                other[: len(path)] == path and other != path for other in paths
            )
            for column in range(7) if "board" in node else ():
                played = [int(move) - 1 for move in "44444326556"] + list(path)
                stones = "".join("12"[ply % 2] for ply, move in enumerate(played) if move == column)
                assert node["board"][column::7][::-1] == stones.ljust(6, "0")
        way = [growth.path[:length] for length in range(len(growth.path) + 1)]
        fewer = growth_after(whole, step, len(nodes) // 2 + len(way))
        assert fewer.nodes == nodes[: len(fewer.nodes)]
        assert set(way) <= set(paths[: len(fewer.nodes)])


def test_a_full_trace_ends_the_search_and_is_kept() -> None:
    env = ConnectX()
    search = SlicedSearch(make_agent("minimax", depth=6), env, env.initial_state(), 50)
    while search.advance(1):
        pass
    assert search.is_full
    assert search.trace.steps == 50
    assert growth_after(search.trace, 50, 20).chosen is None


def test_a_search_that_nobody_wants_ends() -> None:
    env = ConnectX()
    search = SlicedSearch(make_agent("mcts", simulations=10**9), env, env.initial_state(), LIMIT)
    assert search.advance(0.01)
    search.close()
    search._thread.join(10)
    assert not search._thread.is_alive()


def test_what_cannot_be_looked_at_is_refused() -> None:
    over = state_from_moves(ConnectX(), "1212121")
    with pytest.raises(ValueError, match="the game is over"):
        SlicedSearch(make_agent("minimax"), ConnectX(), over).advance(1)
    with pytest.raises(ValueError, match="cannot be recorded"):
        SlicedSearch(make_agent("random"), ConnectX(), over)
    whole = trace_of(make_agent("minimax", depth=2), *FOUR_TAKEN)
    for step in (0, -1, 1000):
        with pytest.raises(ValueError, match="the step must be from 1 to"):
            trace_after(whole, step)
    with pytest.raises(ValueError, match="the search has no node at 1"):
        growth_after(whole, whole.steps, 20, top=(0,))
