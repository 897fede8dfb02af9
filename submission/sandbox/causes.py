"""The mistakes of submissions, explained in plain words."""

import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, NamedTuple

from submission.sandbox.inside.kaggle_agent import SUBMISSION
from submission.sandbox.inside.kaggle_folder import KAGGLE_FOLDER
from submission.sandbox.inside.network_guard import REACHED_FOR

NO_CALLABLE = "there is no callable in the file"  # the cause where Kaggle's loader finds no agent

PACK_THE_DATA = "put the data into the file itself, or pack a .tar.gz with main.py at its top"
READ_THE_DATA = (
    "put the data into the file itself, or read it from "
    f"{KAGGLE_FOLDER}, where Kaggle unpacks a .tar.gz"
)

UNREACHED = re.compile(
    "name resolution|Name or service not known|nodename nor servname|getaddrinfo failed"
    "|resolve host|Network is unreachable"
)
"""The messages of systems and libraries on a machine without a network."""

BYTE_ORDER_MARK = "U+FEFF"

MAGIC = re.compile(r"line \d+: [%!]")
"""A line of a syntax error that is a command of notebooks, such as `%%writefile`."""

NO_PACKAGE = re.compile("'__name__' not in globals|relative import with no known parent package")
"""Python's messages about a relative import outside a package: in text, and in a module."""

UNPICKLED = re.compile(
    "attribute lookup .* failed|not (found|the same object) as|Can't get attribute"
)
"""Python's messages about a class or a function that pickle does not find in its module."""

NO_MODULE_TO_PICKLE = (
    "Kaggle executes the file's text, which is no module, so pickle does not find the functions "
    "and classes in it"
)
DO_NOT_PICKLE = (
    "pickle only plain data, such as lists and arrays, and start threads instead of processes"
)

CRASHES = ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE")
"""Signals by which the system ends a process that has crashed."""

FIRST_EXCEPTION = 0xC0000000  # on Windows, exit statuses from here on mean a crash


class Cause(NamedTuple):
    """A mistake, worded as the end of a sentence, and how to fix it."""

    text: str
    mend: str


CLOSED_CHANNEL = Cause(
    "file descriptors that are not the submission's own were closed",
    "close only what the submission has opened itself",
)
"""The submission has closed the connection over which it is asked for moves."""

ENDED_SUPERVISOR = Cause(
    "the process that watches over the submission was ended",
    "end only the processes that the submission has started",
)
"""The submission has ended its parent process or a further ancestor."""

FORGERY = Cause("it sent messages of its own instead of returning a column", "return a column")
"""The submission has written messages of its own to the connection for its moves."""


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception, as reported by the process that raised it."""

    type: str
    message: str  # its first line
    module: str | None  # the module that was not found, for a ModuleNotFoundError
    lines: tuple[str, ...]  # the lines of its traceback that lie in the submission
    python: str  # version of the Python that ran it


def of_exception(error: Raised, memory: int | None, hidden: Sequence[str] = ()) -> Cause:
    """The cause of an exception.

    `memory` is the limit in bytes, None where there is none; `of_hidden` explains `hidden`.
    """
    if attempt := _attempt(error, hidden):
        return of_hidden(attempt)
    match error.type:
        case "SyntaxError" if BYTE_ORDER_MARK in error.message:
            return Cause(
                "the file has a byte order mark (U+FEFF), which Python skips but Kaggle, which "
                "executes the file's text, does not",
                "save the file as UTF-8 without a byte order mark (BOM)",
            )
        case "SyntaxError" if any(map(MAGIC.match, error.lines)):
            return Cause(
                "a line that begins with % or ! is a command of notebooks, which is not Python",
                "leave it out",
            )
        case "SyntaxError" | "IndentationError" | "TabError":
            return Cause(
                f"a syntax error: {error.message} (read with Python {error.python})",
                "correct the line, and run the file with Python before it is checked; or choose a "
                "newer Python by --python if the line needs one",
            )
        case "PicklingError" | "AttributeError" if UNPICKLED.search(error.message):
            return Cause(f"{error.type}: {error.message}: {NO_MODULE_TO_PICKLE}", DO_NOT_PICKLE)
        case "NameError" if "__file__" in error.message:
            return Cause(
                "`__file__` is used, which does not exist: Kaggle executes the file's text",
                READ_THE_DATA,
            )
        case "KeyError" | "ImportError" if NO_PACKAGE.search(error.message):
            return Cause(
                "a relative import, as in `from . import helper`, where there is no package: "
                "Kaggle executes the text of one file, and the files beside it are plain modules",
                "write `import helper`, and pack helper.py into a .tar.gz with main.py at its top; "
                "or put its code into the file",
            )
        case "IndexError" if not error.lines and "list index" in error.message:
            return Cause(NO_CALLABLE, "define `def agent(observation, configuration)` in it")
        case "TypeError" if not error.lines and "positional argument" in error.message:
            return Cause(
                f"the agent cannot be called as Kaggle does: {error.message}",
                "give it the arguments (observation, configuration)",
            )
        case "TypeError" if not error.lines and "cannot pickle" in error.message:
            return Cause(
                "the agent returned an object that Kaggle cannot copy, such as those of `async "
                f"def` and `yield`: {error.message}",
                "write a plain function that returns int(column)",
            )
        case "ValueError" if not error.lines and "closed file" in error.message:
            return Cause(
                "standard output or standard error, which Kaggle reads, was closed",
                "leave sys.stdout and sys.stderr open",
            )
        case "FileNotFoundError":
            return _missing_file(error.message, hidden)
        case "MemoryError":
            limit = f"the {_gigabytes(memory)} of memory that it may use" if memory else "memory"
            return Cause(f"it ran out of {limit}", "keep less in memory")
        case "RecursionError":
            return Cause(
                f"a function calls itself without end: {error.message}",
                "limit the depth of the recursion",
            )
        case "SystemExit":
            return Cause(
                "Python was ended by sys.exit, exit or quit",
                "return from the agent instead",
            )
        case "KeyboardInterrupt":
            return Cause("KeyboardInterrupt was raised", "do not raise KeyboardInterrupt")
        case _:
            return Cause(
                f"{error.type}: {error.message}" if error.message else error.type,
                "correct the line where the exception comes from",
            )


def of_hidden(asked: str) -> Cause:
    """Why a submission did not get what it `asked` for.

    `asked` is a path that Kaggle's machine does not have; or, after REACHED_FOR, the host or the
    command that needed the network, empty if it is not known.
    """
    if asked.startswith(REACHED_FOR):
        what = asked.removeprefix(REACHED_FOR)
        return Cause(
            f"it tries to use the network{f' ({what})' if what else ''}, but Kaggle's machines "
            "have none, as far as is known",
            PACK_THE_DATA,
        )
    return Cause(f"it asks for {asked}, which is not on Kaggle's machine", PACK_THE_DATA)


def _attempt(error: Raised, hidden: Sequence[str]) -> str | None:
    """The failed attempt to reach the network that caused an exception, if there is one."""
    attempts = [asked for asked in hidden if asked.startswith(REACHED_FOR)]
    named = [asked for asked in attempts if asked.removeprefix(REACHED_FOR) in error.message]
    is_failed_command = bool(attempts) and error.type == "CalledProcessError"
    if named or is_failed_command or UNREACHED.search(error.message):
        return [*named, *reversed(attempts), REACHED_FOR][0]
    return None


def _missing_file(message: str, hidden: Sequence[str]) -> Cause:
    for asked in hidden:
        if not asked.startswith(REACHED_FOR) and PurePath(asked).name in message:
            return of_hidden(asked)
    if KAGGLE_FOLDER in message:
        return Cause(
            "a file is read that is not part of the submission, which Kaggle unpacks into "
            f"{KAGGLE_FOLDER}: {message}",
            PACK_THE_DATA,
        )
    return Cause(
        f"a file is missing: {message}; Kaggle runs the submission alone, and not in its own "
        "folder",
        READ_THE_DATA,
    )


def of_death(exit_code: int, memory: int | None) -> Cause:
    """Why a process ended without a report; the code is a status, or minus a signal's number."""
    if crash := _crash(exit_code):
        return Cause(
            f"the interpreter crashed ({crash}), as it does in native "
            "code, when memory runs out, or under a raised recursion limit",
            "find the call where it crashes",
        )
    if exit_code >= 0:
        return Cause(
            f"the process ended itself with exit status {exit_code}, as os._exit does",
            "return from the agent instead",
        )
    number = -exit_code
    if number == 9:
        limit = f" (it may use {_gigabytes(memory)})" if memory else ""
        return Cause(
            f"the process was killed, most likely because the machine ran out of memory{limit}",
            "keep less in memory",
        )
    return Cause(
        f"the process was ended by signal {number} ({signal.strsignal(number)})",
        "do not send signals to the process",
    )


def _crash(exit_code: int) -> str | None:
    if exit_code >= FIRST_EXCEPTION:
        return f"0x{exit_code:X}"
    if -exit_code in {getattr(signal, crash, None) for crash in CRASHES}:
        return signal.strsignal(-exit_code)
    return None


def of_many_processes(most: int) -> Cause:
    """The submission was ended because it had started too many processes."""
    return Cause(f"more than {most} processes were started", "start fewer processes")


def of_silence(seconds: float, place: str | None) -> Cause:
    """The submission was ended because no answer came; `place` is where it was, if known."""
    where = f" (it was at {place})" if place else ""
    return Cause(
        f"it had not finished after {seconds:.1f} s{where}",
        "end each move within actTimeout, and look for loops that do not end",
    )


def of_long_game(seconds: float) -> Cause:
    """A whole game took too long."""
    return Cause(f"the whole game took longer than {seconds:g} s", "take less time for each move")


def of_late_move(seconds: float, limit: float) -> Cause:
    """A move took longer than its limit and the bank allow."""
    return Cause(
        f"a move took {seconds:.1f} s: over {limit:g} s and over its bank",
        "plan the time of a move from actTimeout, with a margin",
    )


def of_returned(returned: str, action: str, configuration: Mapping[str, Any]) -> Cause:
    """Why a referee rejects what the agent returned.

    Args:
        returned: name of the value's type, or SUBMISSION for OpenSpiel's dict with a plain int.
        action: the value, or that number, as a short text.
        configuration: the rules, as given to the player.
    """
    parameters = configuration.get("openSpielGameParameters")
    if parameters is None:
        return _of_column(returned, action, configuration["columns"])
    columns = parameters.get("columns")
    place, used_up, number = (
        ("cell", "taken", 9) if columns is None else ("column", "full", columns)
    )
    if returned == SUBMISSION:
        return Cause(
            _misplaced(place, used_up, number, action),
            "choose among the places that the board of observation.observationString shows as free",
        )
    what = action if returned == "NoneType" else f"{action}, of type {returned}"
    return Cause(
        f"the agent returned {what}, but OpenSpiel's environments take only "
        f"{{'submission': {place}}}, with a plain int",
        f'return {{"submission": int({place})}}',
    )


def _of_column(returned: str, action: str, columns: int) -> Cause:
    if returned == "NoneType":
        return Cause(
            "the agent returned None, which Kaggle plays as column 0, and that column is full",
            "return a column on every path through the function",
        )
    if returned != "int":
        return Cause(
            f"the agent returned {action}, of type {returned}, but Kaggle takes only a plain int",
            "return int(column)",
        )
    is_full = action in map(str, range(columns))
    return Cause(
        _misplaced("column", "full", columns, action),
        "choose among the columns whose top cell, board[column], is 0"
        if is_full
        else "choose a column from range(configuration.columns)",
    )


def _misplaced(place: str, used_up: str, number: int, action: str) -> str:
    if action in map(str, range(number)):
        return f"the agent returned {place} {action}, which is {used_up}"
    return (
        f"the agent returned {place} {action}, which does not exist: "
        f"{place}s run from 0 to {number - 1}"
    )


def _gigabytes(size: int) -> str:
    return f"{size / 2**30:.3g} GiB"
