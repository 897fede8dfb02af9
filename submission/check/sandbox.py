"""A child process that is limited, listened to, and ended together with all that it started."""

import contextlib
import json
import os
import resource
import secrets
import selectors
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from submission.checking.throttle import Throttle
from submission.isolation.child_process import child_command, child_environment
from submission.isolation.keyed_lines import LINE_BYTES, KeyedLines
from submission.isolation.limits import resource_limits
from submission.isolation.messages import Message

TAIL_BYTES = 50_000
"""How much of what the child last wrote to standard error is kept: all that the moves of a game on
the competition's board may leave there."""

MARK = "CONNECTX_SANDBOX"
"""Environment variable by which processes that left the child's session are found again."""

KILL_ROUNDS = 100
"""How often to look for processes that start others faster than they are found."""


class Sandbox:
    """A module that runs in a process and a session of its own; see `child_command`.

    Its one argument is its job as JSON, with `channel`, the file descriptor to report on, and
    `key`, which every report must carry beside its `event`: whatever else the process writes there
    is passed over. Standard output is thrown away, of standard error the end is kept. Use it as a
    context manager: at the end of the block the child, its process group and the processes that
    carry its mark are killed. That contains carelessness, not malice: a process that cleared its
    environment or keeps replacing itself can escape.

    Args:
        module: name of the module.
        job: JSON-able arguments of the module.
        folder: home, temporary and working folder of the child.
        memory: limit on the child's address space in bytes; only Linux enforces it.
        speed: the share of a core that it gets after `slow_down`, with all that it starts.
        python: the interpreter, by default this one; see `child_command`.
    """

    def __init__(
        self,
        module: str,
        job: Message,
        *,
        folder: Path,
        memory: int,
        speed: float = 1,
        python: Path | None = None,
    ) -> None:
        self._key = secrets.token_hex(16)
        self._stderr = b""
        self._lines = KeyedLines(self._key)
        self._heard: list[Message] = []
        self._selector = selectors.DefaultSelector()
        self._reports, channel = os.pipe()
        self._errors, errors = os.pipe()
        try:
            self._process = subprocess.Popen(  # noqa: S603
                [
                    *child_command(module, python),
                    json.dumps({**job, "channel": channel, "key": self._key}),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                cwd=folder,
                env={**child_environment(folder), MARK: self._key},
                pass_fds=[channel],
                start_new_session=True,
            )
            self._throttle = Throttle(self._process.pid, speed) if speed < 1 else None
        except BaseException:
            self._close()
            raise
        finally:
            os.close(channel)
            os.close(errors)
        self._selector.register(self._reports, selectors.EVENT_READ, self._take_reports)
        self._selector.register(self._errors, selectors.EVENT_READ, self._take_stderr)
        _limit(self._process.pid, memory)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._throttle is not None:
            self._throttle.close()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        _kill_marked(self._key)
        self._close()

    @property
    def stderr(self) -> str:
        """The end of what the child has written to standard error."""
        return self._stderr.decode(errors="replace")

    @property
    def can_report(self) -> bool:
        """False once every process has closed its end of the report pipe."""
        return self._reports in self._selector.get_map()

    def listen(self, seconds: float) -> list[Message]:
        """The reports that have come, after waiting at most so many seconds for output."""
        for ready, _ in self._selector.select(max(0.0, seconds)):
            chunk = os.read(ready.fd, LINE_BYTES)
            if chunk:
                ready.data(chunk)
            else:
                self._selector.unregister(ready.fd)
        heard, self._heard = self._heard, []
        return heard

    def exit_code(self, *, wait: float = 0) -> int | None:
        """The exit status, or minus the number of the signal that ended the child.

        Args:
            wait: how many seconds to wait for the end.

        Returns:
            None for a child that runs on.
        """
        try:
            return self._process.wait(wait)
        except subprocess.TimeoutExpired:
            return None

    def slow_down(self) -> None:
        """From now on the child has no more than its share of a core."""
        if self._throttle is not None:
            self._throttle.begin()

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to the child alone."""
        self._process.send_signal(number)

    def _take_reports(self, chunk: bytes) -> None:
        self._heard += self._lines.take_in(chunk)

    def _take_stderr(self, chunk: bytes) -> None:
        self._stderr = (self._stderr + chunk)[-TAIL_BYTES:]

    def _close(self) -> None:
        self._selector.close()
        os.close(self._reports)
        os.close(self._errors)


def _limit(pid: int, memory: int) -> None:
    """Set the limits from outside: a hook between fork and exec is not safe beside threads."""
    if sys.platform != "linux":
        return
    for kind, limit in resource_limits(memory).items():
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(pid, kind, limit)


def _kill_marked(key: str) -> None:
    """Kill the processes that inherited the mark, and those that they start meanwhile."""
    for _ in range(KILL_ROUNDS):
        strays = list(_marked(key))
        if not strays:
            return
        for pid in strays:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _marked(key: str) -> Iterator[int]:
    mark = f"{MARK}={key}".encode()
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in environment.read_bytes().split(b"\0"):
                yield int(environment.parent.name)
