"""Alpha-beta: minimax's values, whatever helps it to prune."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agents import AlphaBetaAgent, MinimaxAgent
from agents.agent import Finding
from agents.alpha_beta import Bound, Entry, TranspositionTable
from agents.guidance.heuristics import HEURISTICS
from envs import ChanceNode, ConnectX, ExplicitTree, MinNode, state_from_moves
from tests.helpers.brute_force import BruteForce
from tests.helpers.random_trees import mixed_trees, worth
from tests.helpers.strategies import (
    Position,
    board_games,
    contested_games,
    late_positions,
    narrow,
    unfinished_positions,
)
from tests.helpers.textbook import BARE, PLAIN, aids

WON_IN_A_NULL_WINDOW = Position(
    ConnectX(3, 3, inarow=3), state_from_moves(ConnectX(3, 3, inarow=3), "21")
)
small_boards = narrow(st.one_of(contested_games(largest=5), board_games(largest=5)))


def backwards(env: object, state: object, actions: Any) -> Any:
    """An ordering that only the reference searches by."""
    return actions[::-1]


options = aids(
    engine=st.sampled_from(["auto", "reference"]),
    ordering=st.sampled_from(["auto", "centre", "natural", backwards]),
)


@given(
    unfinished_positions(small_boards),
    st.integers(1, 5),
    st.sampled_from(["auto", "zero", "open_lines"]),
    options,
)
def test_values_are_minimaxs_at_every_depth(
    position: Position, depth: int, heuristic: str, options: dict[str, Any]
) -> None:
    env, state = position
    exact = MinimaxAgent(depth=depth, heuristic=heuristic).search(env, state)
    result = AlphaBetaAgent(depth=depth, heuristic=heuristic, **options).search(env, state)
    assert result.value == exact.value
    assert exact.action_values[result.action] == exact.value
    sign = 1 if state.player == 1 else -1
    at_that_depth = result.action_values if result.depth == depth else {}
    for action, bound in at_that_depth.items():
        assert sign * exact.action_values[action] <= sign * bound


@given(late_positions(small_boards, most_free_cells=9), options)
@example(WON_IN_A_NULL_WINDOW, BARE)
def test_a_full_search_plays_a_best_line(position: Position, options: dict[str, Any]) -> None:
    """Deepening wins as fast and loses as late as can be.

    A line may end early where the table knew the rest; the state there is worth as much.
    """
    env, state = position
    exact = BruteForce(env)
    result = AlphaBetaAgent(**options).search(env, state)
    assert result.value == exact.value(state)
    if result.value and options["iterative_deepening"]:
        assert exact.plies_after(state, result.action) == exact.plies(state)
    for action in result.principal_variation:
        assert exact.action_value(state, action) == result.value
        state = env.get_next_state(state, action)
    if not options["table_size"]:
        assert not env.get_available_actions(state)


@given(
    unfinished_positions(small_boards),
    st.integers(1, 4),
    st.sampled_from(["zero", "open_lines"]),
    st.sampled_from(
        [
            MinimaxAgent(),
            *(AlphaBetaAgent(table_size=0, engine=engine) for engine in ("auto", "reference")),
        ]
    ),
)
def test_the_principal_variation_leads_to_the_value(
    position: Position, depth: int, heuristic: str, agent: MinimaxAgent | AlphaBetaAgent
) -> None:
    env, state = position
    searching = replace(agent, depth=depth, heuristic=heuristic, time_limit=None)
    result = searching.search(env, state)
    assert result.principal_variation[0] == result.action
    reward = 0.0
    for action in result.principal_variation:
        reward = env.reward(state, action)
        state = env.get_next_state(state, action)
    if env.get_available_actions(state):
        assert len(result.principal_variation) == result.depth
        assert HEURISTICS[heuristic](env, state) == result.value
    else:
        assert reward == result.value


@cache
def nodes(**options: Any) -> int:
    """Nodes of a fixed piece of work: three Connect Four positions."""
    env = ConnectX()
    agent = AlphaBetaAgent(**{**BARE, "ordering": "natural", **options})
    return sum(agent.search(env, state_from_moves(env, m)).nodes for m in ("", "4453", "12345"))


@pytest.mark.parametrize(
    "aid", [{"killer_moves": True}, {"table_size": 1_000_000}, {"ordering": "centre"}]
)
@pytest.mark.parametrize(("engine", "depth"), [("compiled", 8), ("reference", 5)])
def test_each_aid_saves_nodes(aid: dict[str, Any], engine: str, depth: int) -> None:
    bare = nodes(engine=engine, depth=depth)
    assert nodes(engine=engine, depth=depth, **aid) < 0.9 * bare


@given(
    mixed_trees(),
    aids(ordering=st.sampled_from(["auto", "natural", backwards])),
    st.integers(1, 5) | st.none(),
)
def test_chance_changes_no_value(tree: Any, options: dict[str, Any], depth: int | None) -> None:
    env = ExplicitTree(tree)
    exact = MinimaxAgent(depth=depth).search(env, ())
    result = AlphaBetaAgent(depth=depth, **options).search(env, ())
    assert result.value == pytest.approx(exact.value, abs=1e-9)
    assert exact.action_values[result.action] == pytest.approx(exact.value, abs=1e-9)
    if depth is None:
        assert result.value * env.scale == pytest.approx(worth(tree), abs=1e-9)


@pytest.mark.parametrize(
    ("tree", "scale", "nodes"),
    [
        # An 8 is at hand. After a 2 the other half, 10 at most, makes 6 at most.
        ([8, ChanceNode([(0.5, 2), (0.5, [9])])], 10, 4),
        # It might make up for the 2 if 100 were possible.
        ([8, ChanceNode([(0.5, 2), (0.5, [9])])], 100, 6),
        # Player 2 will not allow chance, which makes at least (9 - 10) / 2, where -8 is at hand.
        ([[-8, ChanceNode([(0.5, 9), (0.5, [9])])]], 10, 5),
        # The 8 is out of reach unless the second outcome is above 6; its 5 ends the search of it.
        ([8, ChanceNode([(0.5, 10), (0.5, [[5, 9], 7])])], 10, 8),
        # Three 8s count 2.4 of the 6 at hand, and so the last outcome still decides.
        (MinNode([6, ChanceNode([*[(0.1, 8)] * 3, (0.7, 0)])]), 10, 7),
    ],
)
def test_chance_is_cut_off_where_the_rest_cannot_matter(
    tree: Any, scale: float, nodes: int
) -> None:
    """Star1, by hand."""
    assert AlphaBetaAgent(**PLAIN).search(ExplicitTree(tree, scale), ()).nodes == nodes


def test_a_full_table_keeps_its_states_and_takes_no_new_ones() -> None:
    for capacity in (0, 2):
        table = TranspositionTable(capacity)
        for state, value in (("a", 0.1), ("b", 0.2), ("c", 0.3), ("a", 0.4)):
            table.store(state, Entry(1.0, Bound.EXACT, Finding(value, -1.0, 1.0), action=0))
        kept = {state: entry.finding[0] for state, entry in table.items()}
        assert kept == ({"a": 0.4, "b": 0.2} if capacity else {})
