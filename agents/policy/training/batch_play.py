"""Policies that play without a search, in many games at a time."""

from collections.abc import Sequence
from random import Random

from agents.networks.network import TrainedPolicy
from agents.networks.network_kernel import evaluate_many
from agents.policy.policy_agent import favourite_actions
from envs.board import BoardGame, BoardState


def pair_points(
    first: TrainedPolicy, second: TrainedPolicy, game: BoardGame, openings: Sequence[BoardState]
) -> list[float]:
    """Play two games from each opening, one from each seat; both play their `favourite_actions`.

    Returns:
        The points of `first` in each pair, 0 to 2; a draw gives 1/2.
    """
    points = [0.0] * len(openings)
    # By the opening's number and the seat of `first`, 1 or 2; either seat may be to move.
    playing = {(number, seat): state for number, state in enumerate(openings) for seat in (1, 2)}
    while playing:
        for policy, is_first in ((first, True), (second, False)):
            turns = [key for key, state in playing.items() if (state.player == key[1]) is is_first]
            if not turns:
                continue
            states = [playing[key] for key in turns]
            actions, *_ = favourite_actions(evaluate_many, policy.network, game, states)
            for key, state, action in zip(turns, states, actions.tolist(), strict=True):
                playing[key] = after = game.get_next_state(state, action)
                if not game.get_available_actions(after):
                    points[key[0]] += float(is_first) if after.won else 0.5
                    del playing[key]
    return points


MOST_PLIES = 6


def draw_openings(game: BoardGame, count: int, seed: int) -> list[BoardState]:
    """Unfinished positions after some random moves.

    There are at most `MOST_PLIES` moves, on small boards fewer: up to a quarter of the cells.
    """
    openings: list[BoardState] = []
    rng, most = Random(seed), min(MOST_PLIES, game.rows * game.columns // 4)
    while len(openings) < count:
        state = game.initial_state()
        for _ in range(rng.randint(0, most)):
            if actions := game.get_available_actions(state):
                state = game.get_next_state(state, rng.choice(actions))
        if game.get_available_actions(state):
            openings.append(state)
    return openings
