"""Guesses where a strong opponent will err: where networks doubt a win that is certain.

For a book of traps strong searches choose their replies, which takes a tenth of a second per
position; networks take microseconds. In lost positions of player 2 of Connect Four the opponents of
the shipped book erred eleven times as often, and the two strongest 25 times as often, if
`distilled` was not sure of their win.
"""

from collections.abc import Sequence
from math import atanh

from agents.agent import player_sign
from agents.compiled.learned_value import LearnedValue
from agents.networks.shipped import SHIPPED, StoredPolicy
from agents.traps.trap_search import Guess, steady_guess
from agents.traps.trap_tree import Turn
from envs.board import BoardState
from envs.connectx import ConnectX

MISTAKE = 0.01  # the assumed share of mistakes where networks have no doubt
WEIGHT_OF_DOUBT = 0.06  # points for each unit of doubt, on the scale of atanh
SURE = 0.99  # the least value, for the player to move, at which a network has no doubt
MOST = 0.5  # the largest guess for a lost position


def network_guess(env: ConnectX, networks: Sequence[LearnedValue]) -> Guess:
    """Guess the values of moves in a lost position by the networks' doubt in the opponent's win.

    `networks` are networks of the game, at least one.
    """
    without_doubts = steady_guess(env, MISTAKE)

    def doubt(state: BoardState) -> float:
        """How far the networks are from being sure that the player to move wins."""
        if not env.get_available_actions(state):
            return 0.0
        sign = player_sign(env, state)
        values = (sign * network(env, state) for network in networks)
        return sum(atanh(SURE) - atanh(min(SURE, max(-SURE, value))) for value in values)

    def guess(state: BoardState, turn: Turn) -> Sequence[float]:
        least = without_doubts(state, turn)
        if turn.score >= 0:
            return least
        children = (env.get_next_state(state, column) for column in turn.moves)
        return [
            min(MOST, value + WEIGHT_OF_DOUBT * doubt(child))
            for value, child in zip(least, children, strict=True)
        ]

    return guess


def shipped_networks(env: ConnectX) -> Sequence[LearnedValue]:
    """The networks of the package for a game."""
    networks = (LearnedValue(StoredPolicy(name)) for name in SHIPPED)
    return [network for network in networks if network.knows(env)]
