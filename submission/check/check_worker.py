"""Plays one game with a submission as Kaggle does, and reports what happens as it happens.

Run by `child_command` in a sandbox. Its argument is the job, a JSON object (see
`supervision.job`). Each report is a line of JSON in the pipe `channel`.
"""

import builtins
import contextlib
import faulthandler
import io
import json
import os
import platform
import random
import reprlib
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any

from submission.checking.file_guard import FileGuard
from submission.isolation.descendants import adopt_orphans
from submission.isolation.player_job import CHANNEL_LOST
from submission.isolation.project_hiding import hide_project
from submission.kaggle import kaggle_environments

FRAMES = 5
"""How many of a traceback's last lines are reported."""

LONGEST_TEXT = 1000

Player = Callable[[Any, Any], Any]


class Reporter:
    """Writes reports to the parent. It binds what it needs: a submission may replace it."""

    def __init__(self, channel: int, key: str) -> None:
        self._channel = channel
        self._key = key
        self._write = os.write
        self._encode = json.JSONEncoder(skipkeys=True).encode
        self._process_id = os.getpid()

    def __call__(self, event: str, **fields: Any) -> None:
        """Report an event, unless this is a process that the submission has forked."""
        if os.getpid() != self._process_id:
            return
        line = self._encode({"key": self._key, "event": event, **fields})
        # The first line break ends whatever the submission may have written there.
        unwritten = f"\n{line}\n".encode()
        try:
            while unwritten:
                unwritten = unwritten[self._write(self._channel, unwritten) :]
        except OSError:
            os._exit(CHANNEL_LOST)


def observed(agent: Player, seat: int, main: Path, report: Reporter) -> Player:
    """The agent that Kaggle builds from a file, with a report before and after each move.

    Args:
        agent: its first call loads the file.
        seat: 1 moves first, 2 second.
        main: path of the file.
        report: where to report.
    """

    def player(observation: Any, configuration: Any) -> Any:
        report("move", seat=seat, legal=legal_columns(observation, configuration))
        begin = perf_counter()
        try:
            action = agent(observation, configuration)
        except BaseException as error:
            report("raised", seconds=perf_counter() - begin, error=describe_error(error, main))
            raise
        finally:
            pass_on(sys.stderr)
        seconds = perf_counter() - begin
        report("moved", seconds=seconds, type=type_name(action), action=shown(action))
        return action

    return player


def legal_columns(observation: Any, configuration: Any) -> list[int]:
    """The columns whose top cell is empty."""
    return [c for c in range(configuration["columns"]) if observation["board"][c] == 0]


def pass_on(errors: Any) -> None:
    """Copy to the real standard error what Kaggle has caught of it in this move."""
    with contextlib.suppress(OSError, ValueError):
        if isinstance(errors, io.StringIO):
            os.write(2, errors.getvalue()[-LONGEST_TEXT:].encode(errors="replace"))


def shown(value: object) -> str:
    """A short text for any value, also where its own `repr` fails."""
    try:
        return reprlib.repr(value)[:LONGEST_TEXT]
    except Exception:
        return f"<{type(value).__name__}>"


def type_name(value: object) -> str:
    """Name of a value's type, with its module unless that is `builtins`."""
    kind = type(value)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"{module}{kind.__qualname__}"


def describe_error(error: BaseException, main: Path) -> dict[str, Any]:
    """Type, message and the traceback's last lines that lie in the submission's folder."""
    cause = error
    if type(error).__name__ == "InvalidArgument" and error.__context__ is not None:
        # Kaggle's loader wraps whatever went wrong in the file.
        cause = error.__context__
    try:
        message = str(cause)[:LONGEST_TEXT]
    except Exception:
        message = ""
    return {
        "type": type(cause).__name__,
        "message": message,
        "module": cause.name if isinstance(cause, ModuleNotFoundError) else None,
        "lines": syntax_lines(cause) or traceback_lines(cause, main.parent),
    }


def syntax_lines(error: BaseException) -> list[str]:
    """Where a syntax error is; nothing for other errors."""
    if not isinstance(error, SyntaxError):
        return []
    return [f"line {error.lineno}: {(error.text or '').strip()[:LONGEST_TEXT]}"]


def traceback_lines(error: BaseException, folder: Path) -> list[str]:
    """The innermost frames in files of the folder, outermost first."""
    frames = deque(
        (
            (frame, line)
            for frame, line in traceback.walk_tb(error.__traceback__)
            if Path(frame.f_code.co_filename).is_relative_to(folder)
        ),
        maxlen=FRAMES,
    )
    summary = traceback.StackSummary.extract(iter(frames))
    return [
        f"{Path(frame.filename).relative_to(folder)}, line {frame.lineno}, in {frame.name}: "
        f"{(frame.line or '')[:LONGEST_TEXT]}"
        for frame in summary
    ]


def describe_choice(chosen: Any, main: Path) -> dict[str, Any]:
    """What kind of thing Kaggle takes as the agent, and where it comes from."""
    code = getattr(chosen, "__code__", None)
    return {
        "name": name_of(chosen),
        "type": "class" if isinstance(chosen, type) else "function" if code else "object",
        "line": getattr(code, "co_firstlineno", None),
        "arguments": getattr(code, "co_argcount", None),
        "file": Path(code.co_filename).name if code else None,
        "is_own": is_own(chosen, main),
    }


def name_of(chosen: Any) -> str:
    """Its own name, or else that of its class."""
    return str(getattr(chosen, "__name__", type(chosen).__name__))


def is_own(chosen: Any, main: Path) -> bool:
    """Whether the file itself defines the chosen function, or the chosen object's class."""
    code = getattr(chosen, "__code__", None)
    if code is not None:
        return bool(code.co_filename == str(main))
    # Kaggle executes the file without a `__name__` of its own: its classes say `builtins`, as
    # only the classes of the interpreter itself do elsewhere.
    module = getattr(chosen, "__module__", None)
    return module == "builtins" and not hasattr(builtins, name_of(chosen))


def report_loading(kaggle_agent: ModuleType, main: Path, report: Reporter) -> None:
    """Have Kaggle's loader report how long it took and which callable it chose."""
    load = kaggle_agent.get_last_callable

    def loading(raw: str, fallback: Player | None = None, path: str | None = None) -> Player:
        report("loading")
        begin = perf_counter()
        chosen: Player = load(raw, fallback, path)
        seconds = perf_counter() - begin
        report("loaded", seconds=seconds, choice=describe_choice(chosen, main))
        return chosen

    kaggle_agent.get_last_callable = loading  # type: ignore[attr-defined]


def versions() -> dict[str, str | None]:
    """What a submission runs with here; nothing of it is imported, which would warm its start."""
    return {
        "python": platform.python_version(),
        "numba": version_of("numba"),
        "numpy": version_of("numpy"),
    }


def version_of(distribution: str) -> str | None:
    """The installed version of a distribution; None where there is none."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def play(job: dict[str, Any], sources: Iterable[str], report: Reporter) -> None:
    """Play the game of the job and report its end.

    Args:
        job: see `supervision.job`.
        sources: files of this project that a traceback may show.
        report: where to report.
    """
    kaggle = kaggle_environments()
    main = Path(job["main"])
    specification = kaggle.environments["connectx"]["specification"]
    specification["observation"]["remainingOverageTime"] = job["bank"]
    environment = kaggle.make("connectx", job["configuration"])
    report_loading(kaggle.agent, main, report)
    players: list[str | Player] = ["random", "random"]
    for seat in job["seats"]:
        agent, _ = kaggle.agent.build_agent(str(main), environment.agents, "connectx")
        players[seat - 1] = observed(agent, seat, main, report)
    random.seed(job["seed"])
    report("ready", versions=versions())
    guard = FileGuard([main.parent, Path.cwd()], sources, lambda path: report("hidden", path=path))
    guard.install()
    try:
        steps = environment.run(players)
    except BaseException as error:
        report("escaped", error=describe_error(error, main))
    else:
        report("ended", statuses=[state.status for state in steps[-1]])


def main() -> None:
    """Do the job of the command line."""
    job = json.loads(sys.argv[1])
    report = Reporter(job["channel"], job["key"])
    faulthandler.enable()
    # Any thread may take the signal of a process that was stopped; the main one is shown last.
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    os.set_inheritable(job["channel"], False)
    if job["is_slowed"]:
        adopt_orphans()
    files = [getattr(module, "__file__", None) for module in [*sys.modules.values()]]
    sources = [file for file in files if file]
    hide_project()
    play(job, sources, report)
