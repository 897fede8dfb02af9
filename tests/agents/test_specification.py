"""Agents named by a text."""

import pytest

from agents import AlphaBetaAgent, MCTSAgent, MinimaxAgent, RandomAgent
from agents.registry import agent_from_text, parse_options, parse_specification


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("mcts", "mcts", {}),
        ("mcts:", "mcts", {}),
        ("mcts:simulations=5,seed=1", "mcts", {"simulations": 5, "seed": 1}),
        ("alphabeta: depth = 3, time_limit=None", "alphabeta", {"depth": 3, "time_limit": None}),
        ("x:words=a,b,flag=true", "x", {"words": "a,b", "flag": True}),
        ("x:ratio=0.5,name=nan", "x", {"ratio": 0.5, "name": "nan"}),
    ],
)
def test_a_name_with_options(text: str, name: str, options: dict[str, object]) -> None:
    assert parse_specification(text) == (name, options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mcts:fast", "'fast' is no option: write KEY=VALUE"),
        ("mcts:=3", "'=3' is no option"),
        ("mcts:seed=1,seed=2", "option seed is given twice"),
    ],
)
def test_what_is_no_option(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_specification(text)


def test_options_are_json_words_or_texts() -> None:
    assert parse_options(["a=[1, 2]", 'b="4"', "c=FALSE", "d=decisive", "e="]) == {
        "a": [1, 2],
        "b": "4",
        "c": False,
        "d": "decisive",
        "e": "",
    }


def test_a_value_that_is_nested_too_deeply_is_a_text() -> None:
    assert parse_options(["a=" + "[" * 100_000]) == {"a": "[" * 100_000}


def test_a_text_makes_an_agent() -> None:
    assert agent_from_text("alphabeta:depth=3") == AlphaBetaAgent(depth=3)
    with pytest.raises(ValueError, match="unknown agent 'stockfish'"):
        agent_from_text("stockfish", seed=1)


def test_a_seed_goes_to_agents_that_have_one_and_are_given_none() -> None:
    assert agent_from_text("mcts", seed=5) == MCTSAgent(seed=5)
    assert agent_from_text("random:seed=3", seed=5) == RandomAgent(seed=3)
    assert agent_from_text("random:seed=none", seed=5) == RandomAgent()
    assert agent_from_text("minimax", seed=5) == MinimaxAgent()
