"""The evaluating process's end of a keeper."""

import selectors
import socket
from dataclasses import asdict

from submission.isolation.messages import Message, receive_message, send_message
from submission.isolation.player_job import PlayerJob

END_SECONDS = 30.0
"""How long a keeper may take to end a player and all that came of it."""


class KeeperLine:
    """A keeper, which keeps one player at a time; see `keeper.run_keeper`.

    Args:
        line: a socket to the keeper.
    """

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._line.settimeout(END_SECONDS)
        self._report: Message | None = {}
        self._is_told = True

    def fileno(self) -> int:
        """The file that is readable when the player or the keeper has ended."""
        return self._line.fileno()

    def start_player(self, job: PlayerJob, channel: socket.socket) -> None:
        """Have a player's process started; the last one has ended.

        Raises:
            OSError: the keeper has ended.
        """
        send_message(self._line, asdict(job), [channel.fileno()])
        self._report, self._is_told = None, False

    def end_player(self) -> None:
        """Have the player ended, if it has not ended yet, without waiting for it.

        Raises:
            OSError: the keeper has ended.
        """
        if self._report is None and not self._is_told:
            self._is_told = True
            send_message(self._line, {"end": True})

    def player_ends_within(self, seconds: float) -> bool:
        """Whether the player has ended, or does so within so many seconds; or the keeper does."""
        if self._report is not None:
            return True
        with selectors.DefaultSelector() as selector:
            selector.register(self._line, selectors.EVENT_READ)
            return bool(selector.select(seconds))

    def report(self) -> Message:
        """What the keeper tells of the player's end, after waiting for it; see `Keeper.keep`.

        Raises:
            EOFError, OSError: the keeper has ended.
        """
        if self._report is None:
            self._report, _ = receive_message(self._line)
        return self._report

    def close(self) -> None:
        """Let the keeper go, which ends the player, if there is one, and itself."""
        self._line.close()
