"""What the reports of one game tell, and how long to wait for the next."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from submission.checking.observed_game import (
    Choice,
    Ended,
    Ending,
    Escaped,
    Failure,
    GamePlan,
    Move,
    ObservedGame,
    Seat,
    Versions,
)
from submission.checking.throttle import can_throttle
from submission.isolation.messages import Message

GRACE = 1.0
"""Seconds that a move at full speed may run beyond its limit: Kaggle's environment itself then says
TIMEOUT."""

STEP_SECONDS = 30.0
"""The longest time from one move to the next, and for the start of the process."""


LEAST_MEMORY = 2**29
"""Bytes of address space with which kaggle_environments still loads."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a submission may take; times in seconds.

    Raises:
        ValueError: a limit that leaves nothing.
    """

    act_timeout: float
    """For a move, in the games that decide."""
    bank: float
    """For all that moves take beyond their limit, in a game."""
    run_timeout: float
    """For a whole game."""
    memory: int
    """Bytes of address space."""
    speed: float = 1
    """The share of one core that it has, with all that it starts."""

    def __post_init__(self) -> None:
        for name, limit in (("act_timeout", self.act_timeout), ("run_timeout", self.run_timeout)):
            if not limit > 0:
                raise ValueError(f"{name} must be above 0 seconds, not {limit}")
        if not self.bank >= 0:
            raise ValueError(f"bank must be at least 0 seconds, not {self.bank}")
        if self.memory < LEAST_MEMORY:
            raise ValueError(f"memory must be at least {LEAST_MEMORY} bytes, not {self.memory}")
        if not 0 < self.speed <= 1:
            raise ValueError(f"speed must be above 0 and at most 1, not {self.speed}")
        if self.speed < 1 and not can_throttle():
            raise ValueError("a speed below 1 needs Linux: leave --speed out on this machine")


def overtime(moves: Sequence[Move], seat: Seat, act_timeout: float) -> float:
    """Seconds that a seat's moves have taken out of the bank."""
    return sum(max(0.0, move.seconds - act_timeout) for move in moves if move.seat == seat)


class GameWatch:
    """Follows a game by the reports of its worker.

    Args:
        plan: the game that is played.
        limits: what the submission may take.
        now: seconds on the clock that the other methods are told too.
    """

    def __init__(self, plan: GamePlan, limits: Limits, now: float) -> None:
        self.ending: Ending | None = None
        self.versions: Versions | None = None
        """None until the process has got as far as the submission."""
        self._plan = plan
        self._limits = limits
        self._step_began = now
        self._first_move_ended: float | None = None
        self._choice: Choice | None = None
        self._load_seconds: float | None = None
        self._is_loading = False
        self._moves: list[Move] = []
        self._seat: Seat | None = None
        self._legal: tuple[int, ...] = ()
        self._hidden: list[str] = []
        self._failure: Failure | None = None

    def hear(self, message: Message, now: float) -> None:
        """Take a report in."""
        match message["event"]:
            case "ready":
                self.versions = Versions(**message["versions"])
                self._step_began = now
            case "move":
                self._seat, self._legal = message["seat"], tuple(message["legal"])
                self._step_began = now
            case "loading":
                self._is_loading = True
            case "loaded":
                self._is_loading = False
                self._choice = Choice(**message["choice"])
                self._load_seconds = message["seconds"]
            case "moved":
                self._end_move(message["seconds"], message["type"], message["action"], now)
            case "raised":
                self._failure = failure(message["error"])
                self._end_move(message["seconds"], None, "", now)
            case "hidden":
                self._hidden.append(message["path"])
            case "escaped":
                self.ending = Escaped(failure(message["error"]))
            case "ended":
                first, second = message["statuses"]
                self.ending = Ended((first, second))

    def waited(self, now: float) -> float:
        """Seconds since the present step began."""
        return now - self._step_began

    def is_overdue(self, now: float) -> bool:
        """Whether the present step, a move or what lies between two, has taken too long."""
        if self._seat is None:
            return self.waited(now) > STEP_SECONDS
        taken = overtime(self._moves, self._seat, self._plan.act_timeout)
        left = self._plan.act_timeout + max(0.0, self._limits.bank - taken)
        return self.waited(now) > left + GRACE / self._limits.speed

    def has_shown_enough(self, now: float) -> bool:
        """Whether playing on would show nothing that Kaggle's clock could still punish."""
        if self._first_move_ended is None:
            return False
        is_late = now - self._first_move_ended > self._plan.seconds
        is_within_limit = self._seat is None or self.waited(now) < self._plan.act_timeout
        return is_late and is_within_limit and (not self._plan.decides or self._bank_lasts())

    def record(self, versions: Versions, ending: Ending, stderr: str) -> ObservedGame:
        """All that was seen of the game."""
        return ObservedGame(
            plan=self._plan,
            versions=versions,
            choice=self._choice,
            load_seconds=self._load_seconds,
            moves=tuple(self._moves),
            is_loading=self._is_loading,
            seat=self._seat,
            hidden=tuple(self._hidden),
            failure=self._failure,
            ending=ending,
            stderr=stderr,
        )

    def _end_move(self, seconds: float, kind: str | None, action: str, now: float) -> None:
        if self._seat is None:
            return
        self._moves.append(Move(self._seat, self._legal, seconds, kind, action))
        self._seat = None
        self._step_began = now
        if self._first_move_ended is None:
            self._first_move_ended = now

    def _bank_lasts(self) -> bool:
        """Whether the bank would outlast the longest possible game at the slowest pace seen.

        A seat's first move is left out of the pace: it holds the loading of the file.
        """
        for seat in self._plan.seats:
            _, *later = [move.seconds for move in self._moves if move.seat == seat] or [0.0]
            if not later:
                return False
            moves_left = ceil(self._plan.rows * self._plan.columns / 2) - len(later) - 1
            slowest = max(0.0, max(later) - self._limits.act_timeout)
            taken = overtime(self._moves, seat, self._limits.act_timeout)
            if taken + moves_left * slowest > self._limits.bank:
                return False
        return True


def failure(error: Message) -> Failure:
    """An exception as the worker describes it."""
    return Failure(error["type"], error["message"], error["module"], tuple(error["lines"]))
