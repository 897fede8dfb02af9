"""From what was seen of a game to the fault it shows, its cause in plain words, and the mend."""

import signal
from dataclasses import dataclass, field, replace

from submission.checking.exception_causes import Cause, Surroundings, explain, gigabytes
from submission.checking.observed_game import (
    ChannelClosed,
    Died,
    Ended,
    Escaped,
    Failure,
    Move,
    ObservedGame,
    Overdue,
    Stopped,
    TooLong,
)
from submission.kaggle import DONE


@dataclass(frozen=True, slots=True)
class Fault:
    """Why Kaggle ends a game against the submission."""

    status: str
    """Kaggle's: ERROR, INVALID or TIMEOUT."""
    cause: str
    mend: str
    when: str = field(compare=False)
    """At which point of the game it showed; the same fault may show at several."""
    lines: tuple[str, ...] = ()
    """The traceback's lines that lie in the submission."""


def diagnose(record: ObservedGame, surroundings: Surroundings, doubt: str | None) -> Fault | None:
    """The fault that a game shows; None where the submission passed it.

    Args:
        record: the game.
        surroundings: what an exception may come from besides the submission.
        doubt: why the callable that Kaggle takes is probably not the one that was meant.
    """
    fault = _fault(record, surroundings)
    if fault is None or doubt is None or fault.status == "TIMEOUT":
        return fault
    return replace(
        fault,
        cause=f"{doubt}; {fault.cause}",
        mend=f"define the agent's function after everything else in the file, or else {fault.mend}",
    )


def _fault(record: ObservedGame, surroundings: Surroundings) -> Fault | None:
    match record.ending:
        case Stopped():
            return None
        case Ended(statuses):
            return _of_status(statuses, record, surroundings)
        case Escaped(failure):
            return _of_escape(failure, record, surroundings)
        case Died(exit_code):
            return _error(_death(exit_code, surroundings), record)
        case Overdue(waited, place):
            return _of_overdue(waited, place, record)
        case TooLong(allowed):
            text = f"the whole game took longer than {allowed:g} s"
            return Fault("TIMEOUT", text, "take less time for each move", _when(record))
        case ChannelClosed():
            text = "file descriptors that are not the submission's own were closed"
            return _error(Cause(text, "close only what the submission has opened itself"), record)


def _of_status(
    statuses: tuple[str, str], record: ObservedGame, surroundings: Surroundings
) -> Fault | None:
    failed = [seat for seat in record.plan.seats if statuses[seat - 1] != DONE]
    if not failed:
        return None
    seat = failed[0]
    status = statuses[seat - 1]
    last = [move for move in record.moves if move.seat == seat][-1]
    if status == "TIMEOUT":
        return _of_timeout(last, record)
    if status == "INVALID":
        cause = _invalid_action(last, record.plan.columns)
        return Fault(status, cause.text, cause.mend, _when(record))
    if record.failure is None:
        return _error(Cause("an exception was raised", "correct it"), record)
    return _error(explain(record.failure, surroundings), record, record.failure)


def _of_escape(failure: Failure, record: ObservedGame, surroundings: Surroundings) -> Fault:
    """What even Kaggle's environment does not catch, and ends it."""
    last = record.moves[-1] if record.moves else None
    if last is not None and last.type not in (None, "int", "NoneType"):
        return _error(_not_an_int(last), record)
    if "closed file" in failure.message and not failure.lines:
        text = "standard output or standard error was closed, which Kaggle reads"
        return _error(Cause(text, "leave sys.stdout and sys.stderr open"), record)
    return _error(explain(failure, surroundings), record, failure)


def _of_overdue(waited: float, place: str | None, record: ObservedGame) -> Fault:
    where = f" (it was at {place})" if place else ""
    text = f"no end had come after {waited:.0f} s{where}"
    mend = "end each move within actTimeout, and look for loops that do not end"
    return Fault("TIMEOUT", text, mend, _when(record))


def _of_timeout(move: Move, record: ObservedGame) -> Fault:
    text = (
        f"{move.seconds:.1f} s were taken: more than the {record.plan.act_timeout:g} s of a move "
        "and what was left in the bank"
    )
    mend = "plan the time of a move from actTimeout, with a margin"
    return Fault("TIMEOUT", text, mend, _when(record))


def _error(cause: Cause, record: ObservedGame, failure: Failure | None = None) -> Fault:
    lines = failure.lines if failure else ()
    return Fault("ERROR", cause.text, cause.mend, _when(record), lines)


def _death(exit_code: int, surroundings: Surroundings) -> Cause:
    """How a process ended that had no last word."""
    if exit_code >= 0:
        return Cause(
            f"the process ended itself with exit status {exit_code}, as os._exit does",
            "return from the agent instead",
        )
    match -exit_code:
        case signal.SIGKILL:
            return Cause(
                "the process was killed, most likely because the machine ran out of memory "
                f"(it may use {gigabytes(surroundings.memory)})",
                "keep less in memory",
            )
        case signal.SIGSEGV | signal.SIGBUS | signal.SIGABRT | signal.SIGILL | signal.SIGFPE:
            return Cause(
                f"the interpreter crashed ({signal.strsignal(-exit_code)}), as it does in native "
                "code, when memory runs out, or under a raised recursion limit",
                "find the call where it crashes",
            )
        case number:
            return Cause(
                f"the process was ended by signal {number} ({signal.strsignal(number)})",
                "send the process no signals",
            )


def _invalid_action(move: Move, columns: int) -> Cause:
    """Why Kaggle refuses what a move returned."""
    if move.type == "NoneType":
        return Cause(
            "the agent returned None, which Kaggle plays as column 0, and that column is full",
            "return a column on every way out of the function",
        )
    if move.type != "int":
        return _not_an_int(move)
    if move.action in map(str, range(columns)):
        return Cause(
            f"the agent returned column {move.action}, which is full",
            "choose among the columns whose top cell, board[column], is 0",
        )
    return Cause(
        f"the agent returned column {move.action}, which does not exist: "
        f"columns run from 0 to {columns - 1}",
        "choose among range(configuration.columns)",
    )


def _not_an_int(move: Move) -> Cause:
    return Cause(
        f"the agent returned {move.action}, a {move.type}, and Kaggle takes a plain int only",
        "return int(column)",
    )


def _when(record: ObservedGame) -> str:
    if record.is_loading:
        return "while the file was loaded"
    seat = record.seat or (record.moves[-1].seat if record.moves else None)
    if seat is None:
        return "before its first move"
    moves = sum(move.seat == seat for move in record.moves)
    return f"in move {moves + (record.seat is not None)} on seat {seat}"
