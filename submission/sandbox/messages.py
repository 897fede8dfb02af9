"""Messages between the processes of a sandbox: lines of JSON, whose types are checked when read.

Strangers' code runs in the process that reports on it, and can write anything there.
"""

import signal
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.json import Decoder

from submission.sandbox.causes import Cause, Raised
from submission.sandbox.inside.player_process import LINE_BYTES, PlayerJob

T = TypeVar("T")

Number = Annotated[int, Meta(ge=-(2**31), lt=2**32)]  # of a process, a line or a column
ExitCode = Annotated[int, Meta(gt=-signal.NSIG, lt=2**32)]  # or minus a signal's number
Seconds = Annotated[float, Meta(ge=0)]
Status = Literal["ERROR", "INVALID", "TIMEOUT"]  # Kaggle's words for the ways to fail


@dataclass(frozen=True, slots=True)
class RuntimeVersions:
    """The versions that a game was played with."""

    python: str
    numba: str | None  # None where it is not installed
    numpy: str | None

    def __str__(self) -> str:
        numba = f"numba {self.numba}" if self.numba else "no numba"
        numpy = f"numpy {self.numpy}" if self.numpy else "no numpy"
        return f"Python {self.python}, {numba}, {numpy}"


class Choice(Struct, frozen=True, forbid_unknown_fields=True):
    """The callable that Kaggle takes as the agent."""

    name: str
    type: Literal["function", "class", "object", "partial"]
    line: Number | None  # where its code begins; None for what has no Python code of its own
    arguments: Number | None  # how many arguments Kaggle counts; None as for `line`
    file: str | None  # name of the file of its code; None as for `line`
    is_own: bool  # whether the submission's file defines it


class Message(Struct, forbid_unknown_fields=True, tag_field="event", tag=str.lower):
    """A message from one process to another."""


class Ready(Message):
    """A player is ready for requests."""

    process_id: Number
    versions: RuntimeVersions
    kept_from: tuple[str, ...]  # what it cannot reach; see `containment`


class Loaded(Message):
    """The submission's file has been loaded."""

    seconds: Seconds
    choice: Choice


class Hidden(Message):
    """Something was hidden from the player; see `causes.of_hidden`."""

    path: str


class Answer(Message):
    """The player's answer to a request for a move; see `KaggleAgent.act`.

    Raises:
        ValueError: its parts contradict each other.
    """

    seconds: float
    status: Status | None
    column: Number | None
    returned: tuple[str, str] | None
    error: Raised | None
    stderr: str

    def __post_init__(self) -> None:
        parts = [part is not None for part in (self.column, self.returned, self.error)]
        if (self.status, *parts) not in WHOLE_ANSWERS:
            raise ValueError("the parts of an answer do not belong together")


WHOLE_ANSWERS = (
    (None, True, True, False),
    ("INVALID", False, True, False),
    ("ERROR", False, True, False),
    ("ERROR", False, False, True),
    ("TIMEOUT", False, False, False),
)
"""Valid answers: the status, and whether there is a column, a returned value, and an error."""


class Exit(Message):
    """The fork server's report that a player has ended."""

    code: ExitCode


class Forgery(Message):
    """Replaces a line that has a player's key but is no valid message."""


Event = Loaded | Hidden  # what a player reports between its answers
FromPlayer = Ready | Event | Answer | Exit | Forgery
FROM_PLAYER: Decoder[FromPlayer] = Decoder(FromPlayer)


class Start(Message):
    """The command to start a player."""

    job: PlayerJob


class Ask(Message):
    """The command to ask the player for a move, and to end it after some seconds of silence."""

    request: dict[str, Any]
    seconds: Seconds


class End(Message):
    """The command to end the player."""

    is_silent: bool  # whether no report is wanted


COMMAND: Decoder[Start | Ask | End] = Decoder(Start | Ask | End)


class Begun(Message):
    """A supervisor's first report."""

    folder: str  # of its players


class Started(Message):
    """A supervisor's report on the start of a player."""

    key: str  # of its job, which earlier players did not know
    ready: Ready | str  # or the last output of a process that failed to become a player


class Moved(Message):
    """A supervisor's report of a request for a move."""

    events: list[Event]  # since the last report
    waited: Seconds
    answer: Answer


class Failed(Message):
    """A supervisor's report of a request for a move that got no answer."""

    events: list[Event]
    waited: Seconds
    status: Status
    cause: Cause
    stderr: str


class Ended(Message):
    """A supervisor's report that a player has ended, or that it cannot start itself."""

    last_words: str


FOLDER: Decoder[Begun | Ended] = Decoder(Begun | Ended)
STARTED: Decoder[Started] = Decoder(Started)
OUTCOME: Decoder[Moved | Failed] = Decoder(Moved | Failed)
ENDED: Decoder[Ended] = Decoder(Ended)


def encoded(message: object) -> bytes:
    """The message as a line."""
    return msgspec.json.encode(message) + b"\n"


def decoded(line: bytes, decoder: Decoder[T]) -> T | None:
    """The message in a line; None if the decoder does not accept it."""
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None


class KeyedLines:
    """Finds a player's messages in its output: the lines that begin with its key."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._unread = b""

    def take_in(self, chunk: bytes) -> list[FromPlayer]:
        """The messages that the next bytes complete."""
        *lines, unread = (self._unread + chunk).split(b"\n")
        self._unread = unread[-LINE_BYTES:]
        return [
            decoded(line.removeprefix(self._key), FROM_PLAYER) or Forgery()
            for line in lines
            if line.startswith(self._key)
        ]
