"""Where will a strong opponent err? Where networks doubt a win that is certain.

A book of traps is found by asking strong searches for their replies, which takes a tenth of a
second a position; networks are asked in microseconds. Where player 2 of Connect Four is lost, the
opponents of the shipped book erred eleven times as often, and the two strongest 25 times as often,
if `distilled` was not sure of their win.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import atanh

from agents.compiled.learned_value import LearnedValue
from agents.policy.shipped import SHIPPED, StoredPolicy
from agents.traps.trap_search import promise
from agents.traps.trap_tree import Turn
from envs.board import BoardState
from envs.connectx import ConnectX

MISTAKE = 0.01  # the assumed share of mistakes where networks have no doubt
WEIGHT_OF_DOUBT = 0.06  # points for each unit of doubt, on the scale of atanh
SURE = 0.99  # the value of the player to move from which a network has no doubt
MOST = 0.5  # the largest guess for a lost position
KNOWN = 1 << 20  # positions whose doubts are kept


class NetworkGuess:
    """Guesses what a move in a lost position is worth by how far networks doubt the opponent's win.

    Args:
        env: the rules.
        networks: of that game, at least one.
    """

    def __init__(self, env: ConnectX, networks: Sequence[LearnedValue]) -> None:
        self.env = env
        self.networks = networks
        self._doubt = lru_cache(KNOWN)(self._new_doubt)

    def __call__(self, state: BoardState, turn: Turn) -> Sequence[float]:
        """Guess the value of each move."""
        stones_left = (self.env.rows * self.env.columns - state.mask.bit_count()) // 2
        least = promise(stones_left, turn.score, MISTAKE)
        if turn.score >= 0:
            return (least,) * len(turn.moves)
        following = (self.env.get_next_state(state, column) for column in turn.moves)
        return [min(MOST, least + WEIGHT_OF_DOUBT * self._doubt(child)) for child in following]

    def _new_doubt(self, state: BoardState) -> float:
        """How far the networks are from being sure that the player to move wins."""
        if not self.env.get_available_actions(state):
            return 0.0
        sign = 1 if state.player == 1 else -1
        values = (sign * network(self.env, state) for network in self.networks)
        return sum(atanh(SURE) - atanh(min(SURE, max(-SURE, value))) for value in values)


def shipped_networks(env: ConnectX) -> Sequence[LearnedValue]:
    """The networks of the package that know a game."""
    networks = (LearnedValue(StoredPolicy(name)) for name in SHIPPED)
    return [network for network in networks if network.knows(env)]
