"""The agents by name, with their options: what a command line or a configuration file needs."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from types import NoneType
from typing import Any, get_args, get_origin

from agents.alpha_beta_agent import AlphaBetaAgent
from agents.greedy import GreedyAgent
from agents.mcts_agent import MCTSAgent
from agents.minimax import MinimaxAgent
from agents.protocol import Agent
from agents.random_agent import RandomAgent

AGENTS: Mapping[str, type[Agent]] = {
    "random": RandomAgent,
    "greedy": GreedyAgent,
    "minimax": MinimaxAgent,
    "alphabeta": AlphaBetaAgent,
    "mcts": MCTSAgent,
}


@dataclass(frozen=True)
class OptionInfo:
    """An option of an agent."""

    name: str
    type: Any
    default: Any
    help: str


def agent_names() -> list[str]:
    """The names that `make_agent` knows, the simplest agent first."""
    return list(AGENTS)


def agent_class(name: str) -> type[Agent]:
    """The class of a registered agent.

    Raises:
        ValueError: unknown name; the message lists the known ones.
    """
    if name not in AGENTS:
        raise ValueError(f"unknown agent {name!r}: choose one of {', '.join(AGENTS)}")
    return AGENTS[name]


def agent_help(agent: type[Agent]) -> str:
    """What an agent does, in one line."""
    return (agent.__doc__ or "").strip().splitlines()[0]


def agent_options(agent: type[Agent]) -> list[OptionInfo]:
    """The options of an agent class, in the order of their declaration."""
    return [
        OptionInfo(f.name, f.type, None if f.default is MISSING else f.default, f.metadata["help"])
        for f in fields(agent)  # type: ignore[arg-type]
        if f.init
    ]


def check_options(name: str, agent: type[Agent], options: Mapping[str, Any]) -> None:
    """Check that an agent has these options and that their values are of the right type.

    Raises:
        ValueError: an unknown option, or a value of a wrong type; the message lists what fits.
    """
    known = {option.name: option for option in agent_options(agent)}
    for option_name, value in options.items():
        if option_name not in known:
            listing = ", ".join(known) or "none"
            raise ValueError(f"agent {name} has no option {option_name!r}; its options: {listing}")
        annotation = known[option_name].type
        expected = _accepted_types(annotation)
        if type(value) not in expected and not (callable(value) and _takes_function(annotation)):
            names = " or ".join("none" if t is NoneType else t.__name__ for t in expected)
            raise ValueError(f"option {option_name} of agent {name} is {names}, not {value!r}")


def make_agent(name: str, **options: Any) -> Agent:
    """Make a registered agent.

    Args:
        name: one of `agent_names()`.
        options: as `agent_options` lists them; those left out have their defaults.

    Raises:
        ValueError: unknown agent or option, or a value that does not fit; one clear sentence.
    """
    agent = agent_class(name)
    check_options(name, agent, options)
    return agent(**options)


def _accepted_types(annotation: Any) -> list[type]:
    """The types that a value may have: a whole number fits where a fraction is expected."""
    accepted = [member for member in _members(annotation) if isinstance(member, type)]
    return [*accepted, int] if float in accepted and int not in accepted else accepted


def _takes_function(annotation: Any) -> bool:
    return any(get_origin(member) is Callable for member in _members(annotation))


def _members(annotation: Any) -> tuple[Any, ...]:
    """The types that a union joins."""
    return get_args(annotation) or (annotation,)
