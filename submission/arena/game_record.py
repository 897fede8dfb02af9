"""The record of one game, and the rules and the clock with which it was played."""

from dataclasses import dataclass, replace
from enum import StrEnum
from sys import float_info
from typing import Any

from envs.board import BoardGame
from envs.connectx import ConnectX
from envs.protocol import is_number
from envs.render import SYMBOLS
from envs.tic_tac_toe import SIDE, TicTacToe
from submission.kaggle import BANK, DONE, Referee

SPARE_STEPS = 100  # steps that OpenSpiel's environments allow beyond the plies of a game
LARGEST_SIZE = 100  # rows, columns and stones in a row; a larger board takes minutes to make


@dataclass(frozen=True, slots=True)
class GameConfiguration:
    """The rules of a game and its clock, by default those of Kaggle's ConnectX.

    Raises:
        ValueError: a size below 1 or above `LARGEST_SIZE`, a size that the referee's game does not
            have, or a time that is not positive and finite.
    """

    rows: int = 6
    columns: int = 7
    inarow: int = 4
    act_timeout: float = 2
    """Seconds for a move; further time is taken from a bank of 60 s per game, or 12 s with
    OpenSpiel's environments."""
    referee: Referee = Referee.CONNECTX
    """The environment of kaggle-environments whose rules these are."""

    def __post_init__(self) -> None:
        for name, size in (("rows", self.rows), ("columns", self.columns), ("inarow", self.inarow)):
            if not isinstance(size, int) or not 1 <= size <= LARGEST_SIZE:
                kind = "a whole number " if isinstance(size, float) else ""
                raise ValueError(f"{name} must be {kind}from 1 to {LARGEST_SIZE}, not {size!r}")
        time = self.act_timeout
        if not is_number(time) or not 0 < time <= float_info.max:
            raise ValueError(f"the seconds for a move must be above 0 and finite, not {time!r}")
        if self._is_tic_tac_toe and {self.rows, self.columns, self.inarow} != {SIDE}:
            raise ValueError(
                f"{self.referee} has one size only: leave rows, columns and inarow out"
            )

    @classmethod
    def of(
        cls,
        referee: Referee,
        rows: int | None = None,
        columns: int | None = None,
        inarow: int | None = None,
        act_timeout: float = 2,
    ) -> "GameConfiguration":
        """The configuration of a referee's game; a size that is None is the game's own."""
        given = {"rows": rows, "columns": columns, "inarow": inarow}
        own = dict.fromkeys(given, SIDE) if referee.game == "tictactoe" else {}
        sizes = {**own, **{name: size for name, size in given.items() if size is not None}}
        return cls(**sizes, act_timeout=act_timeout, referee=referee)

    @property
    def _is_tic_tac_toe(self) -> bool:
        return self.referee is Referee.OPEN_SPIEL_TIC_TAC_TOE

    @property
    def env(self) -> BoardGame:
        """The rules."""
        if self._is_tic_tac_toe:
            return TicTacToe()
        return ConnectX(self.rows, self.columns, self.inarow)

    def for_kaggle(self) -> dict[str, Any]:
        """The configuration that `kaggle_environments.make` takes.

        OpenSpiel's environments list the legal actions, which their `random` needs, and are strict,
        so that a player that fails loses; otherwise the game would be void.
        """
        whole = int(self.act_timeout)  # Kaggle shows 2 and not 2.0
        limit = {"actTimeout": whole if whole == self.act_timeout else self.act_timeout}
        sizes = {"rows": self.rows, "columns": self.columns}
        if not self.referee.is_open_spiel:
            return {**sizes, "inarow": self.inarow, **limit}
        parameters = {} if self._is_tic_tac_toe else {**sizes, "x_in_row": self.inarow}
        return {
            **limit,
            "episodeSteps": self.rows * self.columns + SPARE_STEPS,
            "includeLegalActions": True,
            "openSpielGameParameters": parameters,
            "strictMode": True,
        }

    def for_players(self) -> dict[str, Any]:
        """The configuration that Kaggle's ConnectX gives its players."""
        rest = {"runTimeout": 1200, "agentTimeout": BANK, "timeout": 2}
        return {**self.for_kaggle(), "episodeSteps": EPISODE_STEPS, **rest}


EPISODE_STEPS = 1000  # a game with more steps, counting the empty board, ends as a draw


class Result(StrEnum):
    """The result of a game, from the player's view."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"
    PLAYER_FAILED = "player failed"
    OPPONENT_FAILED = "opponent failed"

    @classmethod
    def of(
        cls, statuses: tuple[str, str], rewards: tuple[int | None, int | None], seat: int
    ) -> "Result":
        """The result for the player in a seat (1 or 2), from Kaggle's statuses and rewards."""
        if statuses[seat - 1] != DONE:
            return cls.PLAYER_FAILED
        if statuses[2 - seat] != DONE:
            return cls.OPPONENT_FAILED
        return {1: cls.WIN, 0: cls.DRAW, -1: cls.LOSS}[rewards[seat - 1] or 0]

    @property
    def outcome(self) -> "Result":
        """A win, a draw or a loss; a failure counts as a loss."""
        return {Result.PLAYER_FAILED: Result.LOSS, Result.OPPONENT_FAILED: Result.WIN}.get(
            self, self
        )

    @property
    def points(self) -> float:
        """1 for a win, 1/2 for a draw, 0 for a loss; a failure counts as a loss."""
        return {Result.WIN: 1.0, Result.DRAW: 0.5, Result.LOSS: 0.0}[self.outcome]


OTHER_VIEW = {
    Result.WIN: Result.LOSS,
    Result.DRAW: Result.DRAW,
    Result.LOSS: Result.WIN,
    Result.PLAYER_FAILED: Result.OPPONENT_FAILED,
    Result.OPPONENT_FAILED: Result.PLAYER_FAILED,
}
"""The result from the opponent's view, unless both have failed."""


Course = tuple[int, tuple[int, ...]]  # the player's seat and all columns of a game


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game. Pairs are in seat order: the seat that moves first comes first."""

    player: str  # name of the player from whose view the result is
    opponent: str  # name of the opponent
    game: int  # number of the game in this pairing, from 0
    seed: int  # source of the random numbers of both seats
    seat: int  # the player's seat: 1 moves first, 2 second
    opening: tuple[int, ...]  # the first columns, from 0, which the players did not choose
    columns: tuple[int, ...]
    """All columns played, including the opening, without a move that was not carried out."""
    statuses: tuple[str, str]  # Kaggle's final statuses: DONE, ERROR, INVALID or TIMEOUT
    rewards: tuple[int | None, int | None]
    """Kaggle's final rewards, each from its own seat's view; None for a seat that failed."""
    result: Result
    durations: tuple[tuple[float, ...], tuple[float, ...]]
    """Seconds of each move of each seat; the first includes loading the submission."""
    cause: str | None = None  # why a seat failed, or both before the game; None where both are DONE
    stderr: tuple[str, ...] = ()
    """The last lines that the failed player wrote to stderr during its last move."""

    def __str__(self) -> str:
        return f"game {self.game + 1} of {self.player} against {self.opponent}"

    @property
    def pairing(self) -> tuple[str, str]:
        """The names of the player and the opponent."""
        return self.player, self.opponent

    @property
    def pair(self) -> int:
        """Number of the pair in its pairing, from 0: games 2k and 2k + 1 are pair k."""
        return self.game // 2

    @property
    def course(self) -> Course:
        """The seat and the columns: equal in two games of a pairing if one repeats the other."""
        return self.seat, self.columns

    @property
    def in_seats(self) -> tuple[str, str]:
        """The names of the first and the second to move."""
        return self.pairing if self.seat == 1 else (self.opponent, self.player)

    @property
    def turned(self) -> "GameRecord":
        """The same game from the opponent's view."""
        return replace(
            self,
            player=self.opponent,
            opponent=self.player,
            seat=3 - self.seat,
            result=self.result if DONE not in self.statuses else OTHER_VIEW[self.result],
        )

    @property
    def ending(self) -> str:
        """How the game ended, in words, such as "X wins"."""
        own, other = SYMBOLS[self.seat], SYMBOLS[3 - self.seat]
        return {
            Result.WIN: f"{own} wins",
            Result.LOSS: f"{other} wins",
            Result.DRAW: "A draw",
            Result.PLAYER_FAILED: f"{own} failed",
            Result.OPPONENT_FAILED: f"{other} failed",
        }[self.result]

    def seen_by(self, name: str) -> "GameRecord":
        """The game from the view of one of the two players, given by name."""
        return self if name == self.player else self.turned

    @property
    def status(self) -> str:
        """The player's final status."""
        return self.statuses[self.seat - 1]

    @property
    def seconds(self) -> tuple[float, ...]:
        """The seconds of each of the player's moves."""
        return self.durations[self.seat - 1]

    @property
    def failures(self) -> dict[str, str]:
        """Kaggle's statuses of the players that failed; before OpenSpiel's games both may fail.

        If a player plays itself, a failure in either seat is its own.
        """
        statuses = zip(self.in_seats, self.statuses, strict=True)
        return {name: status for name, status in statuses if status != DONE}
