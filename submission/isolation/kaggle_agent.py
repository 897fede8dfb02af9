"""An agent, asked for moves by Kaggle's own code, its answers taken as Kaggle takes them."""

import reprlib
from collections.abc import Mapping, Sequence
from time import perf_counter
from types import SimpleNamespace
from typing import Any

from submission.isolation.move import NO_CALLABLE, Failure, Move, misplaced
from submission.kaggle import kaggle_environments

STDERR_LINES = 10
"""How many of a failing player's last lines are kept."""

LONGEST_TEXT = 200
"""Characters of a text of the player's in a cause."""


class KaggleAgent:
    """Kaggle's wrapper around an agent: loads it at the first move, times it, catches its output.

    Args:
        raw: what `env.run` takes for a player: the path of a file, or a function.
    """

    def __init__(self, raw: object) -> None:
        kaggle = kaggle_environments()
        surroundings = SimpleNamespace(configuration={}, debug=False, name="connectx", agents={})
        self._agent: Any = kaggle.Agent(raw, surroundings)
        self._structify = kaggle.utils.structify
        self._process_schema = kaggle.utils.process_schema
        self._deadline_exceeded = kaggle.errors.DeadlineExceeded
        self._action_schema = kaggle.environments["connectx"]["specification"]["action"]

    def act(self, observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> Move:
        """The move; what the agent raises is a failure, unless it is meant to end the process."""
        begin = perf_counter()
        try:
            self._agent.configuration = self._structify(configuration)
            action, log = self._agent.act(self._structify(observation))
            return self._taken(action, log, observation["board"][: configuration["columns"]])
        except Exception as error:
            return escape(error, perf_counter() - begin)

    def _taken(self, action: Any, log: Mapping[str, Any], top_row: Sequence[int]) -> Move:
        """The move that Kaggle's environment makes of an answer."""
        seconds = float(log["duration"])
        if type(action) is int and 0 <= action < len(top_row) and top_row[action] == 0:
            return Move(action, seconds)
        stderr = tuple(log["stderr"].splitlines()[-STDERR_LINES:])
        if isinstance(action, self._deadline_exceeded):
            return Move(None, seconds, Failure("TIMEOUT", _too_slow(seconds), stderr))
        if isinstance(action, BaseException):
            return Move(None, seconds, Failure("ERROR", _cause(action), stderr))
        error, column = self._process_schema(self._action_schema, action)
        if error:
            return Move(None, seconds, Failure("INVALID", _not_a_column(action), stderr))
        if column >= len(top_row):
            return Move(None, seconds, misplaced(column, stderr))
        if isinstance(column, float):
            cause = f"{_not_a_column(action)}, which gets past Kaggle's runner as a TypeError"
            return Move(None, seconds, Failure("ERROR", cause, stderr))
        if top_row[column] != 0:
            return Move(None, seconds, misplaced(column, stderr))
        return Move(int(column), seconds)


def escape(error: BaseException, seconds: float) -> Move:
    """The move of an agent that has made Kaggle's runner break off."""
    cause = f"{_error_line(error)}, which gets past Kaggle's runner"
    return Move(None, seconds, Failure("ERROR", cause))


def _cause(error: BaseException) -> str:
    """What went wrong when the agent was loaded or asked."""
    origin = _origin(error)
    if origin is not error and isinstance(origin, IndexError) and _is_the_loaders_own(origin):
        return NO_CALLABLE
    return _error_line(origin)


def _is_the_loaders_own(error: BaseException) -> bool:
    """Whether Kaggle's loader itself has raised what it has caught, and not the file."""
    return error.__traceback__ is not None and error.__traceback__.tb_next is None


def _error_line(error: BaseException) -> str:
    """An exception as Python's tracebacks name it, in one line."""
    try:
        message = str(error).strip().partition("\n")[0][:LONGEST_TEXT]
    except Exception:
        message = ""
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _origin(error: BaseException) -> BaseException:
    """What went wrong in the file where Kaggle's loader has wrapped it."""
    if type(error).__name__ == "InvalidArgument" and error.__context__ is not None:
        return error.__context__
    return error


def _too_slow(seconds: float) -> str:
    return f"a move took {seconds:.1f} s: over its limit and over its bank"


def _not_a_column(action: object) -> str:
    """What an agent has returned instead of a column."""
    try:
        shown = " ".join(reprlib.repr(action).split())[:LONGEST_TEXT]
    except Exception:
        shown = "something"
    return f"returned {shown} ({type(action).__name__}) instead of a plain int of at least 0"
