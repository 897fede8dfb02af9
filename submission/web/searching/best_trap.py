"""The move in a lost position after which a likely opponent errs, for the page."""

from collections.abc import Generator
from contextlib import suppress

from agents.agent import Clock, TimeUp
from agents.book.book_format import shipped_traps
from agents.compiled.compilation import takes_wide_words
from agents.guidance.ordering import sensible_actions
from agents.solver.solver import Solver
from agents.traps.likely_replies import Judge
from agents.traps.trap_search import TrapSearch
from agents.traps.trap_setter import MISTAKE, likely_opponents
from agents.traps.trap_tree import Turn
from envs.board import BoardState
from envs.connectx import ConnectX
from submission.web.searching.values import PositionValues

SECONDS, TRIALS = 2.0, 400  # limits of the search, as those of `perfect`
PIECE_SECONDS = 0.1  # the longest time between two yields


def growing_trap(
    solver: Solver, state: BoardState, values: PositionValues
) -> Generator[None, None, int | None]:
    """Find the move that `perfect` would play before it has seen the opponent play.

    It yields after each trial, and during a long one.

    Returns:
        A column from 0, by heart or by a search; None if the position is not proven to be lost,
        there is nothing to choose, or the search is not compiled.
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
    judge, mixture, clock = Judge(solver), likely_opponents(env), Clock(SECONDS)
    search = TrapSearch(env, MISTAKE)
    root = search.turn(state, Turn(values.position.bounds.lower, tuple(moves)), mixture.weights)
    while root.visits < TRIALS and not clock.expired():
        trial = search.select(root)
        if trial is None:
            break
        models = {number: mixture.models[number] for number in trial.models}
        with suppress(TimeUp):  # proofs so far are kept for the next attempt
            search.expand(trial, judge.replies(trial.state, models, Clock(PIECE_SECONDS)))
        yield
    found = search.column(state)
    return moves[0] if found is None else found
