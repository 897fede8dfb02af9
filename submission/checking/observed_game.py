"""Plays and records one game of a submission for a check."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import inf
from random import Random
from time import monotonic
from typing import Any

from submission.arena.kaggle_referee import OpenSpielGame
from submission.arena.own_referee import OwnGame
from submission.checking.game_plan import SEATS, GamePlan, Limits, Seat
from submission.checking.game_watch import (
    Chooser,
    has_shown_enough,
    in_full_game,
    lasting_opponent,
    of_full_game,
    overtimes,
)
from submission.sandbox import causes
from submission.sandbox.launcher import Launcher
from submission.sandbox.messages import Loaded, Ready
from submission.sandbox.move import Failure, Move, failure
from submission.sandbox.player import RunningPlayer

SEED = 1  # for the moves of Kaggle's `random` agent, and for the submission's random numbers

Told = dict[str, Any]  # an observation or a configuration

WHILE_LOADING = "while the file was loaded"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why Kaggle ends a game against the submission."""

    status: str  # Kaggle's status: ERROR, INVALID or TIMEOUT
    cause: str
    mend: str
    when: str = field(compare=False)
    """The point of the game at which the fault occurred; it may occur at several."""
    lines: tuple[str, ...] = ()  # the traceback's lines that are in the submission
    missing: tuple[str, ...] = ()
    """Modules of Kaggle's image that are missing here, which may be the reason."""


@dataclass(frozen=True, slots=True)
class ObservedGame:
    """The record of one game."""

    plan: GamePlan
    ready: Ready | None  # None if no process reached the submission
    loaded: Loaded | None  # None if the file was not loaded
    moves: Mapping[Seat, Sequence[Move]]  # of the submission, in each of its seats
    failure: Failure | None  # why the submission lost the game by a failure; None if it passed
    when: str  # the point of the game at which it ended
    is_complete: bool  # False for a game that was stopped when it had shown enough
    hidden: tuple[str, ...]  # requested paths that this machine has, unlike Kaggle's
    stderr: str
    """The end of what the submission wrote to standard error; the seat asked last comes last."""
    fault: Fault | None = None  # once it is diagnosed; None if the submission passed the game


def observe_game(
    plan: GamePlan, submission: bytes, limits: Limits, launcher: Launcher
) -> ObservedGame:
    """Play a game, in which the submission has a process of its own in each of its seats.

    Raises:
        ChildProcessError: a process ends before it reaches the submission.
        OSError: a process cannot be started.
    """
    with ExitStack() as processes:
        players = {
            seat: processes.enter_context(
                launcher.start_player(
                    submission, seed=SEED, memory=limits.memory, speed=limits.speed
                )
            )
            for seat in plan.seats
        }
        return _Game(plan, limits, players).observe()


class _Game:
    """A game in progress, with the submission in one or both seats."""

    def __init__(
        self, plan: GamePlan, limits: Limits, players: Mapping[Seat, RunningPlayer]
    ) -> None:
        rules = plan.rules
        board = OpenSpielGame if rules.referee.is_open_spiel else OwnGame
        self._board = board(rules, limits.bank)
        self._setting_up: dict[Seat, float] = {}  # seconds, which count towards the first move
        self._plan = plan
        self._limits = limits
        self._players = players
        rng = Random(SEED)
        self._choose: Chooser = lambda played, legal: rng.choice(legal)
        if plan.is_long:
            self._choose = lasting_opponent(rules.env, otherwise=self._choose)
        self._moves: dict[Seat, list[Move]] = {seat: [] for seat in plan.seats}
        self._first_move_ended = inf
        self._failure: Failure | None = None
        self._has_jumped = False
        self._asked: Seat | None = None
        self._when = "before its first move"

    def observe(self) -> ObservedGame:
        """Play to the end, or until the submission fails or has shown enough."""
        end = monotonic() + self._limits.run_timeout
        if isinstance(self._board, OpenSpielGame):
            self._begin(self._board)
        while self._failure is None and not (self._is_over() or self._has_shown_enough()):
            self._play_move()
            if self._failure is None and monotonic() > end:
                self._failure = failure("TIMEOUT", causes.of_long_game(self._limits.run_timeout))
        if self._plan.is_long:
            self._failure = self._failure_in_full_game()
        players = self._players.values()
        # The seat that was asked last comes last, with the last output of one that failed.
        in_turn = sorted(self._players, key=lambda seat: seat == self._asked)
        stderr = "".join([self._players[seat].finish() for seat in in_turn])
        return ObservedGame(
            plan=self._plan,
            ready=next((player.ready for player in players if player.ready), None),
            loaded=next((player.loaded for player in players if player.loaded), None),
            moves=self._moves,
            failure=self._failure,
            when=self._when,
            is_complete=self._failure is not None or self._board.over,
            hidden=tuple(path for player in players for path in player.hidden),
            stderr=stderr,
        )

    def _begin(self, board: OpenSpielGame) -> None:
        """Ask both seats before the game; if both fail, record the first failure."""
        failures = board.set_up(self._set_up)
        self._failure = failures[0] or failures[1]
        if self._failure is not None:
            seat = SEATS[failures.index(self._failure)]
            is_loading = self._players[seat].is_loading
            self._when = WHILE_LOADING if is_loading else f"when the game was set up on seat {seat}"

    def _set_up(self, place: int, observation: Told, configuration: Told) -> Move:
        """Ask a seat before the game, as OpenSpiel's environments do; every answer is accepted."""
        seat = SEATS[place]
        if seat not in self._players:
            return Move(-1, 0.0)
        move = self._players[seat].act(observation, self._rules(configuration))
        self._setting_up[seat] = move.seconds
        return move

    def _rules(self, configuration: Told) -> Told:
        return {**configuration, "runTimeout": self._limits.run_timeout}

    def _play_move(self) -> None:
        board, seat = self._board, SEATS[self._board.mover]
        if seat not in self._players:
            board.drop(self._choose(board.columns, board.legal_columns()))
            return
        self._asked, player = seat, self._players[seat]
        move = player.act(board.observation(), self._rules(board.configuration()))
        self._failure = board.carry_out(move)
        move = move._replace(seconds=move.seconds + self._setting_up.pop(seat, 0.0))
        if not player.has_ended:
            self._moves[seat].append(move)
            self._first_move_ended = min(self._first_move_ended, monotonic())
        self._when = f"in move {self._number_of_move(seat)} on seat {seat}"
        if player.is_loading:
            self._when = WHILE_LOADING

    def _has_shown_enough(self) -> bool:
        seconds = monotonic() - self._first_move_ended
        return has_shown_enough(self._moves, self._plan, self._limits, seconds)

    def _is_over(self) -> bool:
        """Whether the game is over; a long game that ends early continues if it can."""
        can_go_on = self._plan.is_long and not self._plan.rules.referee.is_open_spiel
        return self._board.over and not (can_go_on and self._goes_on())

    def _goes_on(self) -> bool:
        """Continue the game from another position with as many stones; whether there is one.

        The clock and the bank keep running. The position comes from two players that prolong the
        game, so a submission has as much to search there as in a game that had not ended.
        """
        ((seat, moves),) = self._moves.items()
        bank = max(0.0, self._limits.bank - sum(overtimes(moves, self._plan.rules.act_timeout)))
        board = OwnGame(self._plan.rules, bank)
        while len(board.columns) < 2 * len(moves) + seat - 1 and not board.over:
            board.drop(self._choose(board.columns, board.legal_columns()))
        if board.over:
            return False
        self._board, self._has_jumped = board, True
        return True

    def _failure_in_full_game(self) -> Failure | None:
        """The failure that a full game would have, judging by a long one.

        A failure other than lack of time counts only until the game continues from a position that
        the submission did not reach itself.
        """
        ((seat, moves),) = self._moves.items()
        failed = self._failure
        if failed is not None and failed.status == "TIMEOUT":
            sentence = in_full_game(self._number_of_move(seat))
            return failed._replace(cause=f"{sentence}: {failed.cause}")
        if failed is not None and not self._has_jumped:
            return failed
        answered = self._number_of_move(seat) - (failed is not None)
        cause = of_full_game(moves[:answered], self._plan.most_moves(seat), self._limits)
        return failure("TIMEOUT", cause) if cause else None

    def _number_of_move(self, seat: Seat) -> int:
        """The number of a seat's last move, from 1, including one in which its process ended."""
        return len(self._moves[seat]) + self._players[seat].has_ended
