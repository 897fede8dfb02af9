"""Trials of a policy: games against random actions from both seats, and their curve."""

from collections.abc import Sequence
from io import BytesIO
from typing import NamedTuple

from agents.agent import Agent
from agents.baselines import RandomAgent
from agents.policy.network import TrainedPolicy, encode_policy
from agents.policy.policy_agent import PolicyAgent
from agents.stats import Estimate, score_estimate
from envs.board import BoardGame


class SeatRecord(NamedTuple):
    """The results of the games from one seat."""

    wins: int
    draws: int
    losses: int

    @property
    def won(self) -> Estimate:
        """The share of the games that were won, with its 95 % interval."""
        return score_estimate(self.wins, sum(self))


class Trial(NamedTuple):
    """The strength of a policy at some point of its training."""

    steps: int
    """Steps learnt from by then."""
    seconds: float
    """Time taken by then."""
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
    """Play a game between two players; its value from player 1's view."""
    state, reward = game.initial_state(), 0.0
    while game.get_available_actions(state):
        action = players[state.player].act(game, state)
        reward, state = game.reward(state, action), game.get_next_state(state, action)
    return reward


COLOURS = ("#1d4e89", "#e4572e")


def curve_png(trials: Sequence[Trial]) -> bytes:
    """The curve as a PNG; bands are 95 % intervals."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    steps = [trial.steps for trial in trials]
    seats: dict[str, list[SeatRecord]] = {
        "as player 1": [trial.first for trial in trials],
        "as player 2": [trial.second for trial in trials],
    }
    for (label, records), colour in zip(seats.items(), COLOURS, strict=True):
        won = [record.won for record in records]
        axes.plot(steps, [100 * share.value for share in won], color=colour, label=label)
        axes.fill_between(
            steps,
            [100 * share.low for share in won],
            [100 * share.high for share in won],
            color=colour,
            alpha=0.15,
            linewidth=0,
        )
    axes.set_xscale("symlog", linthresh=max(1, steps[min(1, len(steps) - 1)]))
    axes.set_xlabel("steps learnt from")
    axes.set_ylabel("games won against random actions, %")
    axes.set_ylim(0, 101)
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    file = BytesIO()
    figure.savefig(file, dpi=120, format="png")
    return file.getvalue()
