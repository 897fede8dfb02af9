"""What is timed: one of our searches, the peers' searches that do the same work."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agents.agent import Agent, SearchResult
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
    """Seconds that the tutorial's code takes; see `benchmarks.catalogue`."""
    simulations: int | None = None
    """Simulations that each search runs; None where the searches are not Monte Carlo."""

    def search(self) -> SearchResult[Any]:
        """Do the work once, by our search."""
        return self.agent.search(self.env, self.env.initial_state())
