"""Traces as JSON text; decoding follows the annotations of their fields."""

import json
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum, EnumType
from functools import cache
from reprlib import repr as short
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from agents.reporting.input_file import one_line, quoted
from agents.trace.trace import SearchTrace, TracedNode
from envs.protocol import CHANCE

SCALARS = (bool, int, float, str, NoneType)
VERSION = 2  # version of the format; version 1 has only the chosen action, and can be read, too
MOST = 1 << 63  # an upper limit of all integers


def to_json(trace: SearchTrace) -> str:
    """A trace as JSON: {"version": 2, "trace": ...}, with the field names of the data model.

    Raises ValueError if an action is not a number, a string, None, or a tuple of them.
    """
    return json.dumps({"version": VERSION, "trace": encoded(trace)})


def from_json(text: str) -> SearchTrace:
    """The trace in a text written by `to_json`.

    Raises ValueError if the text is not a trace, has another version, or contradicts itself.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"this text is not a trace of a search, as it is not JSON: {one_line(error)}"
        ) from error
    if not isinstance(document, dict) or "version" not in document:
        raise ValueError("this JSON is not a trace of a search: it has no version")
    if document["version"] not in (1, VERSION):
        raise ValueError(
            f"this trace has version {quoted(document['version'])}, but only versions up to "
            f"{VERSION} can be read: record the search again"
        )
    data = document.get("trace")
    if document["version"] == 1 and isinstance(data, dict) and "chosen" in data:
        chosen = data.pop("chosen")
        data["principal_variation"] = [] if chosen is None else [chosen]
    try:
        trace: SearchTrace = decoded(SearchTrace, data)
        _require_players_and_boards(trace)
        _require_trees(trace)
    except (ValueError, OverflowError, RecursionError) as error:
        raise ValueError(f"this JSON is not a trace of a search: {one_line(error)}") from error
    return trace


def _require_players_and_boards(trace: SearchTrace) -> None:
    for player in (*(node.player for node in trace.nodes), *trace.players.values()):
        if player not in (CHANCE, 1, 2):
            raise ValueError(
                f"it is the turn of {short(player)}: players are 1 and 2, and 0 is chance"
            )
    cells = (trace.rows or 0) * (trace.columns or 0)
    for board in (*(node.board for node in trace.nodes), *trace.boards.values()):
        if board is not None and (len(board) != cells or not {*board} <= {0, 1, 2}):
            raise ValueError(f"a board must be {cells} cells, each 0, 1 or 2, not {short(board)}")


def _require_trees(trace: SearchTrace) -> None:
    """Check that each node but a root has a parent that visited it, and that counts are valid."""
    searches: dict[int, list[TracedNode]] = {}
    for node in trace.nodes:
        searches.setdefault(node.iteration, []).append(node)
    for nodes in searches.values():
        children = [(*node.path, action) for node in nodes for action in node.visited]
        if Counter(node.path for node in nodes) != Counter([(), *children]):
            raise ValueError("the nodes of a search must be those it visited, each once")
    simulated = trace.players.keys() if trace.simulations else {()}
    if () not in simulated or any(path[:-1] not in simulated for path in simulated):
        raise ValueError("a node of the tree has no parent")
    for simulation in trace.simulations:
        if any(not selection.children for selection in simulation.selections):
            raise ValueError("a child is selected where there is none")
        standings = [child for each in simulation.selections for child in each.children.values()]
        if any(child.visits < 1 for child in standings):
            raise ValueError("a child of which the search knows the mean has no visits")
        if any(visits < 0 for _, visits, _ in simulation.backed_up):
            raise ValueError("a node has a negative number of visits")


def encoded(value: Any) -> Any:
    """A value in types that JSON supports; a ValueError if it contains an object of another class.

    A dataclass becomes an object, an enumeration member its name in lower case, a tuple a list, and
    a mapping a list of pairs [key, value].
    """
    if type(value) in SCALARS:
        return value
    if is_dataclass(value):
        return {field.name: encoded(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, Mapping):
        return [[encoded(key), encoded(content)] for key, content in value.items()]
    if type(value) in (list, tuple):
        return [encoded(item) for item in value]
    raise ValueError(f"{value!r} is not a number, a text or a tuple of them: JSON cannot hold it")


def decoded(kind: Any, data: Any) -> Any:
    """The value of type `kind` that `encoded` turns into `data`; a ValueError if there is none.

    A field annotated as `Hashable` holds a number, a string, None or a tuple of them.
    """
    origin, types = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return None if data is None else decoded(types[0], data)
    is_countable = type(data) is not int or abs(data) < MOST
    if (type(data) is kind and is_countable) or (kind is Hashable and type(data) in SCALARS):
        return data
    match data:
        case int() if kind is float and type(data) is int:
            return float(data)
        case str() if isinstance(kind, EnumType) and data.upper() in kind.__members__:
            return kind[data.upper()]
        case dict() if data and data.keys() == field_types(kind).keys():
            return kind(**{name: decoded(field_types(kind)[name], data[name]) for name in data})
        case list() if kind is Hashable:
            return tuple(decoded(Hashable, item) for item in data)
        case list() if origin is list or (origin is tuple and types[-1] is Ellipsis):
            return origin(decoded(types[0], item) for item in data)
        case list() if origin is tuple and len(data) == len(types):
            return tuple(map(decoded, types, data))
        case list() if origin in (dict, Mapping):
            mapping = dict(decoded(list[tuple[types]], data))  # type: ignore[valid-type]
            if len(mapping) < len(data):
                raise ValueError(f"a key occurs twice in {short(data)}")
            return mapping
    raise ValueError(f"{short(data)} stands where {kind.__name__} is expected")


@cache
def field_types(kind: Any) -> dict[str, Any]:
    """The types of a dataclass's fields; empty for other types."""
    return get_type_hints(kind) if is_dataclass(kind) else {}
