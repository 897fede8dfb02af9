"""The page's forms: games, agents, and their options as fields with limits."""

from collections.abc import Mapping
from types import NoneType
from typing import Annotated, Any, Literal

from msgspec import Meta

from agents.guidance.final_move import FINAL_MOVES, TIE_BREAKS
from agents.guidance.heuristics import HEURISTICS
from agents.guidance.ordering import ORDERINGS
from agents.guidance.rollouts import ROLLOUTS
from agents.networks.shipped import SHIPPED
from agents.options import ENGINES, OptionInfo, agent_help, agent_options, united_types
from agents.perfect import RESISTANCES
from agents.policy.alphazero_agent import ROOTS, SMALLEST_ALPHA
from agents.registry import REGISTERED, TRAINED_AGENTS
from agents.trace.recording import RECORDED_SEARCHES
from envs.connectx import ConnectFour, ConnectX
from envs.games import GAMES, game_id

LARGEST_SIZE = 20  # rows, columns and stones in a row of a board in the browser
MOST_PLIES = LARGEST_SIZE**2
DEFAULT_SECONDS, LEAST_SECONDS, MOST_SECONDS = 2.0, 0.05, 30.0  # time of an agent for a move

OPTION_LIMITS: Mapping[str, tuple[float, float]] = {
    "depth": (1, 400),
    "time_limit": (0, MOST_SECONDS),
    "simulations": (1, 2_000_000),
    "exploration": (0, 100),
    "rollouts_per_leaf": (1, 100),
    "table_size": (0, 2_000_000),
    "table_megabytes": (1, 128),
    "epsilon": (0, 1),
    "temperature": (0, 100),
    "noise": (0, 1),
    "noise_alpha": (SMALLEST_ALPHA, 100),
    "considered": (1, MOST_PLIES),
    "opponent_depth": (1, 4),
    "seed": (0, 2**53 - 1),
    "n": (1, 10),
}
"""The least and the most that a page may set, so that it cannot use up memory or time."""

OTHER_NUMBER = (0, 1000)  # for options that are not in the table above

HIDDEN_OPTIONS = frozenset({"threads"})
"""Each search of the server has one thread, because there is a search process for each core."""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "engine": ENGINES,
    "heuristic": ("auto", *(name for name in HEURISTICS if name != "auto")),
    "ordering": ("auto", *(name for name in ORDERINGS if name != "auto")),
    "rollout": ("auto", *ROLLOUTS),
    "final_move": tuple(FINAL_MOVES),
    "weights": SHIPPED,
    "root": ROOTS,
    "opponent": ("uniform", "epsilon_greedy", "softmax"),
    "tie_break": tuple(TIE_BREAKS),
    "resistance": RESISTANCES,
}
ShortText = Annotated[str, Meta(max_length=100)]
PageId = Annotated[str, Meta(pattern=r"^[a-z0-9]{8,32}\Z")]
Action = Annotated[int, Meta(ge=0, le=MOST_PLIES)]
DEFAULT_NODES = 60
Nodes = Annotated[int, Meta(ge=1, le=300)]  # the number of nodes in a picture

CONNECT_FOURS = f"{GAMES['connectfour'].title}, any size"  # the familiar name of ConnectX
TRAINED_GAME = game_id(ConnectX())  # the game of the package's own weights


def game_forms() -> list[dict[str, Any]]:
    """The games and their sizes, each game once."""
    return [
        {
            "name": entry.name,
            "title": CONNECT_FOURS if entry.rules is ConnectX else entry.title,
            "place": entry.place.name,
            "sizes": {
                size: {"default": default, "least": 1, "most": LARGEST_SIZE}
                for size, default in entry.sizes.items()
            },
        }
        for entry in GAMES.values()
        if entry.rules is not ConnectFour  # which is ConnectX of its default size
    ]


def agent_forms() -> list[dict[str, Any]]:
    """The agents with their options; options that are files allow only the package's own files.

    `game` is the id of the only game that an agent plays, or None for any; `search` has the initial
    options for showing its search, or None if that cannot be shown.
    """
    return [
        {
            "name": name,
            "help": agent_help(agent),
            "game": TRAINED_GAME if name in TRAINED_AGENTS else None,
            "search": (
                RECORDED_SEARCHES[name].position_options if name in RECORDED_SEARCHES else None
            ),
            "options": [option_form(option) for option in offered_options(name).values()],
        }
        for name, agent in REGISTERED.items()
    ]


def offered_options(name: str) -> dict[str, OptionInfo]:
    """The options of an agent that a page may choose."""
    return {
        option.name: option
        for option in agent_options(REGISTERED[name])
        if option.name not in HIDDEN_OPTIONS and (option.name in CHOICES or not option.is_file)
    }


def option_form(option: OptionInfo) -> dict[str, Any]:
    """An option as a form field of type `integer`, `number`, `boolean`, `choice` or `text`."""
    kind = _field_type(option)
    field: dict[str, Any] = {
        "name": option.name,
        "help": option.help,
        "type": kind,
        "nullable": NoneType in united_types(option.type),
        "default": option.default,
    }
    if kind == "choice":
        field["choices"] = list(CHOICES[option.name])
    if kind in {"integer", "number"}:
        field["least"], field["most"] = OPTION_LIMITS.get(option.name, OTHER_NUMBER)
    return field


def option_schema(option: OptionInfo) -> Any:
    """The type of an option's values, with its limits."""
    least, most = OPTION_LIMITS.get(option.name, OTHER_NUMBER)
    schema: Any = {
        "boolean": bool,
        "integer": Annotated[int, Meta(ge=int(least), le=int(most))],
        "number": Annotated[float, Meta(ge=least, le=most)],
        "choice": Literal[CHOICES.get(option.name, ())],
        "text": ShortText,
    }[_field_type(option)]
    return schema | None if NoneType in united_types(option.type) else schema


def _field_type(option: OptionInfo) -> str:
    members = united_types(option.type)
    for kind, name in ((bool, "boolean"), (float, "number"), (int, "integer")):
        if kind in members:
            return name
    return "choice" if option.name in CHOICES else "text"
