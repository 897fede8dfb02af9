"""A fixed sample of solved positions, in which a policy's moves are judged without a search.

Positions are those of `agents.policy.training.labelling`, from games of fallible players, or, if
every continuation can be tried, of games of random moves. The sample takes contested positions:
some moves keep the result and some do not, and no move wins at once. All trainings of a game are
judged by the same positions.
"""

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import numpy as np

from agents.networks.network import TrainedPolicy
from agents.networks.network_kernel import evaluate_many
from agents.policy.policy_agent import favourite_actions
from agents.policy.training.labelled_positions import ILLEGAL, Scores
from agents.policy.training.labelling import label_grove
from agents.reporting.stats import Estimate, score_estimate
from agents.solver.exact_moves import SMALL_BOARD, played_out_score
from agents.solver.position_bounds import win_score
from agents.solver.solver_engine import is_solvable
from envs.board import BoardGame, BoardState
from envs.connectx import ConnectX

SAMPLE_SIZE = 500
SAMPLE_SEED = 20_101_217_170_717  # a number that is unlikely to be the seed of a network's labels
FROM_A_GROVE = 50  # the most positions from one grove: its games are alike
GROVES = 40
GAMES = 3000
MOST_SOLVED_CELLS = 81  # most cells of a board for the solver: on larger ones a grove takes minutes


class Judgement(NamedTuple):
    """Shares of a sample's positions, with 95 % intervals."""

    keeping: Estimate  # in which the policy's favourite action keeps the result
    best: Estimate  # in which it is exactly best: the fastest win, the slowest loss


class SolvedSample(NamedTuple):
    """Solved positions of one game."""

    states: tuple[BoardState, ...]
    scores: Scores
    """Shape (positions, actions), for the player to move: above 0 won, 0 drawn, below 0 lost, the
    sooner the farther from 0; `ILLEGAL` where an action is not legal."""

    def judge(self, policy: TrainedPolicy, game: BoardGame) -> Judgement:
        """Measure how often a policy's favourite action is good."""
        actions, *_ = favourite_actions(evaluate_many, policy.network, game, self.states)
        scores = self.scores[np.arange(len(actions)), actions]
        most = self.scores.max(axis=1)
        keeping, best = np.sign(scores) == np.sign(most), scores == most
        return Judgement(*(score_estimate(int(good.sum()), len(good)) for good in (keeping, best)))


def draw_sample(game: BoardGame) -> SolvedSample | None:
    """Draw and solve the sample of a game, in some seconds.

    Returns:
        The sample, smaller than `SAMPLE_SIZE` if there are fewer positions; None if no position is
        found, or none can be solved.
    """
    if is_solvable(game) and game.rows * game.columns <= MOST_SOLVED_CELLS:
        drawn = _labelled(game)
    elif game.rows * game.columns <= SMALL_BOARD:
        drawn = _tried_out(game)
    else:
        return None
    found: dict[BoardState, Scores] = {}
    for state, scores in drawn:
        found[state] = scores
        if len(found) == SAMPLE_SIZE:
            break
    return SolvedSample(tuple(found), np.stack([*found.values()])) if found else None


def _is_contested(scores: Scores, win: int) -> bool:
    legal = scores[scores != ILLEGAL]
    return legal.max() < win and len(set(np.sign(legal))) > 1


def _labelled(game: ConnectX) -> Iterator[tuple[BoardState, Scores]]:
    """Contested positions by the solver, some of each grove."""
    cells = game.rows * game.columns
    for number in range(GROVES):
        grove = label_grove(game, SAMPLE_SEED, number)
        plies: Any = grove.plies
        wins: Any = win_score(cells, plies)
        contested = [
            (state, scores)
            for state, scores, win in zip(grove.states, grove.scores, wins, strict=True)
            if _is_contested(scores, win)
        ]
        yield from Random(number).sample(contested, min(FROM_A_GROVE, len(contested)))


def _tried_out(game: BoardGame) -> Iterator[tuple[BoardState, Scores]]:
    """Contested positions of a small board by all continuations, after random moves."""
    cells, rng = game.rows * game.columns, Random(SAMPLE_SEED)
    for _ in range(GAMES):
        state = game.initial_state()
        while actions := game.get_available_actions(state):
            scores = np.full(game.action_count, ILLEGAL, np.int8)
            for action in actions:
                scores[action] = -played_out_score(game, game.get_next_state(state, action))
            if _is_contested(scores, win_score(cells, state.ply)):
                yield state, scores
            state = game.get_next_state(state, rng.choice(actions))
