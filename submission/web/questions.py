"""The questions of a page: their fields with types and limits; anything else is refused."""

import json
import re
from collections.abc import Collection
from functools import lru_cache
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from agents.levels import LEVELS
from agents.options import alternatives
from agents.registry import REGISTERED, make_agent
from agents.reporting.input_file import one_line, quoted
from agents.trace.recording import RECORDED_SEARCHES
from envs.board import BoardGame
from envs.games import game_from_id
from submission.play.game_history import History, played_position
from submission.web.guard import LARGEST_FILE
from submission.web.opened_files import Name, ReplayFilter
from submission.web.searching.searches import MoveAsked, TreeAsked
from submission.web.setup_form import (
    CHOICES,
    DEFAULT_NODES,
    DEFAULT_SECONDS,
    LARGEST_SIZE,
    LEAST_SECONDS,
    MOST_SECONDS,
    Nodes,
    PageId,
    ShortText,
    offered_options,
    option_schema,
)

LONGEST_MOVES = 4 * LARGEST_SIZE**2  # characters of the longest game's move string
MOST_REPLAYS = 200  # games that are listed at a time
QUICK_AGENTS = frozenset({"random", "greedy", "policy"})
QUICK_LEVELS = 4  # the highest level that finds a move in some milliseconds

Kind = TypeVar("Kind")
Count = Annotated[int, Meta(ge=0, le=2**31)]


@lru_cache(maxsize=64)
def game(name: str) -> BoardGame:
    """The game with an id; ValueError if there is none, or its board does not suit the page."""
    env = game_from_id(name, LARGEST_SIZE)
    if env.inarow > max(env.rows, env.columns):
        size = f"{env.rows}x{env.columns}"
        raise ValueError(
            f"no line of {env.inarow} fits on a board of {size}: choose fewer in a row"
        )
    return env


class Question(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The base of all questions; its subclasses list the fields."""


class PositionQuestion(Question):
    """A position, which may be the end of a game."""

    game: ShortText
    moves: Annotated[str, Meta(max_length=LONGEST_MOVES)]

    @property
    def position(self) -> History:
        """The position; ValueError if there is no such game, or a move is illegal."""
        return played_position(game(self.game), self.moves)


class PageQuestion(PositionQuestion):
    """A position, with the page's id; by itself it asks to judge the moves that led there."""

    page: PageId

    @property
    def asked(self) -> Any:
        """What to ask a search process; ValueError if an agent or a move is invalid."""
        return self.position

    @property
    def unfinished(self) -> History:
        """The position; ValueError if the game is over there."""
        if self.position.is_over:
            raise ValueError("the game is over in this position")
        return self.position  # a new one, so that its cached states are neither sent nor kept


class ValuesQuestion(PageQuestion):
    """The values of a position's moves."""

    @property
    def asked(self) -> History:
        """See `PageQuestion`."""
        return self.unfinished


class AgentFields(Question):
    """An agent."""

    name: ShortText
    options: dict[str, Any] = {}


class MoveQuestion(PageQuestion):
    """A move of an agent."""

    agent: AgentFields
    seconds: Annotated[float, Meta(ge=LEAST_SECONDS, le=MOST_SECONDS)] = DEFAULT_SECONDS

    @property
    def asked(self) -> MoveAsked:
        """See `PageQuestion`."""
        name = self.agent.name
        if name not in REGISTERED:
            raise ValueError(f"unknown agent {name!r}: choose one of {', '.join(REGISTERED)}")
        options = _checked_options(name, self.agent.options)
        return MoveAsked(self.unfinished, name, options, self.seconds)


class TreeQuestion(PageQuestion):
    """The tree of a search; sent in the query of a URL, so `options` is a string of JSON."""

    agent: ShortText
    options: str = "{}"
    nodes: Nodes = DEFAULT_NODES

    @property
    def asked(self) -> TreeAsked:
        """See `PageQuestion`."""
        if self.agent not in RECORDED_SEARCHES:
            raise ValueError(f"agent is {alternatives(RECORDED_SEARCHES)}")
        options = _checked_options(self.agent, parse_json(self.options, "options"))
        return TreeAsked(self.page, self.unfinished, self.agent, options, self.nodes)


class StandingsQuestion(Question):
    """The table of a file, given by its number."""

    file: Count


class ReplaysQuestion(ReplayFilter, forbid_unknown_fields=True, kw_only=True):
    """Games of a file."""

    file: Count
    offset: Count
    count: Annotated[int, Meta(ge=1, le=MOST_REPLAYS)]


class FileQuestion(Question):
    """A file that is dropped on the page."""

    name: Name
    text: Annotated[str, Meta(max_length=LARGEST_FILE)]


def parse_json(text: str | bytes, what: str) -> dict[str, Any]:
    """The fields of a JSON object; ValueError if it is something else."""
    try:
        fields = json.loads(text, object_pairs_hook=without_twins, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{what} is not JSON ({one_line(error)})") from None
    if not isinstance(fields, dict):
        raise ValueError(f"{what} is not a JSON object")
    return fields


def without_twins(pairs: Collection[tuple[str, Any]]) -> dict[str, Any]:
    """The fields as a dict; ValueError if one is given twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field is given twice")
    return fields


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def read(kind: type[Kind], fields: object, strict: bool = True) -> Kind:
    """Convert fields to a kind of question, or raise ValueError; if not strict, parse numbers."""
    try:
        return msgspec.convert(fields, kind, strict=strict)
    except (msgspec.ValidationError, UnicodeError) as error:
        what, _, where = str(error).partition(" - at `$.")
        what = re.sub(r"^Object missing required field `(\w+)`$", r"\1 is missing", what)
        raise ValueError(one_line(f"{where[:-1]}: {what}" if where else what)) from None


def is_quick(asked: MoveAsked) -> bool:
    """Whether an agent answers in some milliseconds, whatever the position."""
    if asked.agent == "level":
        level: int = asked.options.get("n", len(LEVELS))
        return level <= QUICK_LEVELS
    return asked.agent in QUICK_AGENTS


def _checked_options(agent: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options, once it is checked that the agent has each of them and accepts its value."""
    known = offered_options(agent)
    for name, value in options.items():
        if name not in known:
            raise ValueError(f"agent {agent} has no option {quoted(name)} here")
        try:
            read(option_schema(known[name]), value)
        except ValueError as error:
            expected = f" is {alternatives(CHOICES[name])}" if name in CHOICES else f": {error}"
            raise ValueError(f"{name}{expected}") from None
    make_agent(agent, **options)  # raises for whatever else the agent itself refuses
    return options
