"""Our agents in this process: what their bundles would do, without a process of their own."""

import random
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from threading import Lock
from time import perf_counter
from typing import Any

from agents.protocol import Agent
from submission.entry import KagglePlayer
from submission.evaluating.arenas.seats import Move, Seat, open_seat
from submission.evaluating.players import Player

_generator_lock = Lock()
"""Python's global generator is one, whichever thread plays."""


class AgentSeat:
    """One of our agents at the board.

    Args:
        make_agent: makes the agent of the game.
        seed: what the global generator is seeded with before.
    """

    def __init__(self, make_agent: Callable[[], Agent], seed: int) -> None:
        self._player = KagglePlayer(partial(_seeded, make_agent, seed))

    def act(self, observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> Move:
        """The agent's move; what goes wrong with an agent, its `KagglePlayer` makes good."""
        started = perf_counter()
        column = self._player.act(observation, configuration)
        return Move(column, round(perf_counter() - started, 6))


def open_seat_here(player: Player, *, seed: int) -> AbstractContextManager[Seat]:
    """Like `open_seat`, but an agent of ours plays in this process.

    It is asked for each move until it answers: nothing ends a search that ignores the clock.
    """
    if player.make_agent is None:
        return open_seat(player, seed=seed)
    return nullcontext(AgentSeat(player.make_agent, seed))


def _seeded(make_agent: Callable[[], Agent], seed: int) -> Agent:
    """An agent that draws the seeds it needs from a global generator of this seed."""
    with _generator_lock:
        state = random.getstate()
        random.seed(seed)
        try:
            return make_agent()
        finally:
            random.setstate(state)
