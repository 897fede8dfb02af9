"""What an exact player may hope for against one who errs, in positions that are not won."""

from collections.abc import Sequence
from functools import partial
from math import inf
from typing import Any

from agents.alpha_beta import AlphaBeta
from agents.clock import Clock, TimeUp
from agents.compiled.compiled_alpha_beta import CompiledAlphaBeta, compile_alpha_beta
from agents.evaluation import open_lines
from agents.exact.exact_moves import ExactMoves
from agents.ordering import centre_first
from agents.protocol import legal_actions
from agents.tie_break import LOOK_AHEAD, best_against_fallible, value_against_fallible
from agents.transposition import TranspositionTable
from envs.board import BoardState

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
        try:
            for replies in range(1, MOST_REPLIES + 1):
                exact = partial(self._value_after, replies=replies)
                best = best_against_fallible(self.env, state, candidates, self._seen, exact)
        except TimeUp:
            pass
        return best

    def _seen(self, state: BoardState, action: int) -> float:
        """What the opponent's look-ahead shows of a move, from player 1's view."""
        value, _ = self._opponent.action_value(state, action, LOOK_AHEAD, 0, -1.0, 1.0)
        return value

    def _value_after(self, state: BoardState, action: int, replies: int) -> float:
        """What a reply leads to, this reply and so many less one after it being likely ones."""
        child = self.env.get_next_state(state, action)
