"""One game of a submission under observation: what is asked for, and what was seen."""

from dataclasses import dataclass
from typing import Literal

Seat = Literal[1, 2]

Seats = tuple[Seat] | tuple[Seat, Seat]


@dataclass(frozen=True, slots=True)
class GamePlan:
    """A game to play."""

    rows: int
    columns: int
    inarow: int
    seats: Seats
    """Where the submission sits; Kaggle's `random` agent takes the other seat."""
    act_timeout: float
    """Seconds for a move before the bank is touched."""
    seconds: float
    """After so many seconds of play the game has shown enough."""
    decides: bool
    """Whether Kaggle plays such games, so that the submission has to pass it."""

    def __str__(self) -> str:
        seat = "against itself" if len(self.seats) == 2 else f"on seat {self.seats[0]}"
        return f"{self.rows}x{self.columns}x{self.inarow} {seat}"


@dataclass(frozen=True, slots=True)
class Versions:
    """What a game was played with."""

    python: str
    numba: str | None
    """None where it is not installed."""
    numpy: str | None

    def __str__(self) -> str:
        numba = f"numba {self.numba}" if self.numba else "no numba"
        numpy = f"numpy {self.numpy}" if self.numpy else "no numpy"
        return f"Python {self.python}, {numba}, {numpy}"


@dataclass(frozen=True, slots=True)
class Choice:
    """The callable that Kaggle takes as the agent."""

    name: str
    type: Literal["function", "class", "object"]
    line: int | None
    """Where its code begins; None for what has no Python code of its own."""
    arguments: int | None
    """How many arguments its code takes; None as for `line`."""
    file: str | None
    """Name of the file of its code; None as for `line`."""
    is_own: bool
    """Whether the submission's file defines it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception, with the lines of its traceback that lie in the submission."""

    type: str
    message: str
    module: str | None
    """The module that was not found, for a ModuleNotFoundError."""
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A call of the agent that has ended."""

    seat: Seat
    legal: tuple[int, ...]
    """The columns that were not full."""
    seconds: float
    type: str | None
    """Name of the returned value's type; None where the call raised."""
    action: str
    """The returned value, as a short text."""


@dataclass(frozen=True, slots=True)
class Ended:
    """Kaggle's environment came to an end of the game."""

    statuses: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Stopped:
    """The checker had seen enough."""


@dataclass(frozen=True, slots=True)
class Escaped:
    """An exception ended Kaggle's environment."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class Died:
    """The process ended without a report."""

    exit_code: int
    """The exit status, or minus the number of a signal."""


@dataclass(frozen=True, slots=True)
class Overdue:
    """The process was killed in a step that did not end."""

    waited: float
    """Seconds since the step began."""
    place: str | None
    """The submission's line that was running, where it could be found out."""


@dataclass(frozen=True, slots=True)
class TooLong:
    """The process was killed because the whole game took longer than allowed."""

    allowed: float
    """Seconds."""


@dataclass(frozen=True, slots=True)
class ChannelClosed:
    """The submission closed the file descriptor on which the game is reported."""


Ending = Ended | Stopped | Escaped | Died | Overdue | TooLong | ChannelClosed


@dataclass(frozen=True, slots=True)
class ObservedGame:
    """What was seen of a game."""

    plan: GamePlan
    versions: Versions
    choice: Choice | None
    """None where the file has not been loaded."""
    load_seconds: float | None
    moves: tuple[Move, ...]
    is_loading: bool
    """Whether the last thing begun was loading the file, and it did not succeed."""
    seat: Seat | None
    """The seat whose call had not ended."""
    hidden: tuple[str, ...]
    """Paths that were asked for and that this machine has, unlike Kaggle's."""
    failure: Failure | None
    """The last exception out of a move."""
    ending: Ending
    stderr: str
    """The end of what the process wrote to standard error."""
