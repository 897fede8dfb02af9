"""What a page may ask: fields, their types and their limits; whatever else comes is refused."""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any

from agents.options import OptionInfo, alternatives
from agents.registry import AGENTS, make_agent
from envs.games import game_from_id
from submission.web.position_view import PlayedPosition, played_position
from submission.web.setup_form import (
    DEFAULT_SECONDS,
    LARGEST_SIZE,
    LEAST_SECONDS,
    LONGEST_TEXT,
    MOST_SECONDS,
    field_type,
    offered_options,
    option_choices,
    option_limits,
    option_types,
)

LONGEST_MOVES = 4 * LARGEST_SIZE**2
"""Characters of the plies of the longest game."""
PAGE = re.compile(r"[a-z0-9]{8,32}")

Fields = Mapping[str, Any]


def parse_body(body: bytes) -> dict[str, Any]:
    """The fields of a JSON object.

    Raises:
        ValueError: the body is something else.
    """
    try:
        fields = json.loads(body, object_pairs_hook=_without_twins, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the question is no JSON ({one_line(str(error))})") from None
    if not isinstance(fields, dict):
        raise ValueError("the question is no JSON object")
    return fields


def parse_query(pairs: Collection[tuple[str, str]]) -> dict[str, Any]:
    """The fields of a query.

    Raises:
        ValueError: one is given twice.
    """
    return _without_twins(list(pairs))


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field is given twice")
    return fields


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def one_line(text: str) -> str:
    """A text of somebody else's, short enough for a sentence."""
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:200]}…"


def require_fields(
    fields: Fields, required: Collection[str], optional: Collection[str] = ()
) -> None:
    """Check which fields there are.

    Raises:
        ValueError: one is missing, or one too many.
    """
    for name in required:
        if name not in fields:
            raise ValueError(f"{name} is missing")
    for name in fields:
        if name not in required and name not in optional:
            raise ValueError(f"no field {one_line(name)!r} is known here")


def text_field(fields: Fields, name: str, longest: int = LONGEST_TEXT) -> str:
    """A text.

    Raises:
        ValueError: it is none, or too long.
    """
    value = fields[name]
    if not isinstance(value, str) or len(value) > longest:
        raise ValueError(f"{name} is a text of at most {longest} characters")
    return value


def number_field(value: object, name: str, least: float, most: float) -> float:
    """A number in its range.

    Raises:
        ValueError: it is none, or out of the range.
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:  # type: ignore[operator]
        raise ValueError(f"{name} is a number from {least:g} to {most:g}")
    return value  # type: ignore[return-value]


def whole_field(value: object, name: str, least: int, most: int) -> int:
    """A whole number in its range.

    Raises:
        ValueError: it is none, or out of the range.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{name} is a whole number from {least} to {most}")
    return value


def page_field(fields: Fields) -> str:
    """The id of a page.

    Raises:
        ValueError: it is none.
    """
    page = text_field(fields, "page")
    if not PAGE.fullmatch(page):
        raise ValueError("page is 8 to 32 small letters and digits")
    return page


def position_field(fields: Fields) -> PlayedPosition:
    """The position of the fields `game` and `moves`.

    Raises:
        ValueError: no such game, or an illegal move.
    """
    env = game_from_id(text_field(fields, "game"), LARGEST_SIZE)
    return played_position(env, text_field(fields, "moves", LONGEST_MOVES))


def unfinished_field(fields: Fields) -> PlayedPosition:
    """The position of the fields `game` and `moves`, in which the game goes on.

    Raises:
        ValueError: no such game, an illegal move, or the game is over.
    """
    position = position_field(fields)
    if position.is_over:
        raise ValueError("the game is over in this position")
    return position


@dataclass(frozen=True)
class MoveQuestion:
    """Which move an agent plays in a position."""

    page: str
    position: PlayedPosition
    agent: str
    options: Mapping[str, Any]
    seconds: float


def move_question(fields: Fields) -> MoveQuestion:
    """The question for a move.

    Raises:
        ValueError: something in it is not to be asked.
    """
    require_fields(fields, ["page", "game", "moves", "agent"], ["seconds"])
    agent, options = agent_field(fields["agent"])
    seconds = fields.get("seconds", DEFAULT_SECONDS)
    return MoveQuestion(
        page_field(fields),
        unfinished_field(fields),
        agent,
        options,
        number_field(seconds, "seconds", LEAST_SECONDS, MOST_SECONDS),
    )


def agent_field(value: object) -> tuple[str, dict[str, Any]]:
    """The name and the options of an agent.

    Raises:
        ValueError: no such agent, or an option that it does not have or take.
    """
    if not isinstance(value, dict):
        raise ValueError('agent is an object such as {"name": "mcts", "options": {}}')
    require_fields(value, ["name"], ["options"])
    name, options = text_field(value, "name"), value.get("options", {})
    if name not in AGENTS:
        raise ValueError(f"unknown agent {name!r}: choose one of {', '.join(AGENTS)}")
    if not isinstance(options, dict):
        raise ValueError("options is an object")
    return name, agent_options_field(name, options)


def agent_options_field(agent: str, options: Fields) -> dict[str, Any]:
    """The options of an agent, each in its range.

    Raises:
        ValueError: an option that the agent does not have or take.
    """
    known = offered_options(agent)
    for option, value in options.items():
        if option not in known:
            raise ValueError(f"agent {agent} has no option {one_line(option)!r} here")
        _check_option(agent, known[option], value)
    make_agent(agent, **options)  # whatever else the agent itself refuses
    return dict(options)


def _check_option(agent: str, option: OptionInfo, value: object) -> None:
    name, limits = option.name, option_limits(option.name)
    if value is None and NoneType in option_types(option):
        return
    match field_type(agent, option):
        case "boolean":
            if not isinstance(value, bool):
                raise ValueError(f"{name} is true or false")
        case "integer":
            whole_field(value, name, int(limits.least), int(limits.most))
        case "number":
            number_field(value, name, limits.least, limits.most)
        case "choice":
            choices = option_choices(agent, name)
            if value not in choices:
                raise ValueError(f"{name} is {alternatives(choices)}")
        case _:
            text_field({name: value}, name)
