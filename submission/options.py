"""Agent options as text: `KEY=VALUE`, as on a command line."""

import json
import re
from collections.abc import Iterable

JsonValue = str | int | float | bool | None | list["JsonValue"] | dict[str, "JsonValue"]

WORDS: dict[str, JsonValue] = {"none": None, "null": None, "true": True, "false": False}


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
        options[key] = parse_value(value)
    return options


def split_options(text: str) -> list[str]:
    """The options of `depth=4,seed=1`.

    It is split at the commas that a new KEY= follows, so that a value may hold commas of its own.
    """
    return re.split(r",(?=\s*\w+=)", text) if text else []


def parse_value(text: str) -> JsonValue:
    """The value that a text stands for."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    try:
        value: JsonValue = json.loads(text, parse_constant=_no_constant)
    except ValueError:
        return text
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")
