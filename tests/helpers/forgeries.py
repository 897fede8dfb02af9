"""Forged messages of a sandbox's processes, nearly like genuine ones."""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from random import Random
from typing import Any

from submission.sandbox.move import FAILING_STATUSES, Move

READY = {
    "event": "ready",
    "process_id": 1,
    "versions": {"python": "3.12", "numba": None, "numpy": None},
    "kept_from": [],
}
CHOICE = {
    "name": "agent",
    "type": "function",
    "line": 1,
    "arguments": 1,
    "file": "main.py",
    "is_own": True,
}
LOADED = {"event": "loaded", "seconds": 0.5, "choice": CHOICE}
HIDDEN = {"event": "hidden", "path": "/book"}
EXIT = {"event": "exit", "code": 3}
RAISED = {"type": "E", "message": "", "module": None, "lines": ["1"], "python": "3.12"}
ANSWER = {
    "event": "answer",
    "seconds": 0.1,
    "status": None,
    "column": 3,
    "returned": ["int", "3"],
    "error": None,
    "stderr": "",
}
FAILED = {**ANSWER, "status": "ERROR", "column": None, "returned": None, "error": RAISED}
REFUSED = {**ANSWER, "status": "INVALID", "column": None, "returned": ["str", "'3'"]}
LATE = {**ANSWER, "status": "TIMEOUT", "column": None, "returned": None}
GENUINE = (READY, LOADED, HIDDEN, EXIT, ANSWER, FAILED, REFUSED, LATE)
"""One message of each kind."""

SEEN = {"events": [LOADED, HIDDEN], "waited": 0.1}
DEATH = {"status": "ERROR", "cause": ["it ended\nitself", "do not"], "stderr": "said"}
REPORTS: Sequence[dict[str, Any]] = (
    {"event": "moved", **SEEN, "answer": ANSWER},
    {"event": "moved", **SEEN, "answer": FAILED},
    {"event": "failed", **SEEN, **DEATH},
    {"event": "failed", **SEEN, **DEATH, "status": "TIMEOUT"},
    {"event": "ended", "last_words": "false"},
    {"event": "started", "key": "key", "ready": READY},
    {"event": "started", "key": "key", "ready": "false"},
)
"""Reports of a supervisor, which a player may forge."""

ODD: Sequence[Any] = [
    *(None, True, False, 0, -1, 2**31, 2**63, 10**400, -0.0, 1e308, -1e-9, float("nan")),
    *(float("inf"), "", "x" * 70_000, "\ud800", "\x1b[2J\n\r\0", "3.x", "agent", [], {}, [[]]),
    *({"event": "answer"}, ["int"], [None, None], ["x"] * 5000, "ready", "TIMEOUT"),
]

SAME_KIND: Mapping[type, Sequence[Any]] = {
    str: ["", "x" * 9999, "\ud800", "\x1b[31m\n", "3.x", "..", "/" * 5000, "No module named 'x'"],
    int: [-(2**31), -1, 0, 1, 2**31, 2**32 - 1],
    float: [0.0, -1.0, 1e308, float("nan"), float("inf"), -0.0],
}
"""Odd values of the expected type."""


def distorted(rng: Random, genuine: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One of the messages, with up to three changes."""
    message: dict[str, Any] = deepcopy(rng.choice(genuine))
    for _ in range(rng.randrange(4)):
        change(rng, message)
    return message


def change(rng: Random, message: Any) -> None:
    """Change something in a message: replace, delete or add a value at any depth."""
    places = range(len(message)) if isinstance(message, list) else [*message]
    if not places:
        return
    place = rng.choice(list(places))
    inner = message[place]
    if isinstance(inner, list | dict) and rng.random() < 0.7:
        change(rng, inner)
    elif rng.random() < 0.6:
        message[place] = deepcopy(rng.choice(SAME_KIND.get(type(inner), ODD)))
    elif rng.random() < 0.5 or isinstance(message, list):
        message[place] = deepcopy(rng.choice(ODD))
    elif rng.random() < 0.5:
        del message[place]
    else:
        message[str(rng.randrange(9))] = deepcopy(rng.choice(ODD))


def line_of(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def is_sound(move: Move) -> bool:
    """Whether a match can continue with a move and record it, and a failure is printable."""
    json.dumps(move, allow_nan=False)
    if not 0 <= move.seconds < 60:
        return False
    if move.failure is None:
        return type(move.column) is int
    told = [move.failure.cause, move.failure.mend, *move.failure.stderr, *move.failure.lines]
    is_told = move.failure.status in FAILING_STATUSES and all(line.isprintable() for line in told)
    return is_told and move.column is None
