"""Messages between the processes of a sandbox: lines of JSON, and their shapes.

Strangers' code runs in the process that reports on it, and can write anything there. So each
message is checked against its shape when it is read; then its types can be relied on.
"""

import json
import signal
from dataclasses import dataclass
from math import inf
from pathlib import Path
from types import EllipsisType
from typing import Any

Message = dict[str, Any]

LINE_BYTES = 2**16  # a longer line from a stranger's process is no message

CHANNEL_LOST = 86  # the exit status of a player that has closed the connection from inside

Shape = Any
"""The shape of a JSON value: a type; a constant; a `range` of whole numbers; a tuple of possible
shapes; a dict of the shapes of an object's members; a list of the shapes of an array's items, or
of one shape and `...` for items that are all alike; or a function that is true of the value."""


def is_seconds(value: object) -> bool:
    """Whether a value is a number of seconds."""
    return type(value) is float and 0 <= value < inf


NUMBER = range(-(2**31), 2**32)  # of a process, a line or a column

EXIT_CODE = range(1 - signal.NSIG, 2**32)  # an exit status, or minus a signal's number

OWN_EVENT = (
    {
        "event": "ready",
        "process_id": NUMBER,
        "versions": {"python": str, "numba": (str, None), "numpy": (str, None)},
        "kept_from": [str, ...],
    },
    {"event": "loading"},
    {
        "event": "loaded",
        "seconds": is_seconds,
        "choice": {
            "name": str,
            "type": ("function", "class", "object"),
            "line": (NUMBER, None),
            "arguments": (NUMBER, None),
            "file": (str, None),
            "is_own": bool,
        },
    },
    {"event": "hidden", "path": str},
)
"""A player's messages about itself."""

RAISED = {"type": str, "message": str, "module": (str, None), "lines": [str, ...], "python": str}

ANSWERED = {"event": "answer", "seconds": float, "column": None, "error": None, "stderr": str}

ANSWER = (
    {**ANSWERED, "status": None, "column": NUMBER, "returned": [str, str]},
    {**ANSWERED, "status": ("ERROR", "INVALID"), "returned": [str, str]},
    {**ANSWERED, "status": "ERROR", "returned": None, "error": RAISED},
    {**ANSWERED, "status": "TIMEOUT", "returned": None},
)
"""The answers of `KaggleAgent.act`."""

EXIT = {"event": "exit", "code": EXIT_CODE}

FROM_PLAYER = (*ANSWER, *OWN_EVENT, EXIT)

FORGERY: Message = {"event": "forgery"}
"""Replaces messages that have the right key and a wrong shape."""


@dataclass(frozen=True, slots=True)
class PlayerJob:
    """The first message to a player's process; JSON-able through `dataclasses.asdict`."""

    home: str  # a folder of this player alone, which is removed when the player has ended
    seed: int  # for this and the next two see `Launcher.start_player`
    memory: int
    speed: float
    key: str  # every answer carries it; other output is ignored

    @property
    def agent(self) -> Path:
        """The submission's folder, in which it is alone as after an upload."""
        return Path(self.home, "agent")

    @property
    def working(self) -> Path:
        """The current, home and temporary folder of the process."""
        return Path(self.home, "working")


JOB = {"home": str, "seed": int, "memory": int, "speed": (int, float), "key": str}

COMMAND = (
    {"start": JOB},
    {"ask": dict, "seconds": is_seconds},
    {"end": ("silently", "with a report")},
)
"""The commands of a supervisor."""

FOLDER = ({"folder": str}, {"no_folder": str})
"""A supervisor's first report: its folder, or why it could not make one."""

SEEN = {"events": [OWN_EVENT, ...], "waited": is_seconds}

ENDING = (
    {"kind": ("no start", "parent", "forgery")},
    {"kind": "silence", "place": (str, None)},
    {"kind": "processes", "most": int},
    {"kind": "exit", "code": EXIT_CODE},
)

OUTCOME = ({**SEEN, "answer": ANSWER}, {**SEEN, "answer": None, "ending": ENDING, "stderr": str})
"""A supervisor's report of a request for a move."""

ENDED = {"ended": True, "stderr": str}  # its report of a player's end


def encoded(message: Message) -> bytes:
    """The message as a line."""
    return json.dumps(message).encode() + b"\n"


def decoded(line: bytes, shape: Shape) -> Message | None:
    """The message in a line; None if it is not a message of this shape."""
    message = _parsed(line)
    return message if has_shape(message, shape) else None


def has_shape(value: object, shape: Shape) -> bool:
    """Whether a value of JSON has a shape."""
    match shape:
        case type():
            return type(value) is shape
        case range():
            return type(value) is int and value in shape
        case tuple():
            return any(has_shape(value, one) for one in shape)
        case dict():
            return (
                isinstance(value, dict)
                and value.keys() == shape.keys()
                and all(has_shape(value[name], shape[name]) for name in shape)
            )
        case [each, EllipsisType()]:
            return isinstance(value, list) and all(has_shape(item, each) for item in value)
        case list():
            return (
                isinstance(value, list)
                and len(value) == len(shape)
                and all(map(has_shape, value, shape))
            )
        case None | bool() | str():
            return type(value) is type(shape) and value == shape
    return bool(shape(value))


class KeyedLines:
    """Finds a stranger's messages with a key, which every genuine one has, in its output."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._unread = b""

    def take_in(self, chunk: bytes) -> list[Message]:
        """The messages that the next bytes complete, without their keys.

        A message with the key that no player would send is replaced by `FORGERY`.
        """
        *lines, unread = (self._unread + chunk).split(b"\n")
        self._unread = unread[-LINE_BYTES:]
        mark = self._key.encode()
        found = (_parsed(line) for line in lines if mark in line)
        return [
            message if has_shape(message, FROM_PLAYER) else FORGERY
            for message in found
            if message is not None and message.pop("key", None) == self._key
        ]


def _parsed(line: bytes) -> Message | None:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None
