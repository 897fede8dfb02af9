"""Plays seeded games from the empty board, in several processes.

A pairing plays until more games would add nothing new. A game depends only on its seed, and not on
earlier games; but players with a time limit may play differently on a busy machine.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from random import Random
from typing import NamedTuple

from agents.registry import agent_from_text
from envs.connectx import ConnectFour
from submission.executors.local_workers import local_executor
from submission.terminal import progress_bar

GAME = ConnectFour()


class Pairing(NamedTuple):
    """Two agents, each as `agents.registry.agent_from_text` takes it."""

    first: str
    """Player 1."""
    second: str
    """Player 2."""


class Played(NamedTuple):
    """A whole game."""

    columns: tuple[int, ...]
    """The columns played, from 0, in order."""
    result: float
    """From player 1's view: 1 for a win, 0 for a draw, -1 for a loss."""


Games = tuple[Played, ...]
"""The games of one pairing, at least one, in the order of their seeds."""


def play_pairings(pairings: Sequence[Pairing], games: int, seed: int, workers: int) -> list[Games]:
    """Play each pairing from the empty board, until more games would add nothing new.

    Two agents without random numbers play one game. If only an option, such as a temperature of 0,
    keeps them from using random numbers, a second game with another seed must confirm it.

    Args:
        pairings: the pairings.
        games: the most games of each pairing; at least 1.
        seed: the same seed gives the same games, however many workers play them.
        workers: processes that play at the same time, at least 1.

    Returns:
        The games of each pairing.

    Raises:
        OSError: an option's file cannot be read.
        ValueError: an agent or an option is unknown, an option's value is invalid, or `workers` is
            less than 1.
    """
    seeds = [Random(f"{seed}/{game}").getrandbits(32) for game in range(games)]
    begun = [seeds[: 2 if any(map(takes_seed, pairing)) else 1] for pairing in pairings]
    with local_executor(workers) as executor:
        first = _play(pairings, begun, executor, "First games:")
        rest = [
            [] if _tells_all(pairing, played) else seeds[len(played) :]
            for pairing, played in zip(pairings, first, strict=True)
        ]
        more = _play(pairings, rest, executor, "More games:")
    return [begin + end for begin, end in zip(first, more, strict=True)]


def _play(
    pairings: Sequence[Pairing], seeds: Sequence[Sequence[int]], executor: Executor, title: str
) -> list[Games]:
    """Play a game of each pairing for each of its seeds."""
    submitted = [
        [executor.submit(play_game, pairing, seed) for seed in its]
        for pairing, its in zip(pairings, seeds, strict=True)
    ]
    total, done, played = sum(map(len, seeds)), 0, []
    with progress_bar(title) as show:
        for pairing, futures in zip(pairings, submitted, strict=True):
            games = []
            for future in futures:
                show(done, total, pairing.first)
                games.append(future.result())
                done += 1
            played.append(tuple(games))
    return played


def _tells_all(pairing: Pairing, played: Games) -> bool:
    """Whether these agents would only repeat the game that they have played."""
    return len(set(played)) == 1 and not any(map(draws_numbers, pairing))


def takes_seed(specification: str) -> bool:
    """Whether an agent has the option `seed`, and its specification leaves it open."""
    agent = agent_from_text(specification)
    return hasattr(agent, "seed") and agent.seed is None


def draws_numbers(specification: str) -> bool:
    """Whether an agent's moves depend on its seed, according to its options."""
    agent = agent_from_text(specification)
    sources = [getattr(agent, name) for name in ("temperature", "noise") if hasattr(agent, name)]
    return takes_seed(specification) and (not sources or any(sources))


def play_game(pairing: Pairing, seed: int) -> Played:
    """Play from the empty board, with new agents whose seeds are derived from this one."""
    seeds = Random(seed)
    agents = [agent_from_text(text, seeds.getrandbits(32)) for text in pairing]
    state, columns, result = GAME.initial_state(), [], 0.0
    while GAME.get_available_actions(state):
        column = agents[state.player - 1].act(GAME, state)
        result = GAME.reward(state, column)
        state = GAME.get_next_state(state, column)
        columns.append(column)
    return Played(tuple(columns), result)
