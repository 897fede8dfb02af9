"""Times a search of ours, and the peers' searches that do the same work."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from agents.agent import Agent, SearchResult
from benchmarks.timings import Timings, seconds_per_call, time_in_turn, warm_up
from envs.protocol import Env


@dataclass(frozen=True)
class Peer:
    """Another project's search."""

    name: str
    requirement: str
    """What pip installs it by."""
    search: Callable[[], float]
    """Does the work; returns the value from player 1's view, or the action if it is Monte Carlo.

    Raises ModuleNotFoundError where the peer is not installed.
    """


@dataclass(frozen=True)
class Workload:
    """A search of ours from the initial state, what it is compared with, and how."""

    name: str
    env: Env[Any, Any]
    agent: Agent
    peers: tuple[Peer, ...] = ()
    published: float | None = None
    """Seconds that the tutorial's code takes; see `benchmarks.searches.catalogue`."""
    simulations: int | None = None
    """Simulations that each search runs; None where the searches are not Monte Carlo."""

    def search(self) -> SearchResult[Any]:
        """Do the work once, by our search."""
        return self.agent.search(self.env, self.env.initial_state())


@dataclass(frozen=True)
class Measurement:
    """What a workload and its peers took."""

    workload: Workload
    ours: Timings
    peers: list[Timings]
    missing: list[Peer]
    """The peers that are not installed."""


def measure(workload: Workload, rounds: int) -> Measurement:
    """Time our search and each peer's in turn, `rounds` times over, after a warm-up of each."""
    workload.search()
    installed, missing = warm_up(workload.peers, lambda peer: peer.search())
    ours, theirs = time_in_turn(
        lambda: seconds_per_call(workload.search),
        [(peer.name, partial(seconds_per_call, peer.search)) for peer in installed],
        rounds,
    )
    return Measurement(workload, ours, theirs, missing)
