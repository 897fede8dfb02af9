"""Prospects of an exact player against one who errs, in positions that are not won."""

from collections.abc import Sequence
from functools import partial

from agents.agent import Clock, legal_actions
from agents.alpha_beta import AlphaBeta, TranspositionTable
from agents.compiled.compiled_alpha_beta import (
    ALPHA_BETA,
    CompiledAlphaBeta,
    alpha_beta_of_wide_board,
    can_compile,
)
from agents.guidance.final_move import LOOK_AHEAD, best_against_fallible, value_against_fallible
from agents.guidance.heuristics import open_lines
from agents.guidance.ordering import centre_first
from agents.solver.exact_moves import ExactMoves
from envs.board import BoardState
from envs.connectx import ConnectX

MOST_REPLIES = 2
"""Replies of the opponent that are looked ahead."""
MISTAKE = 0.1
"""How often a move of the opponent beyond these is thought to be a mistake; 0.1 to 0.3 did equally
well in matches."""


class Prospects:
    """Ranks moves that keep a drawn or lost result by what a fallible opponent makes of them.

    Args:
        exact_moves: judges positions.
    """

    def __init__(self, exact_moves: ExactMoves) -> None:
        self.exact_moves = exact_moves
        self.env = exact_moves.env
        self.clock = Clock()
        self._opponent = _look_ahead(self.env)
        self._scores: dict[BoardState, int] = {}

    def best(self, state: BoardState, candidates: Sequence[int], clock: Clock) -> int:
        """The most promising of the candidates, looking as many replies ahead as time allows.

        Args:
            state: the position, which the player to move cannot win.
            candidates: moves that keep its result, at least one; the first of them is taken where
                the others are no better, or the time is up at once.
            clock: ends the search.
        """
        self.clock = self._opponent.clock = clock
        self._scores = {}
        best = candidates[0]
        for replies in range(MOST_REPLIES):
            exact = partial(self._value_after, replies=replies)
            best_first = sorted(candidates, key=lambda move: move != best)
            best = best_against_fallible(self.env, state, best_first, self.seen, exact)
        return best

    def seen(self, state: BoardState, action: int) -> float:
        """Evaluate a move as the opponent's look-ahead does, from player 1's view."""
        value, _ = self._opponent.action_value(state, action, LOOK_AHEAD, 0, -1.0, 1.0)
        return value

    def _value_after(self, state: BoardState, action: int, replies: int) -> float:
        """Evaluate a move, with so many more replies that are likely and not exact.

        From player 1's view; exact where the game ends.
        """
        child = self.env.get_next_state(state, action)
        if not self.env.get_available_actions(child):
            return self.env.reward(state, action)
        sign = 1 if child.player == 1 else -1
        score = self._score(child)
        if replies == 0 or score > 0:
            return sign * promise(self._stones_left(child) // 2, score)
        exact = partial(self._value_after, replies=replies - 1)
        return sign * max(
            sign * value_against_fallible(self.env, child, move, self.seen, exact)
            for move in self._keeping(child, score)
        )

    def _stones_left(self, state: BoardState) -> int:
        return self.env.rows * self.env.columns - state.mask.bit_count()

    def _keeping(self, state: BoardState, score: int) -> Sequence[int]:
        """The moves that keep a drawn or lost result: where it is lost, all of them."""
        moves = legal_actions(self.env, state)
        if score < 0:
            return moves
        return [move for move in moves if self._score(self.env.get_next_state(state, move)) == 0]

    def _score(self, state: BoardState) -> int:
        """The exact score of a position, for the player to move.

        Raises:
            TimeUp: it was not proven in time.
        """
        if state not in self._scores:
            known = self.exact_moves.solver.known(state)
            score = known.lower if known else self.exact_moves.score(state, self.clock)
            self._scores[state] = score
        return self._scores[state]


def promise(stones_left: int, score: int) -> float:
    """Evaluate a position for a player who plays exactly, where each reply may be a mistake.

    Args:
        stones_left: how many stones the opponent has left.
        score: the exact score; see `agents.solver.solver.ScoreBounds`.

    Returns:
        1.0 where it is won; below, one mistake is thought to be worth half of what there is to
        win: from a loss to a draw, or from a draw to a win.
    """
    if score > 0:
        return 1.0
    moves = stones_left + score  # before the winning one, where it is lost
    return (-1.0 if score < 0 else 0.0) + 1.0 - (1.0 - MISTAKE) ** moves


def _look_ahead(env: ConnectX) -> AlphaBeta[BoardState, int]:
    """The search by which the opponent is thought to choose."""
    compilation = alpha_beta_of_wide_board(env) or ALPHA_BETA
    if can_compile(env, open_lines, centre_first) and compilation.is_ready():
        return CompiledAlphaBeta(env, open_lines, centre_first, Clock(), 0, killer_moves=True)
    table = TranspositionTable(0)
    return AlphaBeta(env, open_lines, centre_first, Clock(), table, killer_moves=True)
