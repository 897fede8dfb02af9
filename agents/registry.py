"""The agents by name: what a command line or a configuration file needs."""

from collections.abc import Mapping
from typing import Any

from agents.alpha_beta_agent import AlphaBetaAgent
from agents.expectimax import ExpectimaxAgent
from agents.greedy import GreedyAgent
from agents.introspection import check_options
from agents.mcts_agent import MCTSAgent
from agents.minimax import MinimaxAgent
from agents.perfect import PerfectAgent
from agents.protocol import Agent
from agents.random_agent import RandomAgent
from agents.trained.policy_agent import PolicyAgent

AGENTS: Mapping[str, type[Agent]] = {
    "random": RandomAgent,
    "greedy": GreedyAgent,
    "minimax": MinimaxAgent,
    "expectimax": ExpectimaxAgent,
    "alphabeta": AlphaBetaAgent,
    "mcts": MCTSAgent,
    "perfect": PerfectAgent,
}
"""Those that play every game and need no options."""

TRAINED_AGENTS: Mapping[str, type[Agent]] = {"policy": PolicyAgent}
"""Those that play the game of the file that they are given."""

REGISTERED: Mapping[str, type[Agent]] = {**AGENTS, **TRAINED_AGENTS}
"""All that can be made by name."""


def agent_names() -> list[str]:
    """The names of the agents that play every game, the simplest first."""
    return list(AGENTS)


def agent_class(name: str) -> type[Agent]:
    """The class of a registered agent.

    Raises:
        ValueError: unknown name; the message lists the known ones.
    """
    if name not in REGISTERED:
        raise ValueError(f"unknown agent {name!r}: choose one of {', '.join(REGISTERED)}")
    return REGISTERED[name]


def make_agent(name: str, **options: Any) -> Agent:
    """Make a registered agent.

    Args:
        name: one of `REGISTERED`.
        options: as `agents.introspection.agent_options` lists them; those left out have their
            defaults.

    Raises:
        ValueError: unknown agent or option, or a value that does not fit; one clear sentence.
    """
    agent = agent_class(name)
    check_options(name, agent, options)
    return agent(**options)
