"""A player's own process, which runs untrusted code from the first request on.

It may run in another interpreter, so it uses only the standard library and kaggle_environments. The
first line on standard input is its job; it answers each further line, and ends when the input ends.
`main` is a player that is started afresh, or the fork server, which loads the common imports once
and forks each player.
"""

import contextlib
import faulthandler
import gc
import json
import os
import random
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import Any

try:
    import resource
except ModuleNotFoundError:  # as on Windows
    resource = None  # type: ignore[assignment]

from submission.sandbox.inside.containment import LINUX, contain
from submission.sandbox.inside.file_guard import FileGuard, hide_project
from submission.sandbox.inside.kaggle_agent import LONGEST_TEXT, KaggleAgent, report_loading
from submission.sandbox.inside.kaggle_folder import MAIN

FORK = "fork"  # the argument of a process that forks players

LINE_BYTES = 2**16  # a longer line from a player's process is no message

CHANNEL_LOST = 86  # the exit status of a player that has closed the connection from inside

HOME_VARIABLES = (
    *("HOME", "TMPDIR"),
    *(("USERPROFILE", "TEMP", "TMP") if sys.platform == "win32" else ()),
)
"""The environment variables for a process's home and its temporary folder."""

FILE_BYTES = 256 * 2**20
"""The largest file that a process can write, where the system can limit that."""


@dataclass(frozen=True, slots=True)
class PlayerJob:
    """The first message to a player's process, a JSON object."""

    home: str  # a folder of this player alone, which is removed when the player has ended
    seed: int  # for this and the next two see `Launcher.start_player`
    memory: int
    speed: float
    key: str  # every message of the player begins with it; its other output is ignored

    @property
    def agent(self) -> Path:
        """The submission's folder, in which it is alone as after an upload."""
        return Path(self.home, "agent")

    @property
    def working(self) -> Path:
        """The current, home and temporary folder of the process."""
        return Path(self.home, "working")


class Responder:
    """Answers requests, a line of JSON each.

    Every message begins with the key. `requests` and `answers` are file descriptors. Functions that
    a submission may replace are bound beforehand.
    """

    def __init__(self, key: str, requests: int, answers: int) -> None:
        self._key = key
        self._requests = os.fdopen(requests, "rb")
        self._answers = answers
        self._process_id = os.getpid()
        self._process_id_now = os.getpid
        self._write = os.write
        self._exit = os._exit
        self._encode = json.JSONEncoder(skipkeys=True, ensure_ascii=False).encode
        self._decode = json.JSONDecoder().decode

    def serve(self, agent: KaggleAgent) -> None:
        """Answer until the requests end; a process that the submission has forked ends here."""
        for line in self._requests:
            request = self._decode(line.decode())
            answer = agent.act(request["observation"], request["configuration"])
            if self._process_id_now() != self._process_id:
                self._exit(0)
            # Kaggle's wrapper has captured what the move wrote.
            with contextlib.suppress(OSError):
                self._write(2, answer["stderr"][-LONGEST_TEXT:].encode(errors="replace"))
            self.send(event="answer", **answer)

    def send(self, **fields: Any) -> None:
        """Send a message, unless this is a process that the submission has forked."""
        if self._process_id_now() != self._process_id:
            return
        # The first line break ends whatever the submission may have written there.
        unwritten = f"\n{self._key}{self._encode(fields)}\n".encode(errors="replace")
        try:
            while unwritten:
                unwritten = unwritten[self._write(self._answers, unwritten) :]
        except OSError:
            self._exit(CHANNEL_LOST)


def prepare() -> list[str]:
    """Load what players need and hide the project; return the real paths of the loaded files."""
    faulthandler.enable()
    if hasattr(faulthandler, "register"):
        # Any thread may take the signal of a process that was stopped; the main one is shown last.
        faulthandler.register(signal.SIGUSR1, all_threads=True)
    files = [getattr(module, "__file__", None) for module in [*sys.modules.values()]]
    sys.argv[:] = [""]
    hide_project()
    seed_generators(0)  # to load what it needs, like the next line
    _versions()
    return [os.path.realpath(file) for file in files if file]


def read_job() -> PlayerJob | None:
    """Read the next job from standard input, without a buffer; None at its end.

    A line that is no job is a request that an earlier player has not taken.
    """
    line = b""
    while chunk := os.read(0, LINE_BYTES):
        *lines, line = (line + chunk).split(b"\n")
        for complete in lines:
            with contextlib.suppress(ValueError, TypeError, RecursionError):
                return PlayerJob(**json.loads(complete))
    return None


def play(job: PlayerJob, *, sources: Sequence[str], kept_from: Sequence[str]) -> None:
    """Become a player's process, and answer requests until they end.

    `sources` are the interpreter's files that a traceback may show; for `kept_from` see
    `containment`.
    """
    requests, answers = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0, inheritable=True)
    os.dup2(nowhere, 1, inheritable=True)
    os.close(nowhere)
    responder = Responder(job.key, requests, answers)
    main = job.agent / MAIN
    agent = KaggleAgent(str(main))
    report_loading(main, responder.send)
    os.chdir(job.working)
    os.environ.update(dict.fromkeys(HOME_VARIABLES, str(job.working)))
    tempfile.tempdir = None
    seed_generators(job.seed)
    _limit(job.memory)
    guard = FileGuard(
        [job.agent, job.working],
        sources,
        lambda path: responder.send(event="hidden", path=path),
    )
    guard.install()
    responder.send(event="ready", process_id=os.getpid(), versions=_versions(), kept_from=kept_from)
    responder.serve(agent)


def seed_generators(seed: int | None) -> None:
    """Seed the global random generators, whose state forked processes would share."""
    random.seed(seed)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(seed)


def _limit(memory: int) -> None:
    if resource is None:
        return
    limits = {resource.RLIMIT_FSIZE: FILE_BYTES, resource.RLIMIT_CORE: 0}
    if LINUX:  # macOS accepts a limit of memory and ignores it
        limits[resource.RLIMIT_AS] = memory
    for kind, wanted in limits.items():
        _, highest = resource.getrlimit(kind)
        limit = wanted if highest == resource.RLIM_INFINITY else min(wanted, highest)
        resource.setrlimit(kind, (limit, limit))
    with contextlib.suppress(OSError):  # if memory runs out, the system kills this process first
        Path("/proc/self/oom_score_adj").write_text("1000")


@cache
def _versions() -> dict[str, str | None]:
    """The versions that a submission runs with, without importing the libraries."""
    found: dict[str, str | None] = {"python": python_version(), "numba": None, "numpy": None}
    for library in ("numba", "numpy"):
        with contextlib.suppress(PackageNotFoundError):
            found[library] = version(library)
    return found


def serve_forks(play_job: Callable[[PlayerJob], None]) -> None:
    """Fork a player for each job on standard input, one after the other, and report its end."""
    gc.freeze()
    while (job := read_job()) is not None:
        _, status = os.waitpid(_fork(play_job, job), 0)
        ended = {"event": "exit", "code": os.waitstatus_to_exitcode(status)}
        os.write(1, f"\n{job.key}{json.dumps(ended)}\n".encode())


def _fork(play_job: Callable[[PlayerJob], None], job: PlayerJob) -> int:
    process_id = os.fork()
    if process_id:
        return process_id
    try:
        os.setsid()
        play_job(job)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def main() -> None:
    """Play the one job on standard input; with the argument `FORK`, be a fork server."""
    is_server = FORK in sys.argv
    kept_from = contain(Path.cwd())  # first: later there may be threads
    play_job = partial(play, sources=prepare(), kept_from=kept_from)
    if is_server:
        serve_forks(play_job)
    elif (job := read_job()) is not None:
        play_job(job)
