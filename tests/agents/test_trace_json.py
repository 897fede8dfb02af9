"""Traces as JSON: the same trace back, and a clear word where the text is none."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents import Agent, AlphaBetaAgent, MCTSAgent, MinimaxAgent, agent_names
from agents.trace import draw, tell, trace_text
from agents.trace.recording import RECORDED_SEARCHES
from agents.trace.trace import SearchTrace
from agents.trace.trace_json import from_json, to_json
from envs import ConnectX, ExplicitTree, TicTacToe, state_from_moves
from tests.helpers.quick_agents import quick_agent
from tests.helpers.random_trees import mixed_trees
from tests.helpers.small_games import Nim, PassingRace
from tests.helpers.strategies import connect_games, late_positions
from tests.helpers.traces import trace_of

AGENTS: list[Agent] = [
    *(quick_agent(name) for name in agent_names() if name in RECORDED_SEARCHES),
    AlphaBetaAgent(depth=5, time_limit=None, iterative_deepening=False, killer_moves=False),
    MCTSAgent(simulations=15, seed=1, rollouts_per_leaf=2),
]
TREE = ExplicitTree({"stay": [1, 2], "go": [0, -3]})


@given(
    mixed_trees().map(lambda tree: (ExplicitTree(tree), ()))
    | late_positions(connect_games(largest=4), most_free_cells=10),
    st.sampled_from(AGENTS),
)
@settings(max_examples=100)
def test_a_trace_comes_back(game: tuple[Any, Any], agent: Agent) -> None:
    trace = trace_of(agent, *game)
    assert from_json(to_json(trace)) == trace


def test_actions_may_be_tuples_or_none_and_a_trace_empty() -> None:
    trace = trace_of(MinimaxAgent(depth=1), TREE)
    trace.principal_variation = ((2, ("down", 1.5)),)
    passes = [trace_of(agent, PassingRace(4)) for agent in AGENTS]
    for each in (trace, SearchTrace(), *passes):
        assert from_json(to_json(each)) == each


def test_the_names_are_those_of_the_data_model() -> None:
    trace = trace_of(
        AlphaBetaAgent(time_limit=None, iterative_deepening=False, table_size=0), TREE, ()
    )
    document = json.loads(to_json(trace))
    assert document["version"] == 2
    assert document["trace"]["algorithm"] == "alphabeta"
    assert document["trace"]["principal_variation"] == ["stay", 0]
    assert document["trace"]["nodes"][4] == {
        "path": ["go"],
        "player": 2,
        "actions": [0, 1],
        "visited": [0],
        "window": [0.25, 1.0],
        "window_returned": [0.25, 0.0],
        "value": 0.0,
        "bound": "upper",
        "ending": "cutoff",
        "probability": None,
        "iteration": 0,
        "board": None,
    }


def test_a_simulation_has_its_statistics_by_action() -> None:
    env = TicTacToe()
    state = state_from_moves(env, "51")
    document = json.loads(to_json(trace_of(MCTSAgent(simulations=20, seed=1), env, state)))
    children = dict(document["trace"]["simulations"][-1]["selections"][0]["children"])
    assert all(set(child) == {"visits", "total", "uct", "proven"} for child in children.values())
    assert sum(child["visits"] for child in children.values()) == 19
    assert len(document["trace"]["boards"][0][1]) == 9


def test_version_1_told_the_chosen_action_alone() -> None:
    trace = trace_of(MinimaxAgent(depth=2), TREE)
    document = json.loads(to_json(trace))
    chosen, *_ = document["trace"].pop("principal_variation")
    document["trace"]["chosen"] = chosen
    read = from_json(json.dumps({**document, "version": 1}))
    assert read == replace(trace, principal_variation=(chosen,))


def test_an_action_of_a_class_of_its_own_is_refused() -> None:
    env = Nim(1, 2)
    with pytest.raises(ValueError, match=r"Take\(heap=0, objects=1\) is not a number, a text"):
        to_json(trace_of(MinimaxAgent(), env, env.initial_state()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this text is not a trace of a search, as it is not JSON"),
        ("{", "this text is not a trace of a search, as it is not JSON"),
        ("[" * 100_000, "this text is not a trace of a search, as it is not JSON"),
        ("[]", "this JSON is not a trace of a search: it has no version"),
        ('{"trace": {}}', "this JSON is not a trace of a search: it has no version"),
        ('{"version": 3}', "this trace has version 3, but only versions up to 2 can be read"),
        ('{"version": 1}', "is not a trace of a search: None stands where SearchTrace is exp"),
        ('{"version": 2}', "is not a trace of a search: None stands where SearchTrace is exp"),
        ('{"version": 2, "trace": {}}', "{} stands where SearchTrace is expected"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_json(text)


WRONG: list[Any] = [
    *(None, True, -1, 0, 7, -1.5, 10**400, "word"),
    *([], [1, 2], {}, [[1]], [{"path": []}]),
]


@pytest.mark.parametrize(
    "agent",
    [AlphaBetaAgent(depth=2), MCTSAgent(simulations=8, seed=1)],
    ids=["nodes", "simulations"],
)
def test_a_trace_with_anything_wrong_in_it_is_read_and_shown_as_it_is_or_not(agent: Agent) -> None:
    env = ConnectX(rows=3, columns=3, inarow=2)
    document = json.loads(to_json(trace_of(agent, env, env.initial_state())))
    refused = 0
    for holder, place in places(document["trace"]):
        right = holder[place]
        for wrong in WRONG:
            holder[place] = wrong
            try:
                trace = from_json(json.dumps(document))
                assert json.loads(to_json(trace)) == document
                if trace.nodes or trace.simulations:
                    assert all([tell(trace), draw(trace), trace_text(trace)])
            except ValueError as error:
                assert "this JSON is not a trace of a search: " in str(error)  # noqa: PT017
                refused += 1
        holder[place] = right
    assert refused > 100


def places(holder: Any) -> list[tuple[Any, Any]]:
    """A container and a key of it for the first values of every container of a document."""
    keys = list(holder) if isinstance(holder, dict) else range(min(len(holder), 2))
    found: list[tuple[Any, Any]] = []
    for key in keys:
        found.append((holder, key))
        if isinstance(holder[key], dict | list):
            found += places(holder[key])
    return found
