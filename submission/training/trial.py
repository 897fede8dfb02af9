"""How well a policy plays: games against random actions, from both seats."""

from typing import NamedTuple

from agents.protocol import Agent
from agents.random_agent import RandomAgent
from agents.trained.policy_agent import PolicyAgent
from agents.trained.policy_file import TrainedPolicy, encode_policy
from envs.board import BoardGame
from submission.evaluating.judging.statistics import Estimate, score_estimate


class SeatRecord(NamedTuple):
    """How the games from one seat ended."""

    wins: int
    draws: int
    losses: int

    @property
    def won(self) -> Estimate:
        """The share of the games that were won, with its 95 % interval."""
        return score_estimate(self.wins, sum(self))


class Trial(NamedTuple):
    """What a policy could do at some point of its training."""

    steps: int
    """Steps that it had learnt from."""
    seconds: float
    """How long that had taken."""
    first: SeatRecord
    second: SeatRecord


def play_seat(policy: TrainedPolicy, game: BoardGame, seat: int, games: int) -> SeatRecord:
    """Play a policy, always choosing its preferred action, against random actions.

    Args:
        policy: who plays.
        game: the game that it was trained for.
        seat: 1 or 2.
        games: how many; the same number gives the same games.
    """
    players = {seat: PolicyAgent(encode_policy(policy)), 3 - seat: RandomAgent(seed=seat)}
    sign = 1 if seat == 1 else -1
    results = [sign * game_value(game, players) for _ in range(games)]
    return SeatRecord(results.count(1), results.count(0), results.count(-1))


def game_value(game: BoardGame, players: dict[int, Agent]) -> float:
    """How a game between two players ends, from player 1's view."""
    state, reward = game.initial_state(), 0.0
    while game.get_available_actions(state):
        action = players[state.player].act(game, state)
        reward, state = game.reward(state, action), game.get_next_state(state, action)
    return reward
