"""Times one environment beside its peers: random legal moves, a ply a step."""

import gc
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium
from rich.table import Table

from benchmarks.results import Report, table
from benchmarks.timings import Timings, seconds_per_call, spread, time_in_turn, warm_up
from envs import GYMNASIUM_IDS

STEPS = 5000
"""Of each timing, which is repeated until it is long enough for the clock."""

CONNECT_FOUR, _, TIC_TAC_TOE = GYMNASIUM_IDS


@dataclass(frozen=True)
class EnvironmentPeer:
    """Another project's environment."""

    name: str
    requirement: str
    """What pip installs it by."""
    play: Callable[[int], int]
    """Plays so many plies; returns how many games it has finished.

    Raises ModuleNotFoundError where the peer is not installed.
    """


@dataclass(frozen=True)
class EnvironmentWorkload:
    """A game, played in our environment and in the peers'."""

    name: str
    play: Callable[[int], int]
    peers: tuple[EnvironmentPeer, ...]


@dataclass(frozen=True)
class EnvironmentMeasurement:
    """Processor seconds of a ply, by round."""

    workload: EnvironmentWorkload
    ours: Timings
    peers: list[Timings]
    missing: list[EnvironmentPeer]


def environment_workloads() -> list[EnvironmentWorkload]:
    """The games that are timed, with all that a learner is given at each step."""
    return [
        EnvironmentWorkload(
            "Connect Four",
            lambda steps: play_ours(CONNECT_FOUR, steps),
            (
                EnvironmentPeer("PettingZoo env()", "pettingzoo[classic]", play_zoo_connect_four),
                EnvironmentPeer(
                    "OpenSpiel rl_environment",
                    "open_spiel",
                    lambda steps: play_open_spiel("connect_four", steps),
                ),
            ),
        ),
        EnvironmentWorkload(
            "tic-tac-toe",
            lambda steps: play_ours(TIC_TAC_TOE, steps),
            (
                EnvironmentPeer("PettingZoo env()", "pettingzoo[classic]", play_zoo_tic_tac_toe),
                EnvironmentPeer(
                    "OpenSpiel rl_environment",
                    "open_spiel",
                    lambda steps: play_open_spiel("tic_tac_toe", steps),
                ),
            ),
        ),
    ]


def play_ours(environment_id: str, steps: int) -> int:
    """Our environment in self-play, as `gymnasium.make` gives it."""
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


def play_zoo_connect_four(steps: int) -> int:
    """PettingZoo's Connect Four."""
    from pettingzoo.classic import connect_four_v3

    return play_zoo(connect_four_v3.env(), steps)


def play_zoo_tic_tac_toe(steps: int) -> int:
    """PettingZoo's tic-tac-toe."""
    from pettingzoo.classic import tictactoe_v3

    return play_zoo(tictactoe_v3.env(), steps)


def play_zoo(env: Any, steps: int) -> int:
    """An environment of PettingZoo's, as its documentation steps it."""
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


def measure_environment(workload: EnvironmentWorkload, rounds: int) -> EnvironmentMeasurement:
    """Time our environment and each peer's in turn, `rounds` times over."""
    workload.play(STEPS)
    installed, missing = warm_up(workload.peers, lambda peer: peer.play(STEPS))
    gc.collect()  # what importing the peers has left is not for the first timing to clear
    ours, theirs = time_in_turn(
        lambda: _seconds_per_step(workload.play),
        [(peer.name, partial(_seconds_per_step, peer.play)) for peer in installed],
        rounds,
    )
    return EnvironmentMeasurement(workload, ours, theirs, missing)


def _seconds_per_step(play: Callable[[int], int]) -> float:
    return seconds_per_call(lambda: play(STEPS)) / STEPS


def environment_report(measurements: Sequence[EnvironmentMeasurement]) -> Report:
    """What was measured, and which peers are missing."""
    missing = sorted({peer.requirement for each in measurements for peer in each.missing})
    return [
        "One environment, random legal moves: steps a second of processor time",
        environment_table(measurements),
        *(f"Missing: `pip install '{requirement}'`" for requirement in missing),
    ]


def environment_table(measurements: Sequence[EnvironmentMeasurement]) -> Table:
    """Our environment beside the peers', measured in the same run."""
    rows = table("game", "ours", "peer", "its figure", "times faster", words=("game", "peer"))
    for measurement in measurements:
        game, ours = measurement.workload.name, f"{1 / measurement.ours.median:,.0f}"
        for peer in measurement.peers:
            faster = spread(measurement.ours.times_faster(peer))
            rows.add_row(game, ours, peer.name, f"{1 / peer.median:,.0f}", faster)
            game = ours = ""  # said once for all peers
    return rows
