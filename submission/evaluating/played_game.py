"""What Kaggle's environment tells of a game that it has run."""

from dataclasses import dataclass
from typing import Any

from submission.kaggle import DONE

STDERR_LINES = 10
"""How many of a failing seat's last lines are kept."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended; as in `GameRecord`, pairs are in the order of the seats."""

    statuses: tuple[str, str]
    rewards: tuple[int | None, int | None]
    failed_seat: int | None = None
    """1 or 2; None where both seats are DONE."""
    cause: str | None = None
    """Why that seat failed, in one line."""


def outcome_of(env: Any, escaped: BaseException | None) -> Outcome:
    """How the game of an environment ended.

    Args:
        env: Kaggle's environment after `env.run`.
        escaped: what `env.run` raised, if anything.
    """
    return _final_state(env) if escaped is None else _escape(env, escaped)


def columns_played(env: Any) -> tuple[int, ...]:
    """The columns that were carried out: all but a failing seat's last."""
    movers = (step[ply % 2] for ply, step in enumerate(env.steps[1:]))
    return tuple(mover.action for mover in movers if mover.status in (DONE, "INACTIVE"))


def durations(env: Any, seat: int) -> tuple[float, ...]:
    """Seconds of each move of a seat."""
    return tuple(log["duration"] for log in _logs(env, seat))


def last_stderr(env: Any, seat: int | None) -> tuple[str, ...]:
    """The last lines of a seat's last move; none where no seat or no move is to be shown."""
    logs = [] if seat is None else _logs(env, seat)
    return tuple(logs[-1]["stderr"].splitlines()[-STDERR_LINES:]) if logs else ()


def _logs(env: Any, seat: int) -> list[dict[str, Any]]:
    """What Kaggle logged of each move of a seat; the seat that does not move logs nothing."""
    entries = (step[seat - 1] for step in env.logs if len(step) >= seat)
    return [entry for entry in entries if "duration" in entry]


def _final_state(env: Any) -> Outcome:
    """The ending as Kaggle's environment has it."""
    statuses = (env.state[0].status, env.state[1].status)
    rewards = (env.state[0].reward, env.state[1].reward)
    for seat, status in enumerate(statuses, start=1):
        if status != DONE:
            return Outcome(statuses, rewards, seat, _cause(env, seat, status))
    return Outcome(statuses, rewards)


def _escape(env: Any, escaped: BaseException) -> Outcome:
    """The ending where an exception got past Kaggle's runner: the seat to move has failed."""
    cause = f"{escaped!r} got past Kaggle's runner, as an exit or a float for a move does"
    if env.state[0].status == "ACTIVE":
        return Outcome(("ERROR", DONE), (None, 0), 1, cause)
    return Outcome((DONE, "ERROR"), (0, None), 2, cause)


def _cause(env: Any, seat: int, status: str) -> str:
    """Why a seat has failed, in plain words."""
    if status == "TIMEOUT":
        limit = env.configuration.actTimeout
        return f"a move took {durations(env, seat)[-1]:.1f} s: over {limit} s and over its bank"
    if status == "INVALID":
        column = env.state[seat - 1].action
        if column is None:
            return "returned something other than a plain int of at least 0"
        return f"played column {column}, which is full or not on the board"
    lines = [line for line in last_stderr(env, seat) if line.strip()]
    return lines[-1] if lines else "raised an exception"
