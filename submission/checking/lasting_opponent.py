"""An opponent that makes a game long, so that it shows what a full one takes of the bank of time.

Against Kaggle's `random` agent a game ends after a few moves, and one of a submission against
itself may do so: most moves of a full game would have to be guessed.
"""

from collections.abc import Callable, Sequence

from agents.book.opening_book import shipped_book_of
from agents.solver.solver import Solver
from agents.solver.solver_engine import is_solvable
from envs.board import BoardGame
from envs.connectx import ConnectX

SECONDS = 1.0
"""For each of its moves; they take none of the submission's time."""

TABLE_MEGABYTES = 16

Chooser = Callable[[Sequence[int], Sequence[int]], int]
"""From the columns that were played and those that are legal to the one to play."""


def lasting_opponent(env: BoardGame, otherwise: Chooser) -> Chooser:
    """The opponent: it plays whatever keeps the end of the game farthest, its own win too.

    Args:
        env: the rules.
        otherwise: plays where the solver does not take the board.
    """
    return _LastingOpponent(env).choose if is_solvable(env) else otherwise


class _LastingOpponent:
    def __init__(self, env: ConnectX) -> None:
        self._env = env
        self._solver = Solver(env, TABLE_MEGABYTES, book=shipped_book_of(env))

    def choose(self, played: Sequence[int], legal: Sequence[int]) -> int:
        """The move whose score is nearest to 0, that of the draw that fills the board.

        A win or a loss scores more the sooner it comes (see `agents.solver.solver.ScoreBounds`). It
        wins only where nothing else is left: an opponent may miss what it has to prevent.
        """
        state = self._env.initial_state()
        for column in played:
            state = self._env.get_next_state(state, column)
        scores = self._solver.scores(state, SECONDS)

        def haste(column: int) -> tuple[bool, int]:
            bounds = scores[column]
            return self._env.reward(state, column) != 0, abs(bounds.lower + bounds.upper)

        return min(legal, key=haste)
