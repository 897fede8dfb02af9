"""Agents named by a text, `mcts:simulations=500,seed=1`, and options as `KEY=VALUE`."""

import json
import re
from collections.abc import Iterable
from typing import NamedTuple

from agents.introspection import agent_options
from agents.protocol import Agent
from agents.registry import agent_class, make_agent

JsonValue = str | int | float | bool | None | list["JsonValue"] | dict[str, "JsonValue"]

WORD_VALUES: dict[str, JsonValue] = {"none": None, "null": None, "true": True, "false": False}


class AgentSpecification(NamedTuple):
    """What a text says of an agent; neither the name nor the options need exist."""

    name: str
    options: dict[str, JsonValue]


def parse_specification(text: str) -> AgentSpecification:
    """The name and the options of `NAME` or `NAME:KEY=VALUE,…`.

    Raises:
        ValueError: an option without `=`, with an empty key, or given twice.
    """
    name, _, options = text.partition(":")
    return AgentSpecification(name, parse_options(_split_options(options)))


def agent_from_text(text: str, seed: int | None = None) -> Agent:
    """The registered agent that a text specifies.

    Args:
        text: as `parse_specification` reads it.
        seed: for an agent that has such an option, where the text gives none.

    Raises:
        ValueError: unknown agent or option, or a value that does not fit.
    """
    name, options = parse_specification(text)
    if seed is not None and any(info.name == "seed" for info in agent_options(agent_class(name))):
        options = {"seed": seed, **options}
    return make_agent(name, **options)


def parse_options(texts: Iterable[str]) -> dict[str, JsonValue]:
    """The options of texts like `depth=4`, `time_limit=none` or `rollout=decisive`.

    A value is JSON (`4`, `0.5`, `"text"`); `none`, `true` and `false` in any case; or else itself
    a text.

    Raises:
        ValueError: a text without `=`, an empty key, or a key that is given twice.
    """
    options: dict[str, JsonValue] = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not key:
            raise ValueError(f"{text!r} is no option: write KEY=VALUE, as in depth=4")
        if key in options:
            raise ValueError(f"option {key} is given twice")
        options[key] = _parse_value(value)
    return options


def _split_options(text: str) -> list[str]:
    """The options of `depth=4,seed=1`.

    It is split at the commas that a new KEY= follows, so that a value may hold commas of its own.
    """
    return re.split(r",(?=\s*\w+=)", text) if text else []


def _parse_value(text: str) -> JsonValue:
    if text.lower() in WORD_VALUES:
        return WORD_VALUES[text.lower()]
    try:
        value: JsonValue = json.loads(text, parse_constant=_no_constant)
    except ValueError:
        return text
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")
