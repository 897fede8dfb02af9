"""How long a game is watched, and how much of the bank of time a full game takes.

A full game is one in which the board is filled. Most games end sooner, even those of a submission
against itself, but a seat that exceeds its time in each move runs out of its bank only in long
games. So an opponent makes a game long; otherwise most moves of a full game would have to be
guessed.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from statistics import fmean

from agents.book.opening_book import shipped_book_of
from agents.solver.solver import Solver
from agents.solver.solver_engine import is_solvable
from envs.board import BoardGame, state_after
from submission.checking.game_plan import GamePlan, Limits, Seat
from submission.sandbox.causes import Cause
from submission.sandbox.move import Move

SOLVER_SECONDS = 1.0  # for a move of the opponent; the submission's clock stands still meanwhile

SOLVER_MEGABYTES = 16

Chooser = Callable[[Sequence[int], Sequence[int]], int]
"""Chooses a column, given the columns that were played and those that are legal."""


def lasting_opponent(env: BoardGame, otherwise: Chooser) -> Chooser:
    """An opponent that makes the game as long as possible, delaying even its own win.

    It plays the move whose score is nearest to 0, that of the draw that fills the board: a win or a
    loss scores more the sooner it comes (see `agents.solver.solver.ScoreBounds`). It wins only if
    it has no other move, as when an opponent misses a threat. It plays `otherwise` if the solver
    does not take the board.
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
    """Whether a game cannot show a lack of time any more, some seconds after its first move."""
    if seconds <= plan.seconds:
        return False
    if plan.decides and min(map(len, moves.values())) < 2:
        return False  # a first move says nothing of the pace
    return not plan.is_long or not doubtful_seats(moves, plan, limits)


def overtimes(moves: Sequence[Move], act_timeout: float) -> list[float]:
    """The seconds that each move of a seat has taken out of its bank."""
    return [max(0.0, move.seconds - act_timeout) for move in moves]


def doubtful_seats(
    moves: Mapping[Seat, Sequence[Move]], plan: GamePlan, limits: Limits
) -> list[Seat]:
    """The seats whose bank could run out in a full game at the slowest pace that was seen.

    A seat's first move is left out of the pace, for it holds the loading of the file; without
    another one nothing is known of the pace.
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
    """Estimate the seconds that each move of a full game takes out of the bank.

    Moves that were not seen are assumed to be as slow as the later half of the moves seen, on
    average, without the first. The mean of all would be too much for an agent that searches deep in
    the opening and is fast when few cells are left; the slowest of all would be too much for one
    that hesitates once.
    """
    seen = overtimes(moves, act_timeout)
    later_half = seen[1 + len(seen[1:]) // 2 :]
    pace = fmean(later_half) if later_half else 0.0
    return seen + [pace] * (most_moves - len(seen))


def of_full_game(moves: Sequence[Move], most_moves: int, limits: Limits) -> Cause | None:
    """Why a full game of a seat would time out, by its moves until an earlier end; None if not."""
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
