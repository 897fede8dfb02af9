"""Starters of players' processes: a fork server on systems that fork, elsewhere fresh processes.

Both are told a player's job on standard input, which is then the player's own, as standard output
and standard error are.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import IO

from submission.sandbox.interpreter import APART, child_environment
from submission.sandbox.messages import LINE_BYTES, Message, encoded
from submission.sandbox.processes import MARK

FORKS = hasattr(os, "fork") and sys.platform != "darwin"
"""Whether processes are forked here; on macOS its own libraries may fail in those that are."""


@dataclass(frozen=True, slots=True)
class Starter:
    """The job of a starter; JSON-able through `dataclasses.asdict`."""

    command: tuple[str, ...]
    """Starts a process that is told a player's job on standard input."""
    forks: bool
    """Whether it forks a player for each job; else it becomes the player."""


class StarterProcess:
    """A running starter; the news of it come in threads, which works on every system.

    Args:
        starter: how to start it.
        folder: its home.
        mark: what the environment of all that comes from it is marked with.
        hear_message: told what is written to standard output; of nothing when that is closed.
        hear_stderr: told the same of standard error.
        hear_exit: told the exit status, or minus the number of a signal.
    """

    def __init__(
        self,
        starter: Starter,
        folder: Path,
        mark: str,
        *,
        hear_message: Callable[["StarterProcess", bytes], None],
        hear_stderr: Callable[["StarterProcess", bytes], None],
        hear_exit: Callable[["StarterProcess", int], None],
    ) -> None:
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
        _read_in_thread(self._process.stdout, lambda chunk: hear_message(self, chunk))
        _read_in_thread(self._process.stderr, lambda chunk: hear_stderr(self, chunk))
        Thread(target=lambda: hear_exit(self, self._process.wait()), daemon=True).start()

    @property
    def is_running(self) -> bool:
        """Whether it can be told something."""
        return self._process.poll() is None

    def tell(self, message: Message) -> None:
        """Write to it, or to the player; one that is gone hears nothing."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.write(encoded(message))

    def end(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.wait()


def read_in_thread(file: int, hear: Callable[[bytes], None]) -> None:
    """Have a thread tell what can be read from an open file, and of nothing at its end."""

    def read() -> None:
        chunk = b"\n"
        while chunk:
            chunk = os.read(file, LINE_BYTES)
            hear(chunk)

    Thread(target=read, daemon=True).start()


def _read_in_thread(pipe: IO[bytes] | None, hear: Callable[[bytes], None]) -> None:
    if pipe is not None:
        read_in_thread(pipe.fileno(), hear)
