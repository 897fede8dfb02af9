"""What comes back when a player is asked for a move."""

from typing import NamedTuple

FAILING_STATUSES = ("ERROR", "INVALID", "TIMEOUT")
"""Kaggle's words for the ways to fail."""

NO_CALLABLE = "there is no callable in the file"
"""The cause where Kaggle's loader finds no agent."""


class Failure(NamedTuple):
    """Why there is no column to play."""

    status: str
    """One of `FAILING_STATUSES`."""
    cause: str
    """Why, in one plain line."""
    stderr: tuple[str, ...] = ()
    """The last lines that the player wrote to standard error."""


class Move(NamedTuple):
    """An answer, or the lack of one."""

    column: int | None
    """The column, counted from 0; it may be full or not on the board. None with a failure."""
    seconds: float
    """What the player took, by a clock around the player alone."""
    failure: Failure | None = None


def misplaced(column: int | None, stderr: tuple[str, ...] = ()) -> Failure:
    """The failure of a move to a column that takes no stone."""
    return Failure("INVALID", f"played column {column}, which is full or not on the board", stderr)
