"""How long a game is observed, and how much of the bank of time a full game takes.

A full game is one in which the board fills up. Most games end sooner, even those of a submission
against itself, but a seat that exceeds its time in each move runs out of its bank only in long
games. So an opponent prolongs a game; otherwise the times of most moves of a full game would have
to be estimated.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import fmean

from agents.book.opening_book import shipped_book_of
from agents.solver.solver import Solver
from agents.solver.solver_engine import is_solvable
from envs.board import BoardGame, state_after
from submission.checking.game_plan import GamePlan, Limits, Seat
from submission.sandbox.causes import Cause
from submission.sandbox.move import Move

SOLVER_SECONDS = 1.0  # for a move of the opponent, during which the submission's clock is stopped

SOLVER_MEGABYTES = 16

Chooser = Callable[[Sequence[int], Sequence[int]], int]
"""Chooses a column, given the columns played so far and the legal ones."""


def lasting_opponent(env: BoardGame, otherwise: Chooser) -> Chooser:
    """An opponent that makes the game as long as possible, even by delaying its own win.

    It plays the move whose score is nearest to 0, the score of a draw, which fills the board: the
    sooner a win or a loss, the further its score is from 0 (see
    `agents.solver.solver.ScoreBounds`). It wins only if it has no other move, as when its opponent
    misses a threat. If the solver does not take the board, it plays `otherwise`.
    """
    if not is_solvable(env):
        return otherwise
    solver = Solver(env, SOLVER_MEGABYTES, book=shipped_book_of(env))

    def choose(played: Sequence[int], legal: Sequence[int]) -> int:
        state = state_after(env, played)
        scores = solver.scores(state, SOLVER_SECONDS)

        def haste(column: int) -> tuple[bool, int]:
            bounds = scores[column]
            return env.reward(state, column) != 0, abs(bounds.lower + bounds.upper)

        return min(legal, key=haste)

    return choose


def has_shown_enough(
    moves: Mapping[Seat, Sequence[Move]], plan: GamePlan, limits: Limits, seconds: float
) -> bool:
    """Whether a game can no longer show a lack of time, `seconds` after its first move."""
    if seconds <= plan.seconds:
        return False
    if plan.decides and min(map(len, moves.values())) < 2:
        return False  # a first move says nothing about the pace
    return not plan.is_long or not doubtful_seats(moves, plan, limits)


def overtimes(moves: Sequence[Move], act_timeout: float) -> list[float]:
    """The seconds that each move of a seat took from its bank."""
    return [max(0.0, move.seconds - act_timeout) for move in moves]


def doubtful_seats(
    moves: Mapping[Seat, Sequence[Move]], plan: GamePlan, limits: Limits
) -> list[Seat]:
    """The seats whose bank could run out in a full game at the slowest pace observed.

    A seat's first move is not counted for the pace, because it includes loading the file; without
    another one the pace is unknown, and the seat is doubtful.
    """
    doubtful = list[Seat]()
    for seat, own in moves.items():
        taken = overtimes(own, plan.rules.act_timeout)
        slowest = max(taken[1:], default=limits.bank)
        if sum(taken) + (plan.most_moves(seat) - len(own)) * slowest > limits.bank:
            doubtful.append(seat)
    return doubtful


def overtimes_of_full_game(
    moves: Sequence[Move], most_moves: int, act_timeout: float
) -> list[float]:
    """Estimate the seconds that each move of a full game takes from the bank.

    Moves that were not played are assumed to be as slow as the later half of those that were, on
    average and without the first. The mean of all would be too high for an agent that searches deep
    in the opening and is fast when few cells are left; the slowest would be too high for one that
    is slow only once.
    """
    seen = overtimes(moves, act_timeout)
    later_half = seen[1 + len(seen[1:]) // 2 :]
    pace = fmean(later_half) if later_half else 0.0
    return seen + [pace] * (most_moves - len(seen))


def of_full_game(moves: Sequence[Move], most_moves: int, limits: Limits) -> Cause | None:
    """Why a full game would time out, judging by a seat's moves; None if it would not."""
    expected = overtimes_of_full_game(moves, most_moves, limits.act_timeout)
    late = [number for number, sum_ in enumerate(accumulate(expected), 1) if sum_ > limits.bank]
    if not late:
        return None
    taken = sum(expected[: len(moves)])
    return Cause(
        f"{in_full_game(late[0])}: {len(moves)} moves took {taken:.1f} s of the {limits.bank:g} s "
        f"in the bank, and the next ones would take {expected[-1]:.1f} s each",
        "plan the time of a move from actTimeout and remainingOverageTime, with a margin",
    )


def in_full_game(move: int) -> str:
    """Say that a full game would time out at a seat's move, counted from 1."""
    return f"a full game would time out at move {move}"


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds, over the games that decide."""

    loading: float  # the longest time to load the file
    first_move: float  # the longest first move, including loading and compiling
    mean: float  # the mean of all moves
    percentile_99: float
    longest: float
    longest_later: float | None  # the longest move after a seat's first; None if there is none
    bank: float  # seconds that a game's moves may take beyond their limit, in total
    bank_taken: float  # the most that one seat took from the bank in a game, as far as played
    bank_of_full_game: float
    """Seconds that a full game would take from the bank; see `overtimes_of_full_game`."""

    @property
    def bank_left(self) -> float:
        """The least that a full game would leave of the bank, at least 0."""
        return max(0.0, self.bank - self.bank_of_full_game)
