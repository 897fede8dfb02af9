"""A fixed sample of solved positions, in which a policy's moves are judged without a search.

Positions come up in games of random moves. Of them are taken those in which something is at stake:
some moves keep the result and some do not, and no move wins at once. Every training of a game is
judged by the same ones.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.book.opening_book import shipped_book_of
from agents.policy.network import TrainedPolicy
from agents.policy.training.batch_play import preferred_actions
from agents.solver.solver import Solver
from agents.stats import Estimate, score_estimate
from envs.bitboard import fits_in_word
from envs.board import BoardGame, BoardState
from envs.connectx import ConnectX

SAMPLE_SIZE = 300
SAMPLE_SEED = 17
MOVE_NODES = 30_000
"""For the score of a move; a position with one that takes more is passed over."""
ALL_NODES = 20_000_000
"""For all scores: some seconds. Where they do not suffice, the sample is smaller."""
MOST_DRAWN = 20 * SAMPLE_SIZE
"""Positions that are looked at; on small boards there are few in which something is at stake."""
MOST_CELLS = 9
"""Of a board that is solved by trying every continuation."""

ILLEGAL = -128
"""Stands for the score of an action that is not legal."""


class Judgement(NamedTuple):
    """Shares of a sample's positions, with 95 % intervals."""

    keeping: Estimate
    """In which the policy's preferred action keeps the result."""
    best: Estimate
    """In which it is exactly best: the fastest win, the slowest loss."""


class SolvedSample(NamedTuple):
    """Solved positions of one game."""

    states: tuple[BoardState, ...]
    scores: NDArray[np.int8]
    """Shape (positions, actions), for the player to move: above 0 won, 0 drawn, below 0 lost, the
    sooner the farther from 0; `ILLEGAL` where an action is not legal."""

    def judge(self, policy: TrainedPolicy, game: BoardGame) -> Judgement:
        """Find out how often a policy prefers a good action."""
        preferred = preferred_actions(policy, game, self.states)
        scores = self.scores[np.arange(len(preferred)), preferred]
        most = self.scores.max(axis=1)
        keeping, best = np.sign(scores) == np.sign(most), scores == most
        return Judgement(*(score_estimate(int(good.sum()), len(good)) for good in (keeping, best)))


def draw_sample(game: BoardGame) -> SolvedSample | None:
    """Draw and solve the sample of a game; None where nothing solves it in seconds."""
    score_actions = _scorer(game)
    if score_actions is None:
        return None
    found: dict[BoardState, Scores] = {}
    for state in _drawn_states(game, Random(SAMPLE_SEED)):
        scores = None if state in found else score_actions(state)
        if scores is not None and len(set(np.sign([*scores.values()]))) > 1:
            found[state] = scores
        if len(found) == SAMPLE_SIZE:
            break
    table = np.full((len(found), len(game.action_cells)), ILLEGAL, np.int8)
    for row, scores in zip(table, found.values(), strict=True):
        row[list(scores)] = list(scores.values())
    return SolvedSample(tuple(found), table) if found else None


def _drawn_states(game: BoardGame, rng: Random) -> Iterator[BoardState]:
    """Unfinished positions after random moves, without a win at once."""
    for _ in range(MOST_DRAWN):
        state = game.initial_state()
        for _ in range(rng.randrange(game.rows * game.columns)):
            actions = game.get_available_actions(state)
            if not actions:
                break
            state = game.get_next_state(state, rng.choice(actions))
        actions = game.get_available_actions(state)
        if actions and not any(game.get_next_state(state, action).won for action in actions):
            yield state


Scores = Mapping[int, int]
"""By legal action, as in `SolvedSample.scores`."""


def _scorer(game: BoardGame) -> Callable[[BoardState], Scores | None] | None:
    """Scores the actions of positions, but for those that take too long; None for want of a way."""
    if isinstance(game, ConnectX) and fits_in_word(game.rows, game.columns, game.inarow):
        return _solver_scorer(game)
    if game.rows * game.columns <= MOST_CELLS:
        return _exhaustive_scorer(game)
    return None


def _solver_scorer(game: ConnectX) -> Callable[[BoardState], Scores | None]:
    """By the solver, limited by nodes and not by time: so every run has the same sample."""
    solver = Solver(game, book=shipped_book_of(game))

    def score_actions(state: BoardState) -> Scores | None:
        scores = {}
        for action in game.get_available_actions(state):
            child = game.get_next_state(state, action)
            limit = min(MOVE_NODES, ALL_NODES - solver.nodes)
            bounds = solver.known(child) or solver.bounds(child, node_limit=limit)
            if not bounds.exact:
                return None
            scores[action] = -bounds.lower
        return scores

    return score_actions


def _exhaustive_scorer(game: BoardGame) -> Callable[[BoardState], Scores]:
    """By all continuations; a win scores one more than the cells that it leaves free."""
    cells = game.rows * game.columns

    def score_actions(state: BoardState) -> Scores:
        actions = game.get_available_actions(state)
        return {action: -score(game.get_next_state(state, action)) for action in actions}

    @cache
    def score(state: BoardState) -> int:
        if state.won:
            return state.mask.bit_count() - cells - 1
        return max(score_actions(state).values(), default=0)

    return score_actions
