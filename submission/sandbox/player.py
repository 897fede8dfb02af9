"""A player, as seen by the process that asks for its moves."""

import contextlib
import os
import secrets
import select
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from time import monotonic, perf_counter
from typing import IO, Any, TypeVar

import msgspec
import psutil
from msgspec.json import Decoder

from submission.sandbox import causes, messages
from submission.sandbox.folders import remove_folder
from submission.sandbox.inside.containment import LINUX, link_player
from submission.sandbox.inside.player_process import LINE_BYTES, PlayerJob
from submission.sandbox.interpreter import APART, child_command
from submission.sandbox.messages import Begun, Hidden, Loaded, Moved, Ready
from submission.sandbox.move import GRACE, Failure, Move, failure, read_answer
from submission.sandbox.processes import end_marked, is_stopped
from submission.sandbox.staging import lay_out
from submission.terminal import plain_text

T = TypeVar("T")

GONE = (EOFError, OSError, ValueError)
"""Raised by communication with a supervisor that has ended, or was closed by another thread."""

REPORT_SECONDS = 120.0  # how long a supervisor may take, apart from waiting for an answer

GLANCE_SECONDS = 0.5
"""Seconds between checks of a silent supervisor. If two in a row find it stopped, it is given up:
only a player can have stopped it, since it has its own session, without a terminal's signals."""

MOST_REPORT_BYTES = 2**24  # a longer line from a supervisor is no report


class SupervisorProcess:
    """A running supervisor, which keeps one player at a time.

    The command starts the process that players come from; see `supervisor.Supervisor`.

    Raises:
        ChildProcessError: it does not start.
    """

    def __init__(self, command: tuple[str, ...]) -> None:
        self.command = command
        self.temporary = tempfile.gettempdir()  # where it makes its folder
        self._mark = secrets.token_hex(16)
        supervisor = child_command("submission.sandbox.supervisor", None, psutil, msgspec)
        self._process = subprocess.Popen(  # noqa: S603
            [*supervisor, self._mark, self.temporary, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for this process alone
            creationflags=APART,
        )
        self._commands: Any = self._process.stdin
        self._reports: Any = self._process.stdout
        self.folder: Path | None = None  # of its players, and removed when it ends
        self._unread = b""
        try:
            self.folder = self._first_report()
        except BaseException:
            self.close()
            raise

    def _first_report(self) -> Path:
        said = "it printed nothing"
        with contextlib.suppress(*GONE):
            report = self.hear(messages.FOLDER)
            if isinstance(report, Begun):
                return Path(report.folder)
            said = report.last_words
        raise ChildProcessError(f"the process that watches over players did not start: {said}")

    @property
    def is_alive(self) -> bool:
        """Whether it can still start players."""
        return self._process.poll() is None and not is_stopped(self._process.pid)

    def say(self, message: object) -> None:
        """Send a message; OSError or ValueError if the supervisor has ended or was closed."""
        os.write(self._commands.fileno(), messages.encoded(message))

    def hear(self, reports: Decoder[T], seconds: float = 0.0, key: str = "") -> T:
        """Its next report of the decoder's types, due in `seconds` plus REPORT_SECONDS.

        Lines without the key are skipped: an earlier player has written them.

        Raises:
            EOFError: it has ended, or is ended here because it sends nothing or no such report.
            OSError, ValueError: it was closed.
        """
        end = monotonic() + REPORT_SECONDS + seconds
        while (line := self._next_line(end)) and key.encode() not in line:
            pass
        report = messages.decoded(line, reports)
        if report is not None:
            return report
        self._process.kill()  # it may have been stopped
        self.close()
        raise EOFError

    def _next_line(self, end: float) -> bytes:
        """The next line that it writes; a part of it, maybe empty, if the rest is not in time."""
        while b"\n" not in self._unread and len(self._unread) < MOST_REPORT_BYTES:
            if not self._awaits(partial(_is_readable, self._reports), end):
                break
            chunk = os.read(self._reports.fileno(), LINE_BYTES)
            if not chunk:
                break
            self._unread += chunk
        line, end_of_line, self._unread = self._unread.partition(b"\n")
        return line + end_of_line

    def _awaits(self, has_come: Callable[[float], bool], end: float) -> bool:
        """Wait for something until `end`; False if nothing comes or the supervisor is stopped."""
        was_stopped = False
        while not has_come(max(0.0, min(GLANCE_SECONDS, end - monotonic()))):
            now_stopped = is_stopped(self._process.pid)
            if monotonic() >= end or (was_stopped and now_stopped):
                return False
            was_stopped = now_stopped
        return True

    def hang_up(self) -> None:
        """End the supervisor with its player and its folder, without waiting for it."""
        self._commands.close()

    def close(self) -> None:
        """End the supervisor with its player and its folder; waiting threads get no report."""
        self.hang_up()
        if not self._awaits(self._ends, monotonic() + REPORT_SECONDS):
            self._process.kill()
        is_in_order = self._process.wait() == 0
        self._reports.close()
        if not is_in_order:  # it was killed
            end_marked(self._mark)
            if self.folder is not None:
                remove_folder(self.folder)

    def _ends(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def let_go(self) -> None:
        """Forget the supervisor in a forked process: it belongs to the parent."""
        self._commands.close()
        self._reports.close()
        self._process.returncode = 0  # it is no child of this process


class RunningPlayer:
    """A submission in a process of its own; for the arguments see `Launcher.start_player`.

    Nothing that the submission does raises an exception here.

    Raises:
        OSError, ValueError: the submission cannot be written, or the supervisor has ended.
    """

    def __init__(
        self, supervisor: SupervisorProcess, agent: bytes, *, seed: int, memory: int, speed: float
    ) -> None:
        self.supervisor = supervisor
        self._memory = memory if LINUX else None
        self._speed = speed
        self._failure: Failure | None = None
        self.ready: Ready | None = None  # None before the first move
        self.loaded: Loaded | None = None  # None until the file has been loaded
        self.hidden: list[str] = []
        """Paths and hosts that were hidden from it; see `causes.of_hidden`."""
        home = tempfile.mkdtemp(dir=supervisor.folder)
        job = PlayerJob(home, seed, memory, speed, key=secrets.token_hex(16))
        lay_out(agent, job.agent)
        job.working.mkdir()
        link_player(Path(home))
        self._key = job.key
        supervisor.say(messages.Start(job))

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended, or was ended, without an answer."""
        return self._failure is not None

    @property
    def is_loading(self) -> bool:
        """Whether the file is being loaded, or has failed to load."""
        return self.ready is not None and self.loaded is None

    def act(self, observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> Move:
        """Ask for a move, as `submission.arena.seats.Seat` describes it.

        Raises:
            ChildProcessError: the process fails before it runs the submission.
        """
        if self._failure is not None:
            return Move(None, 0.0, self._failure)
        limit = configuration["actTimeout"] + max(0.0, observation["remainingOverageTime"])
        request = {"observation": observation, "configuration": configuration}
        begin = perf_counter()
        try:
            seconds = limit + GRACE / self._speed
            self.supervisor.say(messages.Ask(request, seconds))
            start = self.ready or self.supervisor.hear(messages.STARTED, key=self._key).ready
            if isinstance(start, Ready):
                self.ready, report = start, self.supervisor.hear(messages.OUTCOME, seconds)
        except GONE:
            return self._fail(failure("ERROR", causes.ENDED_SUPERVISOR), 0.0)
        if isinstance(start, str):
            said = start.strip().rpartition("\n")[2] or "it printed nothing"
            raise ChildProcessError(f"the process that plays did not start: {said}")
        self._take_in(report.events)
        waited = min(report.waited, perf_counter() - begin)  # it may be forged
        if isinstance(report, Moved):
            return read_answer(report.answer, configuration, self._memory, self.hidden, waited)
        return self._fail(failure(report.status, report.cause, report.stderr), waited)

    def end(self) -> None:
        """Request the end of the process, without waiting for it."""
        with contextlib.suppress(OSError, ValueError):
            self.supervisor.say(messages.End(is_silent=True))

    def finish(self) -> str:
        """End the process and all that it has started; return the end of its standard error."""
        try:
            self.supervisor.say(messages.End(is_silent=False))
            return self.supervisor.hear(messages.ENDED).last_words
        except GONE:
            return ""

    def _take_in(self, events: list[messages.Event]) -> None:
        for event in events:
            match event:
                case Loaded():
                    self.loaded = event
                case Hidden(path):
                    self.hidden.append(plain_text(path))

    def _fail(self, reason: Failure, seconds: float) -> Move:
        self._failure = reason
        return Move(None, seconds, reason)


def _is_readable(pipe: IO[bytes], seconds: float) -> bool:
    """Wait for something to read, for at most `seconds`; where the system cannot, return True."""
    if not hasattr(select, "poll"):  # as on Windows, where a player cannot stop the supervisor
        return True
    waiting = select.poll()
    waiting.register(pipe, select.POLLIN)
    return bool(waiting.poll(1000 * seconds))
