"""The interpreter for strangers' code: found, probed, and started for one player or many.

Starters are fork servers on systems that fork, elsewhere fresh processes. Both read a player's job
from standard input, which then belongs to the player, as do standard output and standard error.
"""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import Queue
from threading import Thread
from types import ModuleType
from typing import Any, NamedTuple

from submission.kaggle import INSTALLATION
from submission.sandbox.messages import LINE_BYTES, Message, encoded

PROJECT = Path(__file__).resolve().parents[2]  # the folder in which this project's packages lie

KEPT_VARIABLES = (
    *("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TZ"),
    # Without the first of Windows' own, Python does not even start there.
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "PROCESSOR_ARCHITECTURE"),
    "NUMBER_OF_PROCESSORS",
)

HOME_VARIABLES = (
    *("HOME", "TMPDIR"),
    *(("USERPROFILE", "TEMP", "TMP") if sys.platform == "win32" else ()),
)
"""They name a process's home and its temporary folder."""

MARK = "CONNECTX_SANDBOX"
"""Environment variable that marks the processes of a sandbox, even without its supervisor."""

APART = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""`creationflags` that keep Ctrl-C from a process on Windows, as a session of its own elsewhere."""

OLDEST_PYTHON = (3, 11)

PYTHON_OF_ENVIRONMENT = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"

ADVICE = "name a Python of 3.11 or newer, or the folder of a virtual environment"

PROBE = """
import sys
print("Python %d %d" % sys.version_info[:2])
from importlib.util import find_spec
print(find_spec("kaggle_environments") is not None)
"""
"""Prints an interpreter's version and packages; the first lines run on every Python."""

PROBE_SECONDS = 30


def child_command(module: str, python: Path | None, *packages: ModuleType) -> list[str]:
    """The command that runs `main()` of a module of this project; arguments may follow.

    The current folder and the user's own packages are not on the child's search path. The project
    is on it until the module hides it (see `hide_project`). Another interpreter has its own
    packages, and finds the given ones where this process has found them.
    """
    program = f"import sys; sys.path.insert(0, {str(PROJECT)!r}); "
    for package in packages:
        site = str(Path(str(package.__file__)).parents[1])
        program += f"{site!r} in sys.path or sys.path.append({site!r}); "
    program += f"from {module} import main; main()"
    return [str(python or sys.executable), "-s", "-P", "-c", program]


def child_environment(folder: Path) -> dict[str, str]:
    """The variables of a child with this home: few, and the same hashes of strings in each process.

    Python reads files as UTF-8, as on Kaggle's machine, whatever the system's encoding; and pip
    installs nothing from the network.
    """
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    homes = dict.fromkeys(HOME_VARIABLES, str(folder))
    return {**kept, **homes, "PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "PIP_NO_INDEX": "1"}


def find_python(path: Path) -> Path:
    """Find another interpreter that can play Kaggle's games.

    Args:
        path: an interpreter, a command that starts one, or the folder of a virtual environment.

    Returns:
        Its absolute path, with its links: a virtual environment is known by its own.

    Raises:
        FileNotFoundError: there is nothing of that name.
        ValueError: it is not Python 3.11 or newer, or lacks kaggle_environments.
    """
    named = path / PYTHON_OF_ENVIRONMENT if path.is_dir() else path
    found = named if named.exists() else shutil.which(named)
    if found is None:
        raise FileNotFoundError(f"there is no Python at {path}: {ADVICE}")
    python = Path(found).absolute()
    version, has_kaggle = _probe(python)
    if version < OLDEST_PYTHON:
        raise ValueError(f"{path} is Python {version[0]}.{version[1]}: {ADVICE}")
    if not has_kaggle:
        raise ValueError(
            f"{path} has no kaggle_environments: {INSTALLATION.format(pip=f'{python} -m pip')}, "
            "or run `make kaggle-image` for an environment with Kaggle's versions"
        )
    return python


def _probe(python: Path) -> tuple[tuple[int, int], bool]:
    """The version of an interpreter, and whether it has kaggle_environments."""
    try:
        answer = subprocess.run(  # noqa: S603
            [str(python), "-E", "-s", "-c", PROBE],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            text=True,
            errors="replace",
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ValueError(f"{python} does not run ({error}): {ADVICE}") from error
    match answer.stdout.split():
        case ["Python", major, minor, *found]:
            return (int(major), int(minor)), found == ["True"]
        case _:
            said = answer.stderr.strip().partition("\n")[0]
            raise ValueError(f"{python} is no Python ({said or 'it said nothing'}): {ADVICE}")


FORKS = hasattr(os, "fork") and sys.platform != "darwin"
"""Whether processes are forked here; macOS' own libraries may fail in a fork."""


@dataclass(frozen=True, slots=True)
class Starter:
    """How players' processes are started; JSON-able through `dataclasses.asdict`."""

    command: tuple[str, ...]  # starts a process that is told a player's job on standard input
    forks: bool  # whether it forks a player for each job; else it becomes the player


class News(NamedTuple):
    """A thread's report to the waiting thread."""

    kind: str  # `command`, `message`, `stderr` or `exit`
    content: Any
    """Bytes, none at the end of the pipe; for an exit the status, or minus a signal's number."""
    source: "StarterProcess | None" = None


class StarterProcess:
    """A running starter, whose output is read by threads, which works on every system.

    The folder is its home. The mark is in the environment of it and of all processes that come from
    it. Its output, that of its players, and its end are news.
    """

    def __init__(self, starter: Starter, folder: Path, mark: str, news: Queue[News]) -> None:
        self.forks = starter.forks
        self._process = subprocess.Popen(  # noqa: S603
            starter.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=folder,
            env={**child_environment(folder), MARK: mark},
            start_new_session=True,
            creationflags=APART,
        )
        self.process_id = self._process.pid
        self._requests: Any = self._process.stdin
        pipe: Any
        for pipe, kind in ((self._process.stdout, "message"), (self._process.stderr, "stderr")):
            read_in_thread(partial(pipe.read, LINE_BYTES), kind, news, self)
        Thread(
            target=lambda: news.put(News("exit", self._process.wait(), self)), daemon=True
        ).start()

    @property
    def is_running(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def tell(self, message: Message) -> None:
        """Write to it or to the player; nothing happens if it has gone."""
        with contextlib.suppress(OSError):
            self._requests.write(encoded(message))

    def end(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.wait()


def read_in_thread(
    read: Callable[[], bytes], kind: str, news: Queue[News], source: StarterProcess | None = None
) -> None:
    """Start a thread that reports what is read, piece by piece, and b"" at the end."""

    def report() -> None:
        content = b"\n"
        while content:
            content = read()
            news.put(News(kind, content, source))

    Thread(target=report, daemon=True).start()
