"""Targets: positions and what a network is to predict for them, from self-play and in batches."""

from collections.abc import Sequence
from functools import lru_cache
from math import inf
from threading import get_ident
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.agent import Clock
from agents.compiled.compiled_puct import GUIDED_NODE
from agents.compiled.pooled_trees import empty_nodes, records
from agents.compiled.tree_kernel import COUNTERS, TreeArrays
from agents.networks.features import mirror_all, mirrored_actions
from agents.networks.network import PolicyNetwork
from agents.networks.network_kernel import network_arrays
from agents.parallel.workers import CORES
from agents.policy.learners.self_play_kernel import (
    PROVEN_VALUE,
    Experience,
    PlayMemory,
    PlaySettings,
    SelfPlay,
    play_games,
    value_positions,
)
from agents.policy.most_solved_left import most_solved_left
from agents.policy.puct import considered_visits
from agents.solver.solver import Solver
from agents.solver.solver_engine import is_solvable
from envs.bitboard import word_of_board
from envs.board import BoardGame, BoardState
from envs.compiled.jit import Words, fastest, zeros
from envs.connectx import ConnectX

SOLVED_LEFT = 26
"""The most free cells of ConnectX positions whose results the solver finds, unless
`most_solved_left` allows fewer ..."""
SOLVER_MEGABYTES = 4
"""... with a table of this size, in less than half of the time that the games take."""


class Targets(NamedTuple):
    """Positions and what a network is to predict for them."""

    movers: Words  # stones of the player to move, words as wide as the board needs
    masks: Words  # all stones
    policies: NDArray[np.floating[Any]]
    """Shape (positions, actions): probabilities; those of illegal actions are 0."""
    values: NDArray[np.float32]  # shape (positions,): for the player to move, from -1 to 1

    def take(self, chosen: NDArray[np.integer[Any]] | NDArray[np.bool_] | slice) -> "Targets":
        """Some of the positions, by their numbers, by a mask or by a range."""
        return Targets._make(array[chosen] for array in self)


def no_targets(game: BoardGame) -> Targets:
    """No positions of a game."""
    word = word_of_board(*game.size)
    return Targets(
        zeros(0, word=word),
        zeros(0, word=word),
        np.empty((0, game.action_count), np.float16),
        np.empty(0, np.float32),
    )


def joined(parts: Sequence[Targets]) -> Targets:
    """Positions of several parts, one part after the other."""
    movers, masks, policies, values = zip(*parts, strict=True)
    kind = type(movers[0])  # numpy joins wide words as plain bytes
    return Targets(
        np.concatenate(movers).view(kind),
        np.concatenate(masks).view(kind),
        np.concatenate(policies),
        np.concatenate(values),
    )


def mirror_images(env: BoardGame, targets: Targets) -> Targets:
    """Mirror positions and their targets; the rules are symmetric."""
    movers, masks, policies, values = targets
    images = np.empty_like(movers), np.empty_like(masks)
    for words, image in zip((movers, masks), images, strict=True):
        fastest(mirror_all)(env.rows, env.columns, words, image)
    return Targets(*images, policies[:, mirrored_actions(env)], values)


def drawn_batch(
    env: BoardGame, targets: Targets, rng: np.random.Generator, positions: int
) -> Targets:
    """Draw positions, half of them mirrored."""
    drawn = targets.take(rng.integers(len(targets.movers), size=positions))
    half = positions // 2
    turned = mirror_images(env, drawn.take(slice(half)))
    return joined([turned, drawn.take(slice(half, None))])


def played(
    game: BoardGame, network: PolicyNetwork, settings: PlaySettings, stream: int, games: int
) -> Targets:
    """The positions of games that a network plays against itself.

    If a solver finds the result of a late position under best play, that is the position's value
    and, for earlier positions, the result of the game.
    """
    memory = play_memory(game, settings.simulations, stream)
    into = experience_memory(game, games)
    play = SelfPlay(network_arrays(network, game), settings, memory, into)
    count = fastest(play_games)(play, games)
    if is_solvable(game) and (solver := _solver(game, get_ident())).is_compiled:
        solve_late_positions(solver, into, count)
    fastest(value_positions)(settings, into, count)
    movers, masks, policies, values, _ = (array[:count] for array in into)
    return Targets(movers, masks, policies.astype(np.float16), values.astype(np.float32))


def solve_late_positions(solver: Solver, into: Experience, count: int) -> None:
    """Write how late positions end under best play."""
    movers, masks = into.movers[:count].tolist(), into.masks[:count].tolist()
    cells = solver.env.rows * solver.env.columns
    most_left = min(SOLVED_LEFT, most_solved_left(solver.env))
    # Backwards, because the table's entries for a position help with those before it.
    late = [i for i in reversed(range(count)) if cells - masks[i].bit_count() <= most_left]
    states = [BoardState.of_stones(movers[i], masks[i]) for i in late]
    job = solver.job(states, -1, 1)
    job.run(Clock(), inf)
    into.values[late] = job.lowers
    into.certain[late] |= PROVEN_VALUE


@lru_cache(maxsize=CORES)
def _solver(game: ConnectX, _thread: int) -> Solver:
    """The solver of a thread, whose table serves all of its games."""
    return Solver(game, SOLVER_MEGABYTES)


def play_memory(game: BoardGame, simulations: int, stream: int) -> PlayMemory:
    """Memory for games of self-play."""
    actions, cells = game.action_count, game.rows * game.columns
    places = 2 + actions * (simulations + 1)
    nodes = records(empty_nodes(places, GUIDED_NODE))
    tree = TreeArrays(nodes, zeros(COUNTERS), zeros(cells + 2))
    schedule = zeros(actions + 1, simulations)
    for children in range(1, actions + 1):
        schedule[children] = list(considered_visits(children, simulations))
    begun = zeros(1)
    begun[0] = stream
    return PlayMemory(tree, schedule, np.zeros(actions), np.zeros(actions), begun)


def experience_memory(game: BoardGame, games: int) -> Experience:
    """Memory for the positions of games, each as long as the board allows."""
    cells, actions = game.rows * game.columns, game.action_count
    positions, word = games * cells, word_of_board(*game.size)
    return Experience(
        zeros(positions, word=word),
        zeros(positions, word=word),
        np.zeros((positions, actions)),
        np.zeros(positions),
        zeros(positions),
    )
