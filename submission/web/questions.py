"""The questions of a page: fields, their types and their limits; whatever else comes is refused."""

import json
import re
from collections.abc import Collection, Mapping
from types import NoneType
from typing import Any, NamedTuple

from agents.levels import LEVELS
from agents.options import OptionInfo, alternatives, united_types
from agents.registry import REGISTERED, make_agent
from agents.reporting.input_file import one_line, quoted
from agents.trace.recording import RECORDED_SEARCHES
from envs.games import game_id
from submission.arena.game_record import Result
from submission.play.game_history import History, played_position
from submission.web.guard import LARGEST_FILE
from submission.web.opened_files import ReplayFilter
from submission.web.searching.searches import Asked, MoveAsked, PictureAsked, TreeAsked, game
from submission.web.setup_form import (
    DEFAULT_SECONDS,
    LARGEST_SIZE,
    LEAST_SECONDS,
    LONGEST_TEXT,
    MOST_PLIES,
    MOST_SECONDS,
    field_type,
    offered_options,
    option_choices,
    option_limits,
)

LONGEST_MOVES = 4 * LARGEST_SIZE**2
"""Characters of the plies of the longest game."""
LONGEST_NAME = 1000
"""Characters of a player's name in a file."""
MOST_REPLAYS = 200
"""Games that are listed at a time."""
DEFAULT_NODES, MOST_NODES = 60, 300
"""Nodes of a picture."""
QUICK_AGENTS = frozenset({"random", "greedy", "policy"})
QUICK_LEVELS = 4
"""The highest level that finds a move in some milliseconds."""
PAGE = re.compile(r"[a-z0-9]{8,32}")

Fields = Mapping[str, Any]


def parse_json(text: str | bytes, what: str) -> dict[str, Any]:
    """The fields of a JSON object.

    Raises:
        ValueError: it is something else.
    """
    try:
        fields = json.loads(text, object_pairs_hook=_without_twins, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{what} is no JSON ({one_line(error)})") from None
    if not isinstance(fields, dict):
        raise ValueError(f"{what} is no JSON object")
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
            raise ValueError(f"no field {quoted(name)} is known here")


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


def position_field(fields: Fields) -> History:
    """The position of the fields `game` and `moves`.

    Raises:
        ValueError: no such game, or an illegal move.
    """
    env = game(text_field(fields, "game"))
    return played_position(env, text_field(fields, "moves", LONGEST_MOVES))


def unfinished_field(fields: Fields) -> History:
    """The position of the fields `game` and `moves`, in which the game goes on.

    Raises:
        ValueError: no such game, an illegal move, or the game is over.
    """
    position = position_field(fields)
    if position.is_over:
        raise ValueError("the game is over in this position")
    return position


def asked_position(position: History) -> Asked:
    """The position as it goes to a process."""
    return Asked(game_id(position.env), position.actions)


def move_question(fields: Fields) -> tuple[str, MoveAsked]:
    """The page that asks for a move, and the question.

    Raises:
        ValueError: something in it is not to be asked.
    """
    require_fields(fields, ["page", "game", "moves", "agent"], ["seconds"])
    agent, options = agent_field(fields["agent"])
    seconds = number_field(
        fields.get("seconds", DEFAULT_SECONDS), "seconds", LEAST_SECONDS, MOST_SECONDS
    )
    position = asked_position(unfinished_field(fields))
    return page_field(fields), MoveAsked(position, agent, options, seconds)


def is_quick(asked: MoveAsked) -> bool:
    """Whether an agent answers in some milliseconds, whatever the position."""
    if asked.agent == "level":
        level: int = asked.options.get("n", len(LEVELS))
        return level <= QUICK_LEVELS
    return asked.agent in QUICK_AGENTS


def values_question(fields: Fields) -> tuple[str, Asked]:
    """The page that asks for values, and the question.

    Raises:
        ValueError: something in it is not to be asked.
    """
    require_fields(fields, ["page", "game", "moves"])
    return page_field(fields), asked_position(unfinished_field(fields))


def review_question(fields: Fields) -> tuple[str, Asked]:
    """The page that asks for a review, and the question.

    Raises:
        ValueError: something in it is not to be asked.
    """
    require_fields(fields, ["page", "game", "moves"])
    return page_field(fields), asked_position(position_field(fields))


def tree_question(fields: Fields) -> tuple[str, TreeAsked]:
    """The page that asks for the tree of a search, and the question.

    Raises:
        ValueError: something in it is not to be asked.
    """
    require_fields(fields, ["page", "game", "moves", "agent"], ["options", "nodes"])
    page, agent = page_field(fields), text_field(fields, "agent")
    if agent not in RECORDED_SEARCHES:
        raise ValueError(f"agent is {alternatives(RECORDED_SEARCHES)}")
    options = parse_json(fields.get("options", "{}"), "options")
    checked = json.dumps(agent_options_field(agent, options), sort_keys=True)
    nodes = fields.get("nodes", str(DEFAULT_NODES))
    if not isinstance(nodes, str) or not re.fullmatch(r"\d{1,4}", nodes, re.ASCII):
        raise ValueError("nodes is a whole number")
    shown = whole_field(int(nodes), "nodes", 1, MOST_NODES)
    position = asked_position(unfinished_field(fields))
    return page, TreeAsked(page, position, agent, checked, shown)


def picture_question(fields: Fields) -> PictureAsked:
    """The question for a page's tree after a step.

    Raises:
        ValueError: something in it is not to be asked.
    """
    require_fields(fields, ["page", "step"], ["root", "nodes"])
    root = fields.get("root", [])
    if not isinstance(root, list) or len(root) > MOST_PLIES:
        raise ValueError("root is a list of actions")
    return PictureAsked(
        page_field(fields),
        whole_field(fields["step"], "step", 1, 2**31),
        tuple(whole_field(action, "an action", 0, MOST_PLIES) for action in root),
        whole_field(fields.get("nodes", DEFAULT_NODES), "nodes", 1, MOST_NODES),
    )


def file_field(fields: Fields, files: int) -> int:
    """The number of a file.

    Raises:
        ValueError: there is none of that number.
    """
    if not files:
        raise ValueError("no file is open: drop one on the page")
    return whole_field(fields["file"], "file", 0, files - 1)


class ReplaysQuestion(NamedTuple):
    """Some games of a file."""

    file: int
    wanted: ReplayFilter
    offset: int
    most: int


def replays_question(fields: Fields, files: int) -> ReplaysQuestion:
    """The question for games of a file.

    Raises:
        ValueError: something in it is not to be asked.
    """
    wanted = ["player", "opponent", "result", "failed"]
    require_fields(fields, ["file", "offset", "count"], wanted)
    player, opponent, result = (
        text_field(fields, name, LONGEST_NAME) if fields.get(name) is not None else None
        for name in wanted[:3]
    )
    results = [str(known) for known in Result]
    if result is not None and result not in results:
        raise ValueError(f"result is {alternatives(results)}")
    failed = fields.get("failed")
    if failed is not None and not isinstance(failed, bool):
        raise ValueError("failed is true or false")
    return ReplaysQuestion(
        file_field(fields, files),
        ReplayFilter(player, opponent, result, failed),
        whole_field(fields["offset"], "offset", 0, 2**31),
        whole_field(fields["count"], "count", 1, MOST_REPLAYS),
    )


def standings_question(fields: Fields, files: int) -> int:
    """The number of the file whose table is asked for.

    Raises:
        ValueError: something in it is not to be asked.
    """
    require_fields(fields, ["file"])
    return file_field(fields, files)


def file_question(fields: Fields) -> tuple[str, str]:
    """The name and the content of a file that is dropped on the page.

    Raises:
        ValueError: they are none.
    """
    require_fields(fields, ["name", "text"])
    return text_field(fields, "name", LONGEST_NAME), text_field(fields, "text", LARGEST_FILE)


def agent_field(value: object) -> tuple[str, dict[str, Any]]:
    """The name and the options of an agent.

    Raises:
        ValueError: no such agent, or an option that it does not have or take.
    """
    if not isinstance(value, dict):
        raise ValueError('agent is an object such as {"name": "mcts", "options": {}}')
    require_fields(value, ["name"], ["options"])
    name, options = text_field(value, "name"), value.get("options", {})
    if name not in REGISTERED:
        raise ValueError(f"unknown agent {name!r}: choose one of {', '.join(REGISTERED)}")
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
            raise ValueError(f"agent {agent} has no option {quoted(option)} here")
        _check_option(known[option], value)
    make_agent(agent, **options)  # whatever else the agent itself refuses
    return dict(options)


def _check_option(option: OptionInfo, value: object) -> None:
    name, limits = option.name, option_limits(option.name)
    if value is None and NoneType in united_types(option.type):
        return
    match field_type(option):
        case "boolean":
            if not isinstance(value, bool):
                raise ValueError(f"{name} is true or false")
        case "integer":
            whole_field(value, name, int(limits.least), int(limits.most))
        case "number":
            number_field(value, name, limits.least, limits.most)
        case "choice":
            choices = option_choices(name)
            if value not in choices:
                raise ValueError(f"{name} is {alternatives(choices)}")
        case _:
            text_field({name: value}, name)
