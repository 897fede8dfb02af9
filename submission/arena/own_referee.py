"""Referees games by this package's own rules: those of Kaggle's environment, many times faster.

All referees share `play_out`, its result `PlayedGame`, and `require_played`, which checks a game's
record. `move_in` asks for a single move in any position.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Any, Protocol

from envs.board import BoardGame, BoardState, state_after
from envs.connectx import ConnectX
from submission.arena.game_record import EPISODE_STEPS, GameConfiguration, GameRecord, Result
from submission.arena.seats import Seat
from submission.kaggle import BANK, DONE
from submission.sandbox.causes import of_late_move
from submission.sandbox.move import FAILING_STATUSES, Failure, Move, misplaced


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """The course of a game; pairs are in seat order."""

    columns: Sequence[int]  # all columns that were carried out, including the opening
    durations: tuple[Sequence[float], Sequence[float]]  # seconds of each move of each seat
    statuses: tuple[str, str]
    rewards: tuple[int | None, int | None]
    failure: Failure | None
    """The failure of the seat without a reward; if neither seat has a reward, that of seat 1, with
    a cause for both."""


class _Game(Protocol):
    """A game in progress under any referee; `OwnGame` describes the members."""

    @property
    def mover(self) -> int: ...
    @property
    def over(self) -> bool: ...
    def observation(self) -> dict[str, Any]: ...
    def configuration(self) -> dict[str, Any]: ...
    def drop(self, column: int, /) -> None: ...
    def carry_out(self, move: Move) -> Failure | None: ...
    def ended(self, failure: Failure | None) -> PlayedGame: ...


def play_out(game: _Game, seats: tuple[Seat, Seat], opening: tuple[int, ...]) -> PlayedGame:
    """Ask the seats in turn, after an opening, until the game is over or one of them has failed."""
    for column in opening:
        game.drop(column)
    failure = None
    while failure is None and not game.over:
        move = seats[game.mover].act(game.observation(), game.configuration())
        failure = game.carry_out(move)
    return game.ended(failure)


def hold_in_own_arena(
    seats: tuple[Seat, Seat], opening: tuple[int, ...], configuration: GameConfiguration
) -> PlayedGame:
    """Play a game of ConnectX by our own rules; see `play_out`."""
    return play_out(OwnGame(configuration), seats, opening)


class OwnGame:
    """A game in progress as on Kaggle's environment: the board, whose turn it is, the clocks.

    Pairs are in seat order. A seat's moves may exceed their limit by the bank in total.
    """

    def __init__(self, configuration: GameConfiguration, bank: float = BANK) -> None:
        size = configuration.rows, configuration.columns, configuration.inarow
        self._env, self._cells = _rules(*size)
        self._state = self._env.initial_state()
        self._board = [0] * len(self._cells)
        self.columns: list[int] = []
        self._limit = configuration.act_timeout
        self._banks: list[float] = [bank, bank]
        self._durations: tuple[list[float], list[float]] = ([], [])
        self._configuration = configuration.for_players()

    @property
    def mover(self) -> int:
        """The index of the seat to move: 0 or 1."""
        return self._state.player - 1

    @property
    def over(self) -> bool:
        """Whether the game has ended without a failure."""
        return not self.legal_columns() or len(self.columns) == EPISODE_STEPS - 1

    def legal_columns(self) -> Sequence[int]:
        """The columns with room for a stone."""
        return self._env.get_available_actions(self._state)

    def observation(self) -> dict[str, Any]:
        """The observation of the seat to move: a copy, which it may change."""
        return {
            "remainingOverageTime": self._banks[self.mover],
            "step": len(self.columns),
            "board": self._board.copy(),
            "mark": self._state.player,
        }

    def configuration(self) -> dict[str, Any]:
        """The configuration that players get: a copy, which they may change."""
        return self._configuration.copy()

    def carry_out(self, move: Move) -> Failure | None:
        """Charge the time of a move and play it; return the failure that prevents it, or None."""
        mover, bank = self.mover, self._banks[self.mover]
        self._durations[mover].append(move.seconds)
        self._banks[mover] -= max(0, move.seconds - self._limit)
        move = judged(move, bank, self.legal_columns(), self._configuration)
        if move.column is not None:
            self.drop(move.column)
        return move.failure

    def drop(self, column: int) -> None:
        """Drop a stone of the seat to move, untimed; ValueError if the column has no room."""
        before = self._state
        self._state = self._env.get_next_state(before, column)
        self._board[self._cells[before.mask ^ self._state.mask]] = before.player
        self.columns.append(column)

    def ended(self, failure: Failure | None) -> PlayedGame:
        """The whole game; a failed seat has no reward, and the other one gets 0."""
        statuses, rewards = (DONE, DONE), rewards_of(self._env.winner(self._state))
        if failure is not None and self.mover == 0:
            statuses, rewards = (failure.status, DONE), (None, 0)
        elif failure is not None:
            statuses, rewards = (DONE, failure.status), (0, None)
        return PlayedGame(self.columns, self._durations, statuses, rewards, failure)


def rewards_of(winner: int | None) -> tuple[int | None, int | None]:
    """The rewards of both seats in a game in which nobody has failed."""
    return {None: (0, 0), 1: (1, -1), 2: (-1, 1)}[winner]


def require_played(record: GameRecord, rules: GameConfiguration, env: BoardGame, seat: int) -> None:
    """Replay a game; ValueError if no referee can have recorded it so for a player in this seat."""
    try:
        state = state_after(env, record.columns)
    except ValueError:
        raise ValueError(f"no game has the columns {[*record.columns]}") from None
    failing = [place for place in (0, 1) if record.statuses[place] != DONE]
    is_open_spiel = rules.referee.is_open_spiel
    rewards = _possible_rewards(is_open_spiel, env.winner(state), failing)
    is_longest = not is_open_spiel and len(record.columns) == EPISODE_STEPS - 1
    is_over = is_longest or not env.get_available_actions(state)
    # OpenSpiel's environments ask both seats before the first move, when either may fail.
    failed_before = is_open_spiel and not record.columns and bool(failing)
    fits = {
        "seat": record.seat == seat,
        "statuses": {*record.statuses} <= {DONE, *FAILING_STATUSES}
        and (failed_before or failing == ([] if is_over else [state.player - 1])),
        "opening": failed_before or record.columns[: len(record.opening)] == record.opening,
        "rewards": record.rewards in rewards,
        "result": record.result is Result.of(record.statuses, rewards[0], seat),
        "durations": all(_has_times(record, place, place in failing) for place in (0, 1)),
        "cause": (record.cause is not None) is bool(failing),
    }
    for name, fit in fits.items():
        if not fit:
            told = getattr(record, name)
            raise ValueError(f"{name} {told!r} does not fit the columns {[*record.columns]}")


def _possible_rewards(
    is_open_spiel: bool, winner: int | None, failing: Sequence[int]
) -> list[tuple[int | None, int | None]]:
    """The rewards that the referee may have given the seats, the most likely first."""
    if not failing:
        return [rewards_of(winner)]
    if len(failing) == 2:
        return [(None, None)]
    told: list[tuple[int | None, int]] = [(None, 1), (-1, 1)] if is_open_spiel else [(None, 0)]
    return [(failed, other) if failing == [0] else (other, failed) for failed, other in told]


def _has_times(record: GameRecord, place: int, failed: bool) -> bool:
    """Whether each move of a seat, including a failed one, has a time."""
    begin, seconds = len(record.opening), record.durations[place]
    moves = len(range(begin + (begin + place) % 2, len(record.columns), 2))
    return len(seconds) == moves + failed and all(0 <= each < inf for each in seconds)


def overtime(move: Move, limit: float, bank: float) -> Failure | None:
    """The failure of a move that took longer than its limit and its bank; None if in time."""
    if move.seconds - limit <= bank:
        return None
    if move.failure is not None and move.failure.status == "TIMEOUT":
        return move.failure
    cause = of_late_move(move.seconds, limit)
    stderr = move.failure.stderr if move.failure else ()
    return Failure("TIMEOUT", cause.text, stderr, cause.mend)


def move_in(seat: Seat, env: ConnectX, state: BoardState, act_timeout: float) -> Move:
    """Ask a seat for its move in a position, with a full bank; an illegal move is a failure."""
    rules = GameConfiguration(env.rows, env.columns, env.inarow, act_timeout).for_players()
    observation = {
        "remainingOverageTime": BANK,
        "step": state.ply,
        "board": env.to_board(state),
        "mark": state.player,
    }
    move = seat.act(observation, rules)
    return judged(move, BANK, env.get_available_actions(state), rules)


def judged(move: Move, bank: float, legal: Sequence[int], configuration: Mapping[str, Any]) -> Move:
    """The move as it counts: a failure, without a column, if it is late, illegal or one already."""
    failure = overtime(move, configuration["actTimeout"], bank) or move.failure
    if failure is None and move.column not in legal:
        failure = misplaced(move.column, configuration)
    return Move(None if failure else move.column, move.seconds, failure)


@lru_cache(maxsize=16)
def _rules(rows: int, columns: int, inarow: int) -> tuple[ConnectX, Mapping[int, int]]:
    """The game, and the index of each cell's bit on Kaggle's board."""
    env = ConnectX(rows, columns, inarow)
    return env, {cell: index for index, cell in enumerate(env.cell_masks)}
