"""Times one environment beside its peers: random legal moves, one ply per step."""

import random
from collections.abc import Sequence
from functools import partial
from importlib import import_module

import gymnasium

from benchmarks.results import Report
from benchmarks.timings import Measurement, Peer, Workload, missing_peers, peer_table
from envs import GYMNASIUM_IDS

STEPS = 5000
"""Plies of a run; runs are repeated until their time is long enough to measure."""

CONNECT_FOUR, _, TIC_TAC_TOE = GYMNASIUM_IDS

GAMES = {
    "Connect Four": (CONNECT_FOUR, "connect_four_v3", "connect_four"),
    "tic-tac-toe": (TIC_TAC_TOE, "tictactoe_v3", "tic_tac_toe"),
}
"""The names of each game in Gymnasium, in PettingZoo and in OpenSpiel."""


def environment_workloads() -> list[Workload]:
    """The games that are timed, with everything that a learner gets at each step.

    Each run plays `STEPS` plies and returns the number of finished games.
    """
    return [
        Workload(
            game,
            partial(play_ours, ours, STEPS),
            (
                Peer("PettingZoo env()", "pettingzoo[classic]", partial(play_zoo, zoo, STEPS)),
                Peer(
                    "OpenSpiel rl_environment", "open_spiel", partial(play_open_spiel, spiel, STEPS)
                ),
            ),
            count=STEPS,
        )
        for game, (ours, zoo, spiel) in GAMES.items()
    ]


def play_ours(environment_id: str, steps: int) -> int:
    """Our environment in self-play, as made by `gymnasium.make`."""
    env = gymnasium.make(environment_id, opponent=None)
    rng = random.Random(1)
    games = 0
    _, info = env.reset(seed=1)
    for _ in range(steps):
        action = rng.choice(info["action_mask"].nonzero()[0])
        _, _, terminated, _, info = env.step(action)
        if terminated:
            games += 1
            _, info = env.reset()
    return games


def play_zoo(game: str, steps: int) -> int:
    """PettingZoo's environment, stepped as in its documentation."""
    env = import_module(f"pettingzoo.classic.{game}").env()
    rng = random.Random(1)
    games = played = 0
    env.reset(seed=1)
    while played < steps:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            games += 1
            env.reset()
        else:
            env.step(rng.choice(observation["action_mask"].nonzero()[0]))
            played += 1
    return games


def play_open_spiel(game: str, steps: int) -> int:
    """OpenSpiel's environment for reinforcement learning."""
    from open_spiel.python import rl_environment

    env = rl_environment.Environment(game)
    rng = random.Random(1)
    games = 0
    time_step = env.reset()
    for _ in range(steps):
        player = time_step.observations["current_player"]
        action = rng.choice(time_step.observations["legal_actions"][player])
        time_step = env.step([action])
        if time_step.last():
            games += 1
            time_step = env.reset()
    return games


def environment_report(measurements: Sequence[Measurement]) -> Report:
    """What was measured, and which peers are missing."""
    return [
        "One environment, random legal moves: steps a second of processor time",
        peer_table("game", measurements, lambda _, seconds: f"{STEPS / seconds:,.0f}"),
        *missing_peers(measurements),
    ]
