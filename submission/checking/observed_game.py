"""One game of a submission under observation: what is asked for, and what was seen."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from random import Random
from time import monotonic
from typing import Literal

from submission.arena.game_record import GameConfiguration
from submission.arena.open_spiel_referee import OpenSpielGame
from submission.arena.own_referee import OwnGame
from submission.kaggle import Referee
from submission.sandbox import causes
from submission.sandbox.launcher import Launcher
from submission.sandbox.messages import Message
from submission.sandbox.move import Failure, Move, failure
from submission.sandbox.player import RunningPlayer, RuntimeVersions
from submission.sandbox.processes import can_throttle

SEED = 1
"""Of the moves of Kaggle's `random` agent, and of the submission's random numbers."""

LEAST_MEMORY = 2**29
"""Bytes of address space with which kaggle_environments still loads."""

WHILE_LOADING = "while the file was loaded"

Seat = Literal[1, 2]

Seats = tuple[Seat] | tuple[Seat, Seat]

SEATS: tuple[Seat, Seat] = (1, 2)


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
    referee: Referee = Referee.CONNECTX

    def __str__(self) -> str:
        seat = "against itself" if len(self.seats) == 2 else f"on seat {self.seats[0]}"
        return f"{self.rows}x{self.columns}x{self.inarow} {seat}"


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a submission; times in seconds.

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
class ObservedGame:
    """One game as it was seen."""

    plan: GamePlan
    versions: RuntimeVersions | None
    """None where no process got as far as the submission."""
    kept_from: tuple[str, ...]
    """What the submission could not reach; see `containment`."""
    choice: Choice | None
    """None where the file has not been loaded."""
    load_seconds: float | None
    moves: Mapping[Seat, Sequence[Move]]
    """Of the submission, on each seat."""
    failure: Failure | None
    """Ended the game against the submission; None where it has passed."""
    when: str
    """At which point of the game it ended."""
    is_complete: bool
    """False for a game that was stopped when it had shown enough."""
    hidden: tuple[str, ...]
    """Paths that were asked for and that this machine has, unlike Kaggle's."""
    stderr: str
    """The end of what the submission wrote to standard error."""


def observe_game(plan: GamePlan, staged: Path, limits: Limits, launcher: Launcher) -> ObservedGame:
    """Play a game, in which the submission has a process of its own on each of its seats.

    Args:
        plan: the game.
        staged: folder with the submission, which is copied for this game.
        limits: what the submission may take.
        launcher: starts players.

    Raises:
        ChildProcessError: a process does not get as far as the submission.
        OSError: a process cannot be started.
    """
    with ExitStack() as processes:
        players = {
            seat: processes.enter_context(
                launcher.start_player(staged, seed=SEED, memory=limits.memory, speed=limits.speed)
            )
            for seat in plan.seats
        }
        return _Game(plan, limits, players).observe()


class _Game:
    """A game in progress.

    Args:
        plan: the game.
        limits: what the submission may take.
        players: the submission, on each of its seats.
    """

    def __init__(
        self, plan: GamePlan, limits: Limits, players: Mapping[Seat, RunningPlayer]
    ) -> None:
        size = plan.rows, plan.columns, plan.inarow
        rules = GameConfiguration(*size, plan.act_timeout, plan.referee)
        self._board = (OpenSpielGame if plan.referee.is_open_spiel else OwnGame)(rules, limits.bank)
        self._setting_up: dict[Seat, float] = {}  # seconds, which count to the first move
        self._plan = plan
        self._limits = limits
        self._players = players
        self._random = Random(SEED)
        self._watch = GameWatch(plan, limits)
        self._failure: Failure | None = None
        self._when = "before its first move"

    def observe(self) -> ObservedGame:
        """Play to the end, or until the submission fails or has shown enough."""
        end = monotonic() + self._limits.run_timeout
        if isinstance(self._board, OpenSpielGame):
            self._begin(self._board)
        while self._failure is None and not self._board.over and not self._has_shown_enough():
            self._play_move()
            if self._failure is None and monotonic() > end:
                self._failure = failure("TIMEOUT", causes.of_long_game(self._limits.run_timeout))
        players = self._players.values()
        stderr = "".join([player.finish() for player in players])
        loaded = next((player.loaded for player in players if player.loaded), None)
        return ObservedGame(
            plan=self._plan,
            versions=next((player.versions for player in players if player.versions), None),
            kept_from=next((player.kept_from for player in players if player.versions), ()),
            choice=Choice(**loaded["choice"]) if loaded else None,
            load_seconds=loaded["seconds"] if loaded else None,
            moves=self._watch.moves,
            failure=self._failure,
            when=self._when,
            is_complete=self._failure is not None or self._board.over,
            hidden=tuple(path for player in players for path in player.hidden),
            stderr=stderr,
        )

    def _has_shown_enough(self) -> bool:
        return self._watch.has_shown_enough(monotonic())

    def _begin(self, board: OpenSpielGame) -> None:
        """Have the seats asked before the game; where both fail, it is the first that is told."""
        failures = board.set_up(self._set_up)
        self._failure = failures[0] or failures[1]
        if self._failure is not None:
            seat = SEATS[failures.index(self._failure)]
            is_loading = self._players[seat].is_loading
            self._when = WHILE_LOADING if is_loading else f"when the game was set up on seat {seat}"

    def _set_up(self, place: int, observation: Message, configuration: Message) -> Move:
        """Ask a seat before the game, as OpenSpiel's environments do; any answer will do."""
        seat = SEATS[place]
        if seat not in self._players:
            return Move(-1, 0.0)
        move = self._players[seat].act(observation, self._rules(configuration))
        self._setting_up[seat] = move.seconds
        return move

    def _rules(self, configuration: Message) -> Message:
        return {**configuration, "runTimeout": self._limits.run_timeout}

    def _play_move(self) -> None:
        """Have the seat move whose turn it is, the submission's or that of a random agent."""
        board, seat = self._board, SEATS[self._board.mover]
        if seat not in self._players:
            board.drop(self._random.choice(board.legal_columns()))
            return
        player = self._players[seat]
        move = player.act(board.observation(), self._rules(board.configuration()))
        self._failure = board.carry_out(move)
        move = move._replace(seconds=move.seconds + self._setting_up.pop(seat, 0.0))
        if not player.has_ended:
            self._watch.take(seat, move, monotonic())
        number = len(self._watch.moves[seat]) + player.has_ended
        self._when = f"in move {number} on seat {seat}"
        if player.is_loading:
            self._when = WHILE_LOADING


class GameWatch:
    """Says when playing on would show nothing that Kaggle's clock could still punish.

    Args:
        plan: the game that is played.
        limits: what the submission may take.
    """

    def __init__(self, plan: GamePlan, limits: Limits) -> None:
        self.moves: dict[Seat, list[Move]] = {seat: [] for seat in plan.seats}
        self._plan = plan
        self._limits = limits
        self._first_move_ended: float | None = None

    def take(self, seat: Seat, move: Move, now: float) -> None:
        """Take a move in that has ended now, in seconds on the clock of the other methods."""
        self.moves[seat].append(move)
        if self._first_move_ended is None:
            self._first_move_ended = now

    def has_shown_enough(self, now: float) -> bool:
        """Whether the game may be stopped between two moves."""
        if self._first_move_ended is None:
            return False
        is_late = now - self._first_move_ended > self._plan.seconds
        return is_late and (not self._plan.decides or self._bank_lasts())

    def _bank_lasts(self) -> bool:
        """Whether the bank would outlast the longest possible game at the slowest pace seen.

        A seat's first move is left out of the pace: it holds the loading of the file.
        """
        for moves in self.moves.values():
            _, *later = [move.seconds for move in moves] or [0.0]
            if not later:
                return False
            moves_left = ceil(self._plan.rows * self._plan.columns / 2) - len(later) - 1
            slowest = max(0.0, max(later) - self._limits.act_timeout)
            taken = bank_taken(moves, self._limits.act_timeout)
            if taken + moves_left * slowest > self._limits.bank:
                return False
        return True


def bank_taken(moves: Sequence[Move], act_timeout: float) -> float:
    """Seconds that the moves of a seat have taken out of its bank."""
    return sum(max(0.0, move.seconds - act_timeout) for move in moves)
