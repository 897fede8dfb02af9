"""The evaluating process's end of a player's process."""

import contextlib
import json
import selectors
import socket
from collections.abc import Callable, Iterable, Mapping
from time import monotonic, perf_counter
from typing import Any, Self

from submission.isolation.kaggle_agent import STDERR_LINES
from submission.isolation.keeper_line import END_SECONDS, KeeperLine
from submission.isolation.keyed_lines import LINE_BYTES, KeyedLines
from submission.isolation.messages import Message
from submission.isolation.move import FAILING_STATUSES, Failure, Move
from submission.isolation.player_job import HUNG_UP
from submission.terminal import plain_text

GRACE = 0.5
"""Seconds that a player may take beyond its limit and its bank before its process is ended, and by
which its own clock may be behind this process's."""

START_SECONDS = 60.0
"""How long the start of a process may take."""

FAREWELL_SECONDS = 2.0
"""How long a keeper may take to report the end of a player that has hung up."""

LONGEST_WAIT = 3600.0
"""How long to wait at a time: the system cannot count to any number of seconds."""

CRASH = "Fatal Python error"
"""How Python begins to say on standard error where it was when it crashed."""


class RunningPlayer:
    """A submission in a process of its own; use it as a context manager, which ends the process.

    Nothing that the submission does raises an exception here.

    Args:
        channel: where the player is asked for moves.
        keeper: it reports the player's end, and brings it about.
        key: what the player's genuine answers carry.
        release: takes the keeper back.
    """

    def __init__(
        self,
        channel: socket.socket,
        keeper: KeeperLine,
        key: str,
        release: Callable[[KeeperLine], None],
    ) -> None:
        self._channel = channel
        self._keeper = keeper
        self._release = release
        self._lines = KeyedLines(key)
        self._is_ready = False
        self._failure: Failure | None = None
        self._selector = selectors.DefaultSelector()
        self._selector.register(channel, selectors.EVENT_READ)
        self._selector.register(keeper, selectors.EVENT_READ)
        channel.settimeout(END_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Have the process ended; its keeper does so without being waited for."""
        self._selector.close()
        self._channel.close()
        with contextlib.suppress(OSError):
            self._keeper.end_player()
        self._release(self._keeper)

    def act(self, observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> Move:
        """Ask for a move; the first one includes loading the submission.

        Args:
            observation: `board`, `mark`, `step`, `remainingOverageTime` (seconds).
            configuration: `rows`, `columns`, `inarow`, `actTimeout` (seconds) and more.

        Returns:
            The move. After a failure that has ended the process, that failure again.

        Raises:
            ChildProcessError: the process does not get as far as the submission.
        """
        self._wait_for_start()
        if self._failure is not None:
            return Move(None, 0.0, self._failure)
        limit = configuration["actTimeout"] + max(0.0, observation["remainingOverageTime"])
        begin = perf_counter()
        try:
            self._ask(observation, configuration)
            answer = self._receive(limit + GRACE)
        except (EOFError, OSError):
            cause, stderr = self._end(FAREWELL_SECONDS)
            return self._fail("ERROR", cause, stderr, perf_counter() - begin)
        waited = perf_counter() - begin
        if answer is None:
            _, stderr = self._end(0)
            cause = f"gave no answer for {waited:.1f} s and was ended"
            return self._fail("TIMEOUT", cause, stderr, waited)
        return _read_move(answer, waited)

    def _wait_for_start(self) -> None:
        if self._is_ready:
            return
        try:
            self._is_ready = self._receive(START_SECONDS) is not None
        except (EOFError, OSError):
            self._is_ready = False
        if not self._is_ready:
            cause, _ = self._end(0)
            raise ChildProcessError(f"a player's process did not start: {cause}")

    def _ask(self, observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> None:
        request = {"observation": observation, "configuration": configuration}
        self._channel.sendall(json.dumps(request).encode() + b"\n")

    def _receive(self, seconds: float) -> Message | None:
        """The next genuine message; None if none comes in time.

        Raises:
            EOFError, OSError: the process has ended or hung up.
        """
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            ready = [key.fileobj for key, _ in self._selector.select(min(left, LONGEST_WAIT))]
            if self._channel in ready:
                messages = self._take_in()
                if messages:
                    return messages[0]
            elif self._keeper in ready:
                raise EOFError
        return None

    def _take_in(self) -> list[Message]:
        """The genuine messages among what has come; there is one for each request."""
        chunk = self._channel.recv(LINE_BYTES)
        if not chunk:
            raise EOFError
        return self._lines.take_in(chunk)

    def _end(self, patience: float) -> tuple[str, tuple[str, ...]]:
        """Have the process ended, and hear from its keeper why, and what it last wrote.

        Args:
            patience: seconds to wait for an end of its own.
        """
        try:
            if not self._keeper.player_ends_within(patience):
                self._keeper.end_player()
            report = self._keeper.report()
        except (EOFError, OSError):
            return "ended the process that watches over it", ()
        return report["cause"] or HUNG_UP, _last_lines(report["stderr"])

    def _fail(self, status: str, cause: str, stderr: tuple[str, ...], seconds: float) -> Move:
        """The last move of a process that has ended."""
        self._failure = _told(status, cause, stderr)
        return Move(None, seconds, self._failure)


def _read_move(answer: Message, waited: float) -> Move:
    """The move of an answer.

    Args:
        answer: what the player's process says, which may be anything.
        waited: seconds that this process has waited for it. They count where the player tells
            clearly less.
    """
    try:
        told = float(answer["seconds"])
        column, failure = answer["column"], answer["failure"]
        seconds = told if 0 <= waited - told < GRACE else waited
        if failure is None:
            return Move(int(column), seconds)
        return Move(None, seconds, _told(*failure))
    except (KeyError, TypeError, ValueError, OverflowError):
        return Move(None, waited, Failure("ERROR", "answered by other means than a return"))


def _told(status: str, cause: str, stderr: Iterable[str]) -> Failure:
    """A failure in a stranger's words.

    Raises:
        TypeError, ValueError: they are no words, or not one of Kaggle's.
    """
    if status not in FAILING_STATUSES:
        raise ValueError(f"no failure has the status {status!r}")
    return Failure(status, plain_text(cause), tuple(map(plain_text, stderr)))


def _last_lines(stderr: str) -> tuple[str, ...]:
    """The last lines of standard error; after a crash those that say where it was."""
    _, crash, after = stderr.rpartition(CRASH)
    if crash:
        return tuple((crash + after).splitlines()[:STDERR_LINES])
    return tuple(after.splitlines()[-STDERR_LINES:])
