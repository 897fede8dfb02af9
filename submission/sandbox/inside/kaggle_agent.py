"""Asks an agent for moves with Kaggle's own code, and judges its answers as Kaggle does.

It runs in the agent's process, which has only the standard library and kaggle_environments.
"""

import builtins
import operator
import os
import platform
import re
import reprlib
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from types import CodeType, SimpleNamespace
from typing import Any

from submission.kaggle import kaggle_environments
from submission.sandbox.inside.kaggle_folder import KAGGLE_FOLDER

SUBMISSION = "submission"  # stands for the type of an action in OpenSpiel's form

FRAMES = 5  # the last lines of a traceback to report

LONGEST_TEXT = 1000

STDERR_TAIL = 4000
"""How many of a move's last written characters to keep: in JSON each takes up to 6 bytes, and a
message has at most `player_process.LINE_BYTES`."""

ADDRESS = re.compile(r" at 0x[0-9a-f]+", re.IGNORECASE)
"""An address in memory, which would make the same mistake look different in each process."""

Report = dict[str, Any]  # the content of a message in `messages`

SHORT = reprlib.Repr()
SHORT.maxother = 60  # does not cut an address at the end


class KaggleAgent:
    """Kaggle's wrapper around an agent: loads it at the first move, times it, catches its output.

    Like `env.run` it takes the path of a file, or a function.
    """

    def __init__(self, raw: object) -> None:
        kaggle = kaggle_environments()
        surroundings = SimpleNamespace(configuration={}, debug=False, name="connectx", agents={})
        self._folder = Path(raw).parent if isinstance(raw, str) else None
        self._agent: Any = kaggle.Agent(raw, surroundings)
        self._structify = kaggle.utils.structify
        self._process_schema = kaggle.utils.process_schema
        self._deadline_exceeded = kaggle.errors.DeadlineExceeded
        self._action_schema = kaggle.environments["connectx"]["specification"]["action"]

    def act(
        self,
        observation: Mapping[str, Any],
        configuration: Mapping[str, Any],
        passing: tuple[type[BaseException], ...] = (),
    ) -> Report:
        """Ask for a move; return the JSON-able answer that `move.read_answer` takes.

        An exception that would crash Kaggle's runner is an answer, too, unless it is one of
        `passing`, which are raised.
        """
        begin = perf_counter()
        try:
            self._agent.configuration = self._structify(configuration)
            action, log = self._agent.act(self._structify(observation))
            told = {"seconds": float(log["duration"]), "stderr": log["stderr"][-STDERR_TAIL:]}
            return {**told, **self._taken(action, observation, configuration)}
        except passing:
            raise
        except BaseException as error:
            return {"seconds": perf_counter() - begin, "stderr": "", **self._raised(error)}

    def _raised(self, error: BaseException) -> Report:
        return _verdict("ERROR", error=describe_error(error, self._folder))

    def _taken(
        self, action: Any, observation: Mapping[str, Any], configuration: Mapping[str, Any]
    ) -> Report:
        """The part of an answer that says how Kaggle's environment takes an action."""
        if isinstance(action, self._deadline_exceeded):
            return _verdict("TIMEOUT")
        if isinstance(action, BaseException):
            return self._raised(action)
        if "openSpielGameName" in configuration:
            return _submitted(action, observation)
        return self._dropped(action, observation["board"][: configuration["columns"]])

    def _dropped(self, action: Any, top_row: Sequence[int]) -> Report:
        """The same for an action in ConnectX."""
        if type(action) is int and 0 <= action < len(top_row) and top_row[action] == 0:
            return _verdict(column=action, returned=("int", str(action)))
        returned = (type_name(action), shown(action))
        error, column = self._process_schema(self._action_schema, action)
        if not error and isinstance(column, float) and column < len(top_row):
            # It passes Kaggle's check and then crashes its runner.
            return _verdict("ERROR", returned=returned)
        if not error and column >= len(top_row):
            str(column)  # as in Kaggle's runner, which crashes at thousands of digits
        if error or column >= len(top_row) or top_row[column] != 0:
            return _verdict("INVALID", returned=returned)
        return _verdict(column=int(column), returned=returned)


AGENT_ERROR = -2  # the submission by which an agent reports a failure to OpenSpiel's environments


def _submitted(action: Any, observation: Mapping[str, Any]) -> Report:
    """The same for an action in OpenSpiel's environments, in their strict mode."""
    returned = (type_name(action), shown(action))
    if "observationString" not in observation:  # the game is set up, and any answer will do
        return _verdict(column=-1, returned=returned)
    if not isinstance(action, dict) or set(action) != {"submission"}:
        return _verdict("INVALID", returned=returned)
    number = action["submission"]
    if type(number) is int:
        returned = (SUBMISSION, shown(number))
    if number not in observation["legalActions"]:
        return _verdict("ERROR" if number == AGENT_ERROR else "INVALID", returned=returned)
    try:
        return _verdict(column=operator.index(number), returned=returned)
    except TypeError:  # such as 3.0, which crashes Kaggle's runner
        return _verdict("ERROR", returned=returned)


def _verdict(
    status: str | None = None,
    *,
    column: int | None = None,
    returned: tuple[str, str] | None = None,
    error: Report | None = None,
) -> Report:
    return {"status": status, "column": column, "returned": returned, "error": error}


def shown(value: object) -> str:
    """A short text for any value, even if its `repr` fails."""
    try:
        return ADDRESS.sub("", " ".join(SHORT.repr(value).split()))[:LONGEST_TEXT]
    except Exception:
        return f"<{type(value).__name__}>"


def type_name(value: object) -> str:
    """The name of a value's type, with its module unless that is `builtins`."""
    kind = type(value)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"{module}{kind.__qualname__}"


def describe_error(error: BaseException, folder: Path | None) -> Report:
    """An exception as a `causes.Raised`, with the traceback's lines in this folder."""
    cause = error
    if type(error).__name__ == "InvalidArgument" and error.__context__ is not None:
        # Kaggle's loader wraps any exception of the file.
        cause = error.__context__
    try:
        line = str(cause).strip().partition("\n")[0]
        message = ADDRESS.sub("", _without_home(line, folder))[:LONGEST_TEXT]
    except Exception:
        message = ""
    return {
        "type": type(cause).__name__,
        "message": message,
        "module": cause.name if isinstance(cause, ModuleNotFoundError) else None,
        "lines": _syntax_lines(cause) or _traceback_lines(cause, folder),
        "python": platform.python_version(),
    }


def _without_home(message: str, folder: Path | None) -> str:
    """The message without the player's own folder, which has a new name in each game.

    The submission's folder is replaced by Kaggle's name for it.
    """
    if folder is None:
        return message
    home = f"{folder.parent}{os.sep}"
    for own, name in ((str(folder), KAGGLE_FOLDER), (home, "")):
        message = message.replace(repr(own)[1:-1], name).replace(own, name)
    return message


def _syntax_lines(error: BaseException) -> list[str]:
    """The line of a syntax error; empty for other errors, and if the line is unknown."""
    if not isinstance(error, SyntaxError) or error.lineno is None:
        return []
    return [f"line {error.lineno}: {(error.text or '').strip()[:LONGEST_TEXT]}"]


def _traceback_lines(error: BaseException, folder: Path | None) -> list[str]:
    """The last frames of a traceback that lie in the folder, the outermost first."""
    if folder is None:
        return []
    stack = traceback.walk_tb(error.__traceback__)
    frames = traceback.StackSummary.extract(stack, lookup_lines=False)
    own = [(file, frame) for frame in frames if (file := _inner(frame.filename, folder))]
    return [
        f"{file}, line {frame.lineno}, in {frame.name}: {(frame.line or '')[:LONGEST_TEXT]}"
        for file, frame in own[-FRAMES:]
    ]


def _inner(filename: str, folder: Path) -> Path | None:
    """The path within the submission's folder, by its own name or Kaggle's; None outside."""
    for own in (folder, Path(KAGGLE_FOLDER)):
        if Path(filename).is_relative_to(own):
            return Path(filename).relative_to(own)
    return None


def report_loading(main: Path, report: Callable[..., None]) -> None:
    """Make Kaggle's loader report how long it took and which callable it chose."""
    kaggle_agent: Any = kaggle_environments().agent
    load = kaggle_agent.get_last_callable

    def loading(raw: str, fallback: Any = None, path: str | None = None) -> Any:
        begin = perf_counter()
        chosen = load(raw, fallback, path)
        seconds = perf_counter() - begin
        report(event="loaded", seconds=seconds, choice=describe_choice(chosen, main))
        return chosen

    kaggle_agent.get_last_callable = loading


def describe_choice(chosen: Any, main: Path) -> Report:
    """Describe the callable that Kaggle takes as the agent; a partial one by its function."""
    is_partial = isinstance(chosen, partial)
    while isinstance(chosen, partial):
        chosen = chosen.func
    code = _code(chosen)
    kind = "class" if isinstance(chosen, type) else "function" if code else "object"
    return {
        "name": _name(chosen),
        "type": "partial" if is_partial else kind,
        "line": code.co_firstlineno if code else None,
        "arguments": code.co_argcount if code and not is_partial else None,
        "file": Path(code.co_filename).name if code else None,
        "is_own": _is_own(chosen, main),
    }


def _code(chosen: Any) -> CodeType | None:
    """The code of a function; None also for an object that pretends to have any attribute."""
    code = getattr(chosen, "__code__", None)
    return code if isinstance(code, CodeType) else None


def _name(chosen: Any) -> str:
    return str(getattr(chosen, "__name__", type(chosen).__name__))


def _is_own(chosen: Any, main: Path) -> bool:
    """Whether the file itself defines the chosen function, or the chosen object's class."""
    if (code := _code(chosen)) is not None:
        return code.co_filename == str(main)
    # Kaggle executes the file without a `__name__` of its own, so the module of its classes is
    # `builtins`, as otherwise only for the interpreter's own classes.
    module = getattr(chosen, "__module__", None)
    return module == "builtins" and not hasattr(builtins, _name(chosen))
