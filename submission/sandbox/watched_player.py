"""A player, as seen by its supervisor: its messages and output, and why it is to be ended."""

import re
from dataclasses import dataclass, field

from submission.sandbox import causes, messages
from submission.sandbox.causes import Cause
from submission.sandbox.inside.containment import LINUX
from submission.sandbox.inside.kaggle_folder import MAIN
from submission.sandbox.inside.player_process import CHANNEL_LOST, PlayerJob
from submission.sandbox.messages import Answer, Event, Ready
from submission.sandbox.processes import Throttle

TAIL_BYTES = 50_000
"""The bytes kept of a player's last output on standard error: enough for all moves of a game on the
competition's board."""

MOST_EVENTS = 64  # no player has reason to report more between two answers

RUNNING_LINE = re.compile(rf'File "[^"]*{re.escape(MAIN)}", line (\d+) in (\S+)')
"""A line of faulthandler's output that lies in the submission."""


@dataclass(slots=True)
class WatchedPlayer:
    """The state of a player."""

    job: PlayerJob
    lines: messages.KeyedLines
    ready: Ready | None = None  # None until it can be asked
    is_announced: bool = False  # whether its start has been reported to the asking process
    answer: Answer | None = None
    events: list[Event] = field(default_factory=list)
    cause: Cause | None = None  # why it has ended, or is to be ended
    is_gone: bool = False
    stderr: bytes = b""
    throttle: Throttle | None = None
    next_count: float = 0.0  # when its processes are to be counted again

    @property
    def said(self) -> str:
        """The end of the player's standard error."""
        return self.stderr.decode(errors="replace")

    def new_events(self) -> list[Event]:
        """The events since the last report."""
        events, self.events = self.events, []
        return events

    def fail(self, cause: Cause) -> None:
        """Note why it has failed, unless there is an earlier reason."""
        self.cause = self.cause or cause

    def note_said(self, data: bytes) -> None:
        """Keep the end of what it has written to standard error."""
        self.stderr = (self.stderr + data)[-TAIL_BYTES:]

    def note_exit(self, code: int) -> None:
        """Note that its process has ended."""
        self.is_gone = True
        is_lost = code == CHANNEL_LOST
        memory = self.job.memory if LINUX else None
        self.fail(causes.CLOSED_CHANNEL if is_lost else causes.of_death(code, memory))

    def running_line(self) -> str | None:
        """The submission's line in the last stack that the player has printed."""
        _, _, stack = self.said.rpartition("most recent call first")
        running = RUNNING_LINE.search(stack)
        return "line {}, in {}".format(*running.groups()) if running else None

    def take(self, message: messages.FromPlayer) -> None:
        """Take a message other than `Ready`."""
        match message:
            case Answer():
                self.answer = message
            case messages.Exit(code):
                self.note_exit(code)
            case messages.Loaded() | messages.Hidden() if len(self.events) < MOST_EVENTS:
                self.events.append(message)
            case _:
                self.fail(causes.FORGERY)
