"""The move in a lost position after which a likely opponent errs, for the page."""

from collections.abc import Generator

from agents.agent import Clock
from agents.book.book_format import shipped_traps
from agents.compiled.compilation import takes_wide_words
from agents.guidance.ordering import sensible_actions
from agents.solver.solver import Solver
from agents.traps.likely_replies import Judge
from agents.traps.trap_setter import TrapSetter
from agents.traps.trap_tree import Turn
from envs.board import BoardState
from envs.connectx import ConnectX
from submission.web.searching.values import PositionValues

SECONDS, TRIALS = 2.0, 400  # limits of the search, the same as those of `perfect`
PIECE_SECONDS = 0.1  # the longest time between two yields


def growing_trap(
    solver: Solver, state: BoardState, values: PositionValues
) -> Generator[None, None, int | None]:
    """Find the move that `perfect` would play before it has seen the opponent play.

    Yields after each trial, and repeatedly during a long one.

    Returns:
        A column from 0, from the book of traps or by search; None if the position is not proven
        to be lost, only one move is sensible, or the search is not compiled for the board.
    """
    env = solver.env
    if values.position.kind != "loss" or not solver.is_compiled or takes_wide_words(env):
        return None
    moves = [*sensible_actions(env, state, env.get_available_actions(state))]
    if len(moves) == 1:
        return None
    by_heart = shipped_traps().move(state) if env == ConnectX() else None
    if by_heart is not None:
        return by_heart
    moves.sort(key=lambda move: values.moves[move].bounds.lower, reverse=True)
    turn, clock = Turn(values.position.bounds.lower, tuple(moves)), Clock(SECONDS)
    best = moves[0]
    setter = TrapSetter(Judge(solver))
    for column in setter.growing(state, turn, TRIALS, lambda: Clock(PIECE_SECONDS)):
        best = column
        if clock.expired():
            break
        yield
    return best
