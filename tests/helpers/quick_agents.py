"""The registered agents with their quick options, and whole games of agents."""

from dataclasses import replace
from functools import cache
from typing import Any

from agents import Agent, agent_names, make_agent
from agents.options import agent_options
from agents.registry import agent_class
from envs import BoardGame


def has_option(name: str, option: str) -> bool:
    return any(info.name == option for info in agent_options(agent_class(name)))


def quick_agent(name: str) -> Agent:
    """A new agent with its quick options, seeded if it draws random numbers."""
    return fresh(_quick_agent(name))


@cache
def _quick_agent(name: str) -> Agent:
    """The agent, made only once, because making it checks its options."""
    seed = {"seed": 1} if has_option(name, "seed") else {}
    return make_agent(name, **seed, **agent_class(name).quick)


def unhurried_agent(name: str) -> Agent:
    """A quick agent without a time limit, which finds the same on any machine."""
    unclocked = {"time_limit": None} if has_option(name, "time_limit") else {}
    return replace(quick_agent(name), **unclocked)  # type: ignore[type-var]


def fresh(agent: Agent) -> Agent:
    """A new agent with the same options, which has seen no other game."""
    return replace(agent)  # type: ignore[type-var]


def clocked_agent_names() -> list[str]:
    """The names of the agents whose quick options have a time limit."""
    return [name for name in agent_names() if agent_class(name).quick.get("time_limit")]


def thinking_agent_names() -> list[str]:
    """The names of all agents except the random one."""
    return [name for name in agent_names() if name != "random"]


def end_of_game(env: Any, first: Agent, second: Agent, state: Any = None) -> Any:
    """The final state of a game of two agents, from the initial or another state on."""
    state = env.initial_state() if state is None else state
    while actions := env.get_available_actions(state):
        mover = first if env.current_player(state) == 1 else second
        action = mover.act(env, state)
        assert action in actions
        state = env.get_next_state(state, action)
    return state


def points(env: BoardGame, agent: Agent, opponent: Agent, seat: int, state: Any = None) -> float:
    """Of an agent on a seat, in a game as above: 1 for a win, 1/2 for a draw."""
    players = (agent, opponent) if seat == 1 else (opponent, agent)
    return {seat: 1.0, None: 0.5}.get(env.winner(end_of_game(env, *players, state)), 0.0)
