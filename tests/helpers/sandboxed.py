"""Players in sandboxes, asked for moves."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from textwrap import dedent
from typing import Any

import pytest

from submission.sandbox.interpreter import child_command
from submission.sandbox.launcher import LAUNCHER, Launcher
from submission.sandbox.move import Failure, Move
from submission.sandbox.player import RunningPlayer

OBSERVATION: Mapping[str, Any] = {
    "board": [0] * 1000,
    "mark": 1,
    "step": 0,
    "remainingOverageTime": 0.0,
}
RULES: Mapping[str, Any] = {"rows": 1, "columns": 1000, "inarow": 4, "runTimeout": 1200}

ENOUGH = 2**31
"""Bytes of memory that are enough for these players."""


def player(
    agent: str | bytes, *, seed: int = 1, launcher: Launcher = LAUNCHER
) -> AbstractContextManager[RunningPlayer]:
    content = dedent(agent).encode() if isinstance(agent, str) else agent
    return launcher.start_player(content, seed=seed, memory=ENOUGH)


def ask(
    running: RunningPlayer, limit: float = 20.0, rules: Mapping[str, Any] = RULES, **observed: Any
) -> Move:
    """Ask for a move within some seconds, by default in the first of many columns."""
    return running.act({**OBSERVATION, **observed}, {**rules, "actTimeout": limit})


def answers(
    source: str, moves: int = 1, *, limit: float = 20.0, launcher: Launcher = LAUNCHER
) -> list[Move]:
    """The first moves of a player."""
    with player(source, launcher=launcher) as running:
        return [ask(running, limit) for _ in range(moves)]


def failed(move: Move) -> Failure:
    """The failure that a move must have."""
    assert move.failure is not None, move
    return move.failure


REFUSING = """
from submission.sandbox.inside import containment
def refuse(*arguments): raise PermissionError(1, "refused")
containment._System.unshare = refuse
"""


def refuse_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start players' processes as on a system that permits no namespaces."""

    def command(*arguments: Any) -> list[str]:
        *python, program = child_command(*arguments)
        path, _, main = program.rpartition("; from")
        return [*python, f"{path}\n{REFUSING}\nfrom{main}"]

    monkeypatch.setattr("submission.sandbox.launcher.child_command", command)
