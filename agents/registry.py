"""The agents by name, and by a text such as `mcts:simulations=500,seed=1`."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from inspect import cleandoc
from os import PathLike, fspath
from typing import Any, NamedTuple

from agents.agent import Agent
from agents.alpha_beta_agent import AlphaBetaAgent
from agents.baselines import GreedyAgent, RandomAgent
from agents.compiled.level_kernel import level_opponent
from agents.expectimax import ExpectimaxAgent
from agents.levels import LevelAgent
from agents.mcts_agent import MCTSAgent
from agents.minimax import MinimaxAgent
from agents.options import agent_options, check_options, require_one_of
from agents.perfect import PerfectAgent
from agents.policy.alphazero_agent import AlphaZeroAgent
from agents.policy.policy_agent import PolicyAgent
from agents.policy.policy_kernel import policy_opponent
from envs.board import BoardGame
from envs.learning.vector.vector_kernels import KernelOpponent

AGENTS: Mapping[str, type[Agent]] = {
    "random": RandomAgent,
    "greedy": GreedyAgent,
    "minimax": MinimaxAgent,
    "expectimax": ExpectimaxAgent,
    "alphabeta": AlphaBetaAgent,
    "mcts": MCTSAgent,
    "perfect": PerfectAgent,
    "level": LevelAgent,
}
"""The agents that play every game and need no options."""

TRAINED_AGENTS: Mapping[str, type[Agent]] = {"policy": PolicyAgent, "alphazero": AlphaZeroAgent}
"""The agents that play only the game of their weights: Connect Four by default."""


def _with_options_in_its_help(agent: type[Agent]) -> type[Agent]:
    options = [
        f"    {option.name}: {option.metadata['help']}"
        for option in fields(agent)  # type: ignore[arg-type]
        if "help" in option.metadata
    ]
    if agent.__doc__ and options:
        agent.__doc__ = "\n".join([cleandoc(agent.__doc__), "", "Options:", *options])
    return agent


REGISTERED: Mapping[str, type[Agent]] = {
    name: _with_options_in_its_help(agent) for name, agent in {**AGENTS, **TRAINED_AGENTS}.items()
}
"""All agents that can be made by name."""


def agent_names() -> list[str]:
    """The names of the agents that play every game, the simplest first."""
    return list(AGENTS)


def agent_class(name: str) -> type[Agent]:
    """The class of a registered agent; the ValueError for another name lists the known ones."""
    require_one_of("agent", name, REGISTERED)
    return REGISTERED[name]


def make_agent(name: str, **options: Any) -> Agent:
    """Make a registered agent.

    The name is one of `REGISTERED`; `agents.options.agent_options` lists the options, and those
    left out have their defaults. Raises ValueError for an unknown agent or option, or a bad value.
    """
    agent, options = agent_class(name), plain_options(options)
    check_options(name, agent, options)
    return agent(**options)


def plain_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, with paths as text."""
    return {
        key: fspath(value) if isinstance(value, PathLike) else value
        for key, value in options.items()
    }


JsonValue = str | int | float | bool | None | list["JsonValue"] | dict[str, "JsonValue"]

WORD_VALUES: dict[str, JsonValue] = {"none": None, "null": None, "true": True, "false": False}


class AgentSpecification(NamedTuple):
    """An agent's name and options from a text; neither is checked to exist."""

    name: str
    options: dict[str, JsonValue]


def parse_specification(text: str) -> AgentSpecification:
    """The name and the options of `NAME` or `NAME:KEY=VALUE,…`; raises as `parse_options`."""
    name, _, options = text.partition(":")
    # Only a comma before a new KEY= separates options: a value may contain commas.
    texts = re.split(r",(?=\s*\w+=)", options) if options else []
    return AgentSpecification(name, parse_options(texts))


def agent_from_text(text: str, seed: int | None = None) -> Agent:
    """Make the registered agent that a text describes; raises like the two that it calls.

    `parse_specification` reads the text, `make_agent` makes the agent. The seed is used if the
    agent has this option and the text does not set it.
    """
    name, options = parse_specification(text)
    if seed is not None and any(info.name == "seed" for info in agent_options(agent_class(name))):
        options = {"seed": seed, **options}
    return make_agent(name, **options)


def opponent_in_kernels(text: str, game: BoardGame) -> KernelOpponent | None:
    """The kernel of the agent that a text describes, for vector environments; None without one."""
    agent = agent_from_text(text)
    if isinstance(agent, LevelAgent):
        return level_opponent(agent, game)
    if isinstance(agent, PolicyAgent):
        return policy_opponent(agent.policy.network, agent.temperature, agent.seed, game)
    return None


def parse_options(texts: Iterable[str]) -> dict[str, JsonValue]:
    """The options of texts like `depth=4`, `time_limit=none` or `rollout=decisive`.

    A value is JSON (`4`, `0.5`, `"text"`), or `none`, `true` or `false` in any case; anything else
    is a text. Raises ValueError for a text without `=`, an empty key, or a key that is given twice.
    """
    options: dict[str, JsonValue] = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not key:
            raise ValueError(f"{text!r} is not an option: write KEY=VALUE, as in depth=4")
        if key in options:
            raise ValueError(f"option {key} is given twice")
        options[key] = _parse_value(value)
    return options


def joined_options(
    named: Mapping[str, JsonValue], options: Mapping[str, Any]
) -> dict[str, JsonValue]:
    """The options in an agent's name and further ones; ValueError if one is in both."""
    for key in named.keys() & options.keys():
        raise ValueError(f"option {key} is given twice")
    return plain_options({**named, **options})


def option_texts(options: Mapping[str, JsonValue]) -> list[str]:
    """The texts that `parse_options` reads; a ValueError for a value that JSON cannot represent."""
    return [
        f"{key}={value if isinstance(value, str) else _json(key, value)}"
        for key, value in options.items()
    ]


def _json(key: str, value: JsonValue) -> str:
    try:
        return json.dumps(value)
    except TypeError as error:
        raise ValueError(
            f"option {key} is {value!r:.60}, which cannot be written as text: choose one by its "
            "name, or set it in an agent class of your own"
        ) from error


def _parse_value(text: str) -> JsonValue:
    if text.lower() in WORD_VALUES:
        return WORD_VALUES[text.lower()]
    try:
        value: JsonValue = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return text
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")
