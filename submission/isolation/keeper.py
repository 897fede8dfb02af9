"""Watches over players' processes, one after the other, and ends all that came of them."""

import contextlib
import os
import selectors
import shutil
import signal
import socket

from submission.isolation.child_exits import ChildExits
from submission.isolation.descendants import adopt_orphans, count_descendants, end_descendants
from submission.isolation.forking import fork
from submission.isolation.messages import Message, receive_message, send_message
from submission.isolation.player_job import CHANNEL_LOST, HUNG_UP, PlayerJob
from submission.isolation.player_process import run_player

MOST_PROCESSES = 256
"""A player that has more at a time is ended."""

GLANCE_SECONDS = 0.2
"""How long to wait for news before counting a player's processes again."""

PIPE_BYTES = 2**16

TAIL_BYTES = 2**14
"""How much of what a player last wrote to standard error is kept."""


def run_keeper(line: socket.socket) -> None:
    """Keep players until the other end of the line is closed.

    A message with a file, the player's end of a channel, is the job of a new player. Any other
    message ends the present player, if there is one. Each player's end is reported once, when
    nothing of it is left.

    Args:
        line: its other end is the evaluating process's.
    """
    adopt_orphans()
    exits = ChildExits()
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            message, files = receive_message(line)
            for file in files:
                with socket.socket(fileno=file) as channel:
                    keeper = Keeper(PlayerJob(**message), channel, line, exits)
                send_message(line, keeper.keep())


class Keeper:
    """The parent of a player's process, which it starts.

    Args:
        job: what the player is told.
        channel: where the player is asked for moves.
        line: readable when the player is to be ended.
        exits: readable when it has ended.
    """

    def __init__(
        self, job: PlayerJob, channel: socket.socket, line: socket.socket, exits: ChildExits
    ) -> None:
        self._home = job.home
        self._line = line
        self._exits = exits
        self._errors, errors = os.pipe()
        self._stderr = b""
        self._player = fork(lambda: self._become_player(job, channel, errors))
        os.close(errors)
        os.set_blocking(self._errors, False)

    def keep(self) -> Message:
        """Wait for the end of the player, or bring it about.

        Returns:
            `cause`, why it ended, in one plain line, or None for a player that was told to end;
            and `stderr`, what it last wrote there.
        """
        with selectors.DefaultSelector() as selector:
            for news in (self._line, self._errors, self._exits.news):
                selector.register(news, selectors.EVENT_READ)
            cause = self._follow(selector)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._player, signal.SIGKILL)
        end_descendants()
        self._hear()
        os.close(self._errors)
        shutil.rmtree(self._home, ignore_errors=True)
        return {"cause": cause, "stderr": self._stderr.decode(errors="replace")}

    def _become_player(self, job: PlayerJob, channel: socket.socket, errors: int) -> None:
        self._exits.close()
        run_player(job, channel, errors)

    def _follow(self, selector: selectors.BaseSelector) -> str | None:
        """Why the player is at its end; see `keep`."""
        while (exit_code := self._reap()) is None:
            for key, _ in selector.select(GLANCE_SECONDS):
                if key.fileobj is self._line:
                    return None
                if key.fileobj is self._exits.news:
                    self._exits.clear()
                elif not self._hear():
                    selector.unregister(self._errors)
            if count_descendants() > MOST_PROCESSES:
                return f"started more than {MOST_PROCESSES} processes"
        return _cause_of_exit(exit_code)

    def _hear(self) -> bool:
        """Take in what a pipe holds of standard error; False when no more can come."""
        try:
            chunk = os.read(self._errors, PIPE_BYTES)
        except BlockingIOError:
            return True
        self._stderr = (self._stderr + chunk)[-TAIL_BYTES:]
        return bool(chunk)

    def _reap(self) -> int | None:
        """Take note of the children that have ended, adopted ones too."""
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
                if ended[0] == self._player:
                    return os.waitstatus_to_exitcode(ended[1])
        return None


def _cause_of_exit(exit_code: int) -> str:
    """How a player's process ended, in plain words.

    Args:
        exit_code: its exit status, or minus the number of the signal that ended it.
    """
    if exit_code == CHANNEL_LOST:
        return HUNG_UP
    if exit_code >= 0:
        return f"ended its process with exit status {exit_code}"
    number = -exit_code
    cause = f"its process was ended by signal {number} ({signal.strsignal(number)})"
    return f"{cause}, perhaps for want of memory" if number == signal.SIGKILL else cause
