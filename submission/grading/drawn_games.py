"""Positions as they come up when players of different strength play each other."""

from enum import Enum
from random import Random

from agents.alpha_beta_agent import AlphaBetaAgent
from agents.guidance.opponent_models import OpponentModel, epsilon_greedy
from envs.board import BoardState
from submission.grading.position_settings import LAST_PLY
from submission.grading.solved_position import GAME, two_plies_decide


class Style(Enum):
    """Which positions to draw."""

    THOUGHT = "thought"
    """Those in which two plies of look-ahead do not decide on a column."""
    TACTICS = "tactics"
    """Those in which they do."""

    @property
    def plies(self) -> range:
        """After how many plies there are any in which something is at stake."""
        return range(LAST_PLY) if self is Style.THOUGHT else range(5, LAST_PLY + 1)

    def admits(self, state: BoardState) -> bool:
        """Whether an unfinished position is one of them."""
        return two_plies_decide(state) is (self is Style.TACTICS)


LOOK_AHEADS = (2, 4, 6, 8)
"""How many plies a player may look ahead ..."""
RANDOM_SHARES = (0.05, 0.1, 0.2, 0.4)
"""... and how often it may play just anything: a new pair of each for each seat of each game."""

TABLE_SIZE = 10_000


def drawn_moves(style: Style, ply: int, rng: Random) -> str:
    """The moves of a game to a position after `ply` plies, counted from 1.

    Args:
        style: what the position must be.
        ply: one of the style's plies.
        rng: draws the players and their moves.
    """
    while True:
        players = fallible_player(rng), fallible_player(rng)
        moves = ""
        state = GAME.initial_state()
        while len(moves) < ply and GAME.get_available_actions(state):
            action = _draw(players[len(moves) % 2], state, rng)
            state = GAME.get_next_state(state, action)
            moves += str(action + 1)
        if len(moves) == ply and GAME.get_available_actions(state) and style.admits(state):
            return moves


def fallible_player(rng: Random) -> OpponentModel:
    """A player who looks some plies ahead and errs at times."""
    agent = AlphaBetaAgent(depth=rng.choice(LOOK_AHEADS), time_limit=None, table_size=TABLE_SIZE)
    return epsilon_greedy(agent, rng.choice(RANDOM_SHARES))


def _draw(player: OpponentModel, state: BoardState, rng: Random) -> int:
    probabilities = player(GAME, state)
    (action,) = rng.choices(list(probabilities), list(probabilities.values()))
    return int(action)
