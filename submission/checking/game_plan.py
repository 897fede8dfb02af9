"""The plan of a check: its games in order, and the limits of the submission."""

from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Literal

from envs.protocol import is_number
from submission.arena.game_record import GameConfiguration
from submission.kaggle import Referee
from submission.sandbox.processes import can_throttle

Seat = Literal[1, 2]
Seats = tuple[Seat] | tuple[Seat, Seat]
SEATS: tuple[Seat, Seat] = (1, 2)

LEAST_MEMORY = 2**29  # bytes of address space that kaggle_environments needs to load

FULL_SECONDS = 8.0
"""How long a game with the full time limit is played at full speed, from the end of its first
move."""

SHORT_ACT_TIMEOUT = 0.1  # seconds for a move in the further games
SHORT_SECONDS = 1.5  # as FULL_SECONDS, in the further games

DECIDING_SEATS: tuple[Seats, ...] = ((1,), (2,), SEATS)
FIRST_GAMES = 2  # the games played before all others: those against the `random` agent

OTHER_SIZES: tuple[tuple[tuple[int, int, int], tuple[Seat, ...]], ...] = (
    ((4, 5, 3), SEATS),
    ((7, 8, 4), SEATS),
    ((10, 12, 5), SEATS),
    ((1, 1, 1), (1,)),
)
"""Rows, columns and inarow of further games of ConnectX, and the seats, with one game in each."""


@dataclass(frozen=True, slots=True)
class GamePlan:
    """A game to play."""

    rules: GameConfiguration  # including the time limit for a move
    seats: Seats
    """The submission's seats; Kaggle's `random` agent takes the other one, or an opponent that
    prolongs the game."""
    seconds: float  # seconds of play after which the game has shown enough
    decides: bool  # whether Kaggle plays such games, so that the submission has to pass it
    is_long: bool = False  # whether the opponent prolongs it, to see how long the bank lasts

    def __str__(self) -> str:
        seat = "against itself" if len(self.seats) == 2 else f"on seat {self.seats[0]}"
        length = ", a long game" if self.is_long else ""
        rules = self.rules
        return f"{rules.rows}x{rules.columns}x{rules.inarow} {seat}{length}"

    def most_moves(self, seat: Seat) -> int:
        """The number of a seat's moves if the board fills up: 21 on 6 rows and 7 columns."""
        return (self.rules.rows * self.rules.columns + 2 - seat) // 2


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a submission, with times in seconds; ValueError if one is out of range."""

    act_timeout: float  # for a move, in the games that decide
    bank: float  # for what the moves of a game take beyond their limit, in total
    run_timeout: float  # for a whole game
    memory: int  # bytes of address space
    speed: float = 1  # the share of one core for the submission and all that it starts

    def __post_init__(self) -> None:
        for name, limit in asdict(self).items():
            if not is_number(limit):
                raise ValueError(f"{name} must be a number, not {limit!r}")
            if name.endswith("timeout") and not limit > 0:
                raise ValueError(f"{name} must be above 0 seconds, not {limit}")
        if not 0 <= self.bank < inf:
            raise ValueError(f"bank must be at least 0 seconds and finite, not {self.bank}")
        if self.memory < LEAST_MEMORY:
            raise ValueError(f"memory must be at least {LEAST_MEMORY} bytes, not {self.memory}")
        if not 0 < self.speed <= 1:
            raise ValueError(f"speed must be above 0 and at most 1, not {self.speed}")
        if self.speed < 1 and not can_throttle():
            raise ValueError("a speed below 1 needs Linux: leave --speed out on this machine")


def planned_games(
    limits: Limits, seconds: float | None = None, referee: Referee = Referee.CONNECTX
) -> list[GamePlan]:
    """All games of a check except long ones, in order.

    The first three decide: two against Kaggle's `random` agent, and one of the submission against
    itself, as in Kaggle's validation. The others show whether the submission depends on the board's
    size or on the time limit.

    `seconds` is how long a game that decides is played from the end of its first move; by default
    FULL_SECONDS, and longer at a lower speed. The other games are always longer at a lower speed.
    """
    full = FULL_SECONDS / limits.speed if seconds is None else seconds
    short = SHORT_SECONDS / limits.speed
    rules = GameConfiguration.of(referee, act_timeout=limits.act_timeout)
    in_haste = replace(rules, act_timeout=SHORT_ACT_TIMEOUT)
    further: list[tuple[GameConfiguration, Seats]] = [(in_haste, SEATS)]
    if referee.game == "connectx":
        further += [
            (replace(in_haste, rows=rows, columns=columns, inarow=inarow), (seat,))
            for (rows, columns, inarow), seats in OTHER_SIZES
            for seat in seats
        ]
    return [
        *(GamePlan(rules, seats, full, decides=True) for seats in DECIDING_SEATS),
        *(GamePlan(other, seats, short, decides=False) for other, seats in further),
    ]
