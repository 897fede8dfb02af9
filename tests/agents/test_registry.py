"""The agents by name and by a text: what is listed, what is made, what is refused."""

import json
import re
from inspect import getdoc
from math import inf, nan
from typing import Any, get_args

import pytest

from agents import AlphaBetaAgent, MCTSAgent, MinimaxAgent, RandomAgent, agent_names, make_agent
from agents.guidance.heuristics import zero
from agents.options import OptionInfo, agent_options
from agents.registry import (
    AGENTS,
    REGISTERED,
    agent_class,
    agent_from_text,
    option_texts,
    parse_options,
    parse_specification,
)

ALL_OPTIONS = [
    pytest.param(name, info, id=f"{name}-{info.name}")
    for name, agent in REGISTERED.items()
    for info in agent_options(agent)
]
CHOICES = [choice for choice in ALL_OPTIONS if not choice.values[1].is_file]  # type: ignore[union-attr]
OTHER_VALUES: dict[type, Any] = {int: 3, float: 0.25, bool: False}
KNOWN_OPTIONS = {
    "random": "seed",
    "greedy": "heuristic ordering",
    "minimax": "depth time_limit heuristic ordering tie_break",
    "expectimax": "depth time_limit heuristic ordering tie_break opponent epsilon temperature "
    "opponent_depth",
    "alphabeta": "depth time_limit heuristic ordering iterative_deepening killer_moves table_size "
    "tie_break engine weights",
    "mcts": "simulations time_limit exploration rollout rollouts_per_leaf solver decisive_moves "
    "final_move keep_tree seed engine threads weights",
    "perfect": "time_limit table_megabytes threads book resistance repertoire traps",
    "policy": "weights temperature seed",
    "alphazero": "weights simulations time_limit exploration fpu root considered noise noise_alpha "
    "temperature keep_tree seed engine",
}
"""What commands and files out there may name, of the simplest agent first."""


def test_agents_and_their_options_are_listed_as_ever() -> None:
    assert [name for name in REGISTERED if name in KNOWN_OPTIONS] == list(KNOWN_OPTIONS)
    assert agent_names() == list(AGENTS)
    for name, options in KNOWN_OPTIONS.items():
        assert [info.name for info in agent_options(REGISTERED[name])] == options.split()


@pytest.mark.parametrize(("name", "info"), ALL_OPTIONS)
def test_an_option_is_described_and_has_its_default(name: str, info: OptionInfo) -> None:
    assert info.help
    assert "\n" not in info.help
    assert f"    {info.name}: {info.help}" in (getdoc(agent_class(name)) or "").splitlines()
    assert getattr(make_agent(name), info.name) == info.default
    assert make_agent(name, **{info.name: info.default}) == make_agent(name)


@pytest.mark.parametrize(("name", "info"), CHOICES)
def test_options_survive_json_and_reach_the_agent(name: str, info: OptionInfo) -> None:
    chosen = {info.name: other_value(name, info)}
    assert json.loads(json.dumps(chosen)) == chosen
    agent = make_agent(name, **json.loads(json.dumps(chosen)))
    assert getattr(agent, info.name) == chosen[info.name]
    assert agent != make_agent(name)


def other_value(name: str, info: OptionInfo) -> Any:
    """A value that fits the option and is not its default; of words, one that its help names."""
    members = get_args(info.type) or (info.type,)
    if str in members:
        words = re.findall(r"\w+", info.help)
        return next(w for w in words if w != info.default and is_taken(name, {info.name: w}))
    return next(value for kind, value in OTHER_VALUES.items() if kind in members)


def is_taken(name: str, options: dict[str, Any]) -> bool:
    try:
        make_agent(name, **options)
    except ValueError:
        return False
    return True


# --- what is refused


@pytest.mark.parametrize("name", ["", "Minimax", "alpha-beta", "stockfish"])
def test_an_unknown_agent_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(ValueError, match=f"unknown agent '{name}'") as error:
        make_agent(name)
    for known in REGISTERED:
        assert known in str(error.value)


@pytest.mark.parametrize("name", REGISTERED)
@pytest.mark.parametrize("option", ["depht", "_rng", "unlimited", "self"])
def test_an_unknown_option_is_refused_with_the_known_ones(name: str, option: str) -> None:
    with pytest.raises(ValueError, match=f"agent {name} has no option '{option}'") as error:
        make_agent(name, **{option: 1})
    for info in agent_options(agent_class(name)):
        assert info.name in str(error.value)


@pytest.mark.parametrize(
    ("name", "option", "value", "expected"),
    [
        ("minimax", "depth", "4", "int or none, not the text '4'"),
        ("minimax", "depth", 4.0, "int or none, not 4.0"),
        ("minimax", "depth", True, "int or none, not True"),
        ("minimax", "time_limit", "1s", "float or none, not the text '1s'"),
        ("minimax", "heuristic", 3, "str, not 3"),
        ("alphabeta", "killer_moves", 1, "bool, not 1"),
        ("alphabeta", "table_size", None, "int, not None"),
        ("alphabeta", "time_limit", [1], r"float or none, not \[1\]"),
        ("alphabeta", "weights", "none", "None, not the text 'none'"),
        ("mcts", "weights", "None", "None, not the text 'None'"),
        ("perfect", "traps", "none", "None, not the text 'none'"),
    ],
)
def test_a_value_of_a_wrong_type_is_refused(
    name: str, option: str, value: object, expected: str
) -> None:
    with pytest.raises(ValueError, match=f"option {option} of agent {name} must be {expected}"):
        make_agent(name, **{option: value})


@pytest.mark.parametrize("name", REGISTERED)
def test_functions_are_values_of_the_options_that_name_functions_alone(name: str) -> None:
    for info in agent_options(agent_class(name)):
        if info.name in ("heuristic", "ordering", "opponent", "rollout"):
            assert getattr(make_agent(name, **{info.name: max}), info.name) is max
        else:
            with pytest.raises(ValueError, match=f"option {info.name} of agent {name} must be"):
                make_agent(name, **{info.name: max})


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("greedy", {"heuristic": "x"}, "heuristic 'x': choose one of auto, open_lines, zero"),
        ("greedy", {"ordering": "x"}, "ordering 'x': choose one of auto, centre, natural"),
        ("minimax", {"heuristic": "x"}, "heuristic 'x': choose one of auto, open_lines, zero"),
        ("minimax", {"ordering": "x"}, "ordering 'x': choose one of auto, centre, natural"),
        ("minimax", {"time_limit": -0.1}, "time_limit must be at least 0, not -0.1"),
        ("minimax", {"time_limit": nan}, "time_limit must be at least 0, not nan"),
        ("minimax", {"tie_break": "x"}, "tie_break 'x': choose one of first, expectimax"),
        ("expectimax", {"opponent": "x"}, "opponent 'x': choose one of uniform, epsilon_greedy, s"),
        ("expectimax", {"epsilon": 1.5}, "epsilon must be from 0 to 1, not 1.5"),
        ("expectimax", {"epsilon": nan}, "epsilon must be from 0 to 1, not nan"),
        ("expectimax", {"temperature": 0.0}, "temperature must be above 0 and finite, not 0.0"),
        ("expectimax", {"temperature": inf}, "temperature must be above 0 and finite, not inf"),
        ("alphabeta", {"tie_break": "x"}, "tie_break 'x': choose one of first, expectimax"),
        ("alphabeta", {"engine": "x"}, "engine 'x': choose one of auto, compiled, reference"),
        ("mcts", {"time_limit": -1}, "time_limit must be at least 0, not -1"),
        ("mcts", {"exploration": -0.5}, "exploration must be at least 0, not -0.5"),
        ("mcts", {"exploration": nan}, "exploration must be at least 0, not nan"),
        ("mcts", {"exploration": inf}, "exploration must be finite, not inf"),
        ("mcts", {"simulations": 10**400}, "simulations must be at most 9223372036854775807"),
        ("mcts", {"rollout": "x"}, "rollout 'x': choose one of uniform, decisive"),
        ("mcts", {"final_move": "x"}, "final_move 'x': choose one of visits, value, total"),
        ("mcts", {"engine": "x"}, "engine 'x': choose one of auto, compiled, reference"),
        ("alphazero", {"exploration": -1.0}, "exploration must be at least 0"),
        ("alphazero", {"fpu": inf}, "fpu must be finite"),
        ("alphazero", {"noise": 1.5}, "noise must be from 0 to 1, not 1.5"),
        ("alphazero", {"noise_alpha": 0.0}, "noise_alpha must be from 0.01 to 1000000, not 0.0"),
        ("alphazero", {"noise_alpha": 1e308}, r"from 0.01 to 1000000, not 1e\+308"),
        ("alphazero", {"temperature": -0.5}, "temperature must be at least 0"),
        ("alphazero", {"root": "uct"}, "unknown root 'uct': choose one of puct, gumbel"),
        ("alphazero", {"engine": "fast"}, "unknown engine 'fast'"),
        ("alphazero", {"root": "gumbel", "simulations": None}, "a gumbel root needs a number of s"),
        ("alphazero", {"weights": b""}, "this is not a trained policy"),
    ],
)
def test_an_unknown_choice_or_a_number_out_of_range_is_refused(
    name: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make_agent(name, **options)


@pytest.mark.parametrize(
    ("name", "count", "least"),
    [
        *(("minimax", "depth", 1), ("expectimax", "opponent_depth", 1)),
        *(("alphabeta", "depth", 1), ("alphabeta", "table_size", 0)),
        *(("mcts", count, 1) for count in ("simulations", "rollouts_per_leaf", "threads")),
        *(("alphazero", count, 1) for count in ("simulations", "considered")),
    ],
)
def test_a_count_too_small_or_not_whole_is_refused(name: str, count: str, least: int) -> None:
    """Also by the class alone: a search would pass by other counts."""
    for number, wanted in ((least - 1, f"at least {least}"), (2.5, "a whole number")):
        with pytest.raises(ValueError, match=f"^{count} must be {wanted}, not {number}$"):
            agent_class(name)(**{count: number})


def test_a_class_refuses_a_text_for_a_number() -> None:
    with pytest.raises(ValueError, match=r"^time_limit must be a number, not '1'$"):
        MCTSAgent(time_limit="1")  # type: ignore[arg-type]


# --- agents named by a text


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
        ("mcts:fast", "'fast' is not an option: write KEY=VALUE"),
        ("mcts:=3", "'=3' is not an option"),
        ("mcts:seed=1,seed=2", "option seed is given twice"),
    ],
)
def test_what_is_no_option(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_specification(text)


def test_options_are_json_words_or_texts() -> None:
    too_deep = "[" * 100_000
    texts = ["a=[1, 2]", 'b="4"', "c=FALSE", "d=decisive", "e=", f"f={too_deep}"]
    values = [[1, 2], "4", False, "decisive", "", too_deep]
    assert parse_options(texts) == dict(zip("abcdef", values, strict=True))


def test_an_agent_from_a_text_gets_the_seed_unless_it_has_one() -> None:
    assert agent_from_text("alphabeta:depth=3") == AlphaBetaAgent(depth=3)
    with pytest.raises(ValueError, match="unknown agent 'stockfish'"):
        agent_from_text("stockfish", seed=1)
    assert agent_from_text("mcts", seed=5) == MCTSAgent(seed=5)
    assert agent_from_text("random:seed=3", seed=5) == RandomAgent(seed=3)
    assert agent_from_text("random:seed=none", seed=5) == RandomAgent()
    assert agent_from_text("minimax", seed=5) == MinimaxAgent()


def test_a_value_without_a_text_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^option heuristic is <function zero .* by its name"):
        option_texts({"depth": 2, "heuristic": zero})  # type: ignore[dict-item]
