"""Seats: players that a referee can ask for moves, wherever their code runs."""

import atexit
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from types import FunctionType
from typing import Any, Protocol

import msgspec
import numpy as np

from agents.agent import Agent
from submission.arena.players import Player
from submission.entry import KagglePlayer
from submission.kaggle import ONE_AT_A_TIME, Referee, environment_of, kaggle_environments
from submission.sandbox.inside.kaggle_agent import KaggleAgent
from submission.sandbox.inside.kaggle_folder import MAIN
from submission.sandbox.launcher import LAUNCHER
from submission.sandbox.messages import Answer
from submission.sandbox.move import Move, read_answer
from submission.sandbox.processes import default_memory
from submission.sandbox.staging import lay_out


class Seat(Protocol):
    """A player at the board."""

    def act(self, observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> Move:
        """Ask for a move; nothing that the player does raises an exception here.

        A player may be asked about any positions, one after another, until it fails. The caller
        judges from the seconds whether a move was in time; a process that has not answered when
        its time and its bank are used up is ended.

        Args:
            observation: `board` (flat, the top row first), `mark` (1 or 2), `step`,
                `remainingOverageTime` (seconds).
            configuration: `rows`, `columns`, `inarow`, `actTimeout` (seconds) and the rest of
                Kaggle's configuration.

        Returns:
            The move. The seconds of a submission's first move include loading it, but not starting
            its process. A failure may have ended the process; then every further move fails in the
            same way, until the seat is reopened.
        """


class GlobalNumbers:
    """One player's states of the global random generators of Python and numpy."""

    def __init__(self, state: tuple[Any, Any] | None = None) -> None:
        self._state = state

    def take_turn(self) -> None:
        """Save the previous player's states, and make the generators continue from these."""
        global _drawn
        if _drawn is self:
            return
        _drawn._state = random.getstate(), np.random.get_state()
        if self._state is not None:
            random.setstate(self._state[0])
            np.random.set_state(self._state[1])
        _drawn = self


_outside = _drawn = GlobalNumbers()  # the process's own numbers, and those in use


class KaggleSeat:
    """An agent that Kaggle's own code asks, in this process, without any limits."""

    def __init__(self, agent: KaggleAgent, numbers: GlobalNumbers | None = None) -> None:
        self._agent = agent
        self._numbers = numbers  # None for an agent with a random generator of its own

    def act(self, observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> Move:
        """The agent's move; see `Seat`. The first one loads a file."""
        with ONE_AT_A_TIME:
            path = sys.path.copy()  # if a file fails, Kaggle's loader leaves its folder there
            if self._numbers is not None:
                self._numbers.take_turn()
            answer = self._agent.act(observation, configuration, (KeyboardInterrupt,))
            sys.path[:] = path
        return read_answer(msgspec.convert(answer, Answer), configuration, None)


def seat_seed(game_seed: int, seat: int) -> int:
    """The seed of a seat's random numbers, from the game's seed and the seat (1 or 2) alone."""
    return random.Random(f"{game_seed}/{seat}").getrandbits(32)


def open_seat(
    player: Player, *, seed: int, referee: Referee = Referee.CONNECTX
) -> AbstractContextManager[Seat]:
    """A player at the board, until the `with` block ends.

    A submission has a process of its own, which starts in the background. A built-in agent of the
    `referee` plays in this process, with a random generator of its own. The seed is from 0 to
    2**32 - 1, as `seat_seed` makes it.

    Raises:
        ModuleNotFoundError: kaggle_environments is not installed, or OpenSpiel for its agents.
        OSError: the process cannot be started.
    """
    if player.source is None:
        return nullcontext(KaggleSeat(KaggleAgent(_seeded_built_in(player.name, seed, referee))))
    return LAUNCHER.start_player(player.source, seed=seed, memory=default_memory())


def _seeded_built_in(name: str, seed: int, referee: Referee) -> FunctionType:
    """A copy of one of Kaggle's functions that draws from a generator of its own.

    ConnectX's functions draw by the name `choice`, OpenSpiel's by the module `random`.
    """
    function = environment_of(referee)["agents"][name]
    generator = random.Random(seed)
    own_names = {**function.__globals__, "choice": generator.choice, "random": generator}
    return FunctionType(function.__code__, own_names, name, function.__defaults__)


class AgentSeat:
    """One of our agents at the board; the global generator is seeded before it is made."""

    def __init__(self, make_agent: Callable[[], Agent], seed: int) -> None:
        self._player = KagglePlayer(partial(_seeded, make_agent, seed))

    def act(self, observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> Move:
        """The agent's move; where the agent fails to give one, its `KagglePlayer` replaces it."""
        started = perf_counter()
        column = self._player.act(observation, configuration)
        return Move(column, round(perf_counter() - started, 6))


@contextmanager
def _trusted_seat(source: bytes, seed: int) -> Iterator[KaggleSeat]:
    """A submission file at the board, in this process, until the `with` block ends.

    Only its global random numbers are separate. With the same seed it plays as in a sandbox.
    """
    kaggle_environments().agent.compile = _compiled
    state = random.Random(seed).getstate(), np.random.RandomState(seed).get_state()
    try:
        yield KaggleSeat(KaggleAgent(_main_file(source)), GlobalNumbers(state))
    finally:
        with ONE_AT_A_TIME:
            _outside.take_turn()


_compiled = lru_cache(maxsize=16)(compile)  # Kaggle's loader compiles a file anew for each game


@cache
def _main_file(source: bytes) -> str:
    """The path of a file with this source, which exists as long as this process runs."""
    folder = TemporaryDirectory(prefix="connectx-")
    atexit.register(folder.cleanup)
    lay_out(source, Path(folder.name))
    return str(Path(folder.name, MAIN))


def open_seat_here(
    player: Player, *, seed: int, referee: Referee = Referee.CONNECTX
) -> AbstractContextManager[Seat]:
    """Like `open_seat`, but our own agents and trusted files play in this process.

    Nothing there ends a search that ignores the clock.
    """
    if player.make_agent is not None:
        return nullcontext(AgentSeat(player.make_agent, seed))
    if player.is_trusted and player.source is not None:
        return _trusted_seat(player.source, seed)
    return open_seat(player, seed=seed, referee=referee)


def _seeded(make_agent: Callable[[], Agent], seed: int) -> Agent:
    """An agent that draws the seeds it needs from a global generator of this seed."""
    with ONE_AT_A_TIME:  # all threads share Python's global generator
        state = random.getstate()
        random.seed(seed)
        try:
            return make_agent()
        finally:
            random.setstate(state)
