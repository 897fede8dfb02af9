"""Judges the moves of a game by the solver: the score of each move, and of the best one there."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

from agents.solver.exact_moves import best_so_far, bounds_of_best
from agents.solver.solver import ScoreBounds, Solver
from envs.board import BoardState
from envs.connectx import ConnectX


class Mistake(StrEnum):
    """The cost of a move under best play."""

    WIN_TO_DRAW = "win-to-draw"
    WIN_TO_LOSS = "win-to-loss"
    DRAW_TO_LOSS = "draw-to-loss"
    SLOWER = "slower"  # the result is kept, but the win comes later or the loss sooner than it must


GIVEN_AWAY = {
    (1, 0): Mistake.WIN_TO_DRAW,
    (1, -1): Mistake.WIN_TO_LOSS,
    (0, -1): Mistake.DRAW_TO_LOSS,
}
"""The mistake, by the outcomes before and after a move, from the mover's view."""


@dataclass(frozen=True, slots=True)
class JudgedPly:
    """A move with its score; bounds are from the view of the player who made it."""

    ply: int  # plies played before it
    player: int  # 1 or 2
    action: int  # the column, counted from 0
    scores: Mapping[int, ScoreBounds]  # of each column that is not full
    before: ScoreBounds  # of the position, by its best move
    after: ScoreBounds  # of the move that was chosen
    best: tuple[int, ...]
    """The columns with the highest score, as far as is proven; never a proven mistake."""
    mistake: Mistake | None
    """None if the move is no mistake, or not proven to be one; see `decided`."""

    @property
    def decided(self) -> bool:
        """Whether it is proven that the move gives something away, or that it does not."""
        return self.before.outcome is not None and self.after.outcome is not None


def judged_plies(
    env: ConnectX,
    actions: Sequence[int],
    solver: Solver,
    time_limit: float | None = None,
    chosen: Collection[int] | None = None,
) -> Iterator[JudgedPly]:
    """Judge the plies of a game, from the last one backwards.

    In this order quick positions come first, and leave a table that helps with earlier ones.
    `actions` are the columns played from the empty board on, counted from 0; `chosen` the plies to
    judge, None for all; `time_limit` is in seconds per position, None for no limit.
    """
    states = [*accumulate(actions, env.get_next_state, initial=env.initial_state())]
    for ply in sorted(range(len(actions)) if chosen is None else chosen, reverse=True):
        yield judge(solver, states[ply], actions[ply], time_limit)


def judge(solver: Solver, state: BoardState, action: int, time_limit: float | None) -> JudgedPly:
    """Judge a move: a column, counted from 0, in an unfinished position."""
    scores = solver.scores(state, time_limit)
    before, after = bounds_of_best(scores), scores[action]
    return JudgedPly(
        ply=state.ply,
        player=state.player,
        action=action,
        scores=scores,
        before=before,
        after=after,
        best=tuple(best_so_far(scores)),
        mistake=mistake_of(before, after),
    )


def mistake_of(before: ScoreBounds, after: ScoreBounds) -> Mistake | None:
    """The mistake that a move is proven to be, from the bounds of the position and of the move."""
    if before.outcome is None or after.outcome is None:
        return None
    if before.outcome == after.outcome:
        return Mistake.SLOWER if after.upper < before.lower else None
    return GIVEN_AWAY[before.outcome, after.outcome]
