"""The registered agents, as quick as they say they can be, and whole games of agents."""

from dataclasses import replace
from functools import cache
from typing import Any

from agents import Agent, agent_names, make_agent
from agents.options import agent_options
from agents.registry import agent_class


def has_option(name: str, option: str) -> bool:
    return any(info.name == option for info in agent_options(agent_class(name)))


def quick_agent(name: str) -> Agent:
    """A new agent with its quick options, seeded where it draws random numbers."""
    return fresh(_quick_agent(name))


@cache
def _quick_agent(name: str) -> Agent:
    """Made once, for its options are checked each time."""
    seed = {"seed": 1} if has_option(name, "seed") else {}
    return make_agent(name, **seed, **agent_class(name).quick)


def unhurried_agent(name: str) -> Agent:
    """The same without a clock: it finds the same on any machine."""
    unclocked = {"time_limit": None} if has_option(name, "time_limit") else {}
    return replace(quick_agent(name), **unclocked)  # type: ignore[type-var]


def fresh(agent: Agent) -> Agent:
    """A new agent with the same options, which has seen no other game."""
    return replace(agent)  # type: ignore[type-var]


def clocked_agent_names() -> list[str]:
    """The names of agents whose quick answer depends on the clock."""
    return [name for name in agent_names() if agent_class(name).quick.get("time_limit")]


def thinking_agent_names() -> list[str]:
    """The names of all agents but the random one."""
    return [name for name in agent_names() if name != "random"]


def end_of_game(env: Any, first: Agent, second: Agent, state: Any = None) -> Any:
    """The state in which a game of two agents ends, from the beginning or another state on."""
    state = env.initial_state() if state is None else state
    while actions := env.get_available_actions(state):
        mover = first if env.current_player(state) == 1 else second
        action = mover.act(env, state)
        assert action in actions
        state = env.get_next_state(state, action)
    return state
