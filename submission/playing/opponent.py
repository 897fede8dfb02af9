"""The agent that a person plays against."""

from typing import NamedTuple

from agents.protocol import Agent
from agents.registry import agent_from_text


class Opponent(NamedTuple):
    """An agent, and what it is called."""

    text: str
    """As the person named it, with its options."""
    name: str
    agent: Agent


def find_opponent(text: str) -> Opponent:
    """The agent that a text like `mcts` or `mcts:simulations=500,seed=1` names.

    Raises:
        ValueError: an unknown agent, or an option that it does not have.
    """
    return Opponent(text, text.partition(":")[0], agent_from_text(text))
