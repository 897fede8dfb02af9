"""Positions of games that a network plays against itself, for a learner."""

import numpy as np

from agents.compiled.puct_kernel import COUNTERS, NODE_FIELDS, SUM_FIELDS, PuctArrays
from agents.policy.learners.self_play_kernel import (
    Experience,
    PlayMemory,
    PlaySettings,
    play_games,
)
from agents.policy.learners.targets import Targets
from agents.policy.network import PolicyNetwork
from agents.policy.network_kernel import network_arrays
from agents.policy.puct import considered_visits
from envs.board import BoardGame
from envs.compiled.jit import fastest, zeros


def played(
    game: BoardGame, network: PolicyNetwork, settings: PlaySettings, stream: int, games: int
) -> Targets:
    """The positions of games that a network plays against itself.

    Args:
        game: the rules.
        network: chooses the moves of both players, by a search.
        settings: how they are played.
        stream: of the random numbers.
        games: how many.
    """
    cells, actions = game.rows * game.columns, len(game.action_cells)
    memory = play_memory(game, settings.simulations, stream)
    into = Experience(
        zeros(games * cells),
        zeros(games * cells),
        np.zeros((games * cells, actions)),
        np.zeros(games * cells),
        zeros(games * cells),
    )
    arrays = network_arrays(network, game)
    count = fastest(play_games)(arrays, settings, memory, into, games)
    movers, masks, policies, values, _ = (array[:count] for array in into)
    return Targets(movers, masks, policies.astype(np.float16), values.astype(np.float32))


def play_memory(game: BoardGame, simulations: int, stream: int) -> PlayMemory:
    """Memory for games of self-play.

    Args:
        game: the rules.
        simulations: for each move.
        stream: of the random numbers.
    """
    actions, cells = len(game.action_cells), game.rows * game.columns
    places = 2 + actions * (simulations + 1)
    tree = PuctArrays(
        np.zeros((places, NODE_FIELDS), np.int32),
        np.zeros((places, SUM_FIELDS)),
        zeros(COUNTERS),
        zeros(cells + 2),
    )
    schedule = zeros(actions + 1, simulations)
    for children in range(1, actions + 1):
        schedule[children] = considered_visits(children, simulations)
    begun = zeros(1)
    begun[0] = stream
    return PlayMemory(tree, schedule, np.zeros(actions), np.zeros(actions), begun)
