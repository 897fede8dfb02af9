"""A player's answers: moves and failures."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

from submission.sandbox.causes import Cause, Raised, of_exception, of_late_move, of_returned
from submission.sandbox.inside.kaggle_agent import SUBMISSION
from submission.sandbox.messages import Answer, Status
from submission.terminal import plain_text

FAILING_STATUSES = get_args(Status)

GRACE = 0.5
"""Seconds that a player may take beyond its limit and its bank before its process is ended, and by
which its own clock may be behind its supervisor's."""

STDERR_LINES = 10  # how many of a failing player's last lines are kept

CRASH = "Fatal Python error"  # the beginning of Python's report, on standard error, of a crash


class Failure(NamedTuple):
    """Why a player has no column to play."""

    status: str  # one of `FAILING_STATUSES`
    cause: str  # why, in one plain line
    stderr: tuple[str, ...] = ()  # the last lines that the player wrote to standard error
    mend: str = ""  # how to fix it
    lines: tuple[str, ...] = ()  # the traceback's lines that lie in the submission
    missing: str | None = None  # the module that was not found, where that is the cause


class Move(NamedTuple):
    """An answer, or a failure to answer."""

    column: int | None
    """The column, or in tic-tac-toe the cell, counted from 0; it may be full or not on the board.
    None with a failure."""
    seconds: float  # time that the player alone took
    failure: Failure | None = None
    returned: str | None = None  # name of the type of what it returned, where that is known


def failure(status: str, cause: Cause, stderr: str = "", error: Raised | None = None) -> Failure:
    """A failure whose texts are safe to show."""
    text, mend, *lines = map(_plain_line, (*cause, *(error.lines if error else ())))
    return Failure(
        status,
        text,
        _last_lines(plain_text(stderr)),
        mend,
        tuple(lines),
        error.module if error else None,
    )


def _plain_line(text: str) -> str:
    return plain_text(text).replace("\n", " ")


def misplaced(column: int | None, configuration: Mapping[str, Any]) -> Failure:
    """The failure of a move to a column that takes no stone, or of None instead of a column."""
    kind = "int" if configuration.get("openSpielGameName") is None else SUBMISSION
    returned = "NoneType" if column is None else kind
    return failure("INVALID", of_returned(returned, str(column), configuration))


def read_answer(
    answer: Answer,
    configuration: Mapping[str, Any],
    memory: int | None,
    hidden: Sequence[str] = (),
    waited: float | None = None,
) -> Move:
    """The move in an answer.

    Args:
        answer: the player's; see `KaggleAgent.act`.
        configuration: the rules, as given to the player.
        memory: bytes that the player may use; None where nothing limits it.
        hidden: paths and hosts that were hidden from it; see `causes.of_hidden`.
        waited: seconds that its supervisor has waited for the answer, which count if the player
            reports clearly less; None if the player is trusted.
    """
    seconds = answer.seconds
    if waited is not None and not 0 <= waited - seconds < GRACE:
        seconds = waited
    returned, action = answer.returned or (None, "")
    if answer.status is None:
        return Move(answer.column, seconds, None, returned)
    if answer.error is not None:
        cause = of_exception(answer.error, memory, hidden)
    elif returned is not None:
        cause = of_returned(returned, action, configuration)
    else:
        cause = of_late_move(seconds, configuration["actTimeout"])
    return Move(None, seconds, failure(answer.status, cause, answer.stderr, answer.error))


def _last_lines(stderr: str) -> tuple[str, ...]:
    """The last lines of standard error; after a crash, the ones that say where it was."""
    _, crash, after = stderr.rpartition(CRASH)
    if crash:
        return tuple((crash + after).splitlines()[:STDERR_LINES])
    return tuple(after.splitlines()[-STDERR_LINES:])
