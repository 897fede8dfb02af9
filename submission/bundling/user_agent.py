"""Agents from a file of the user's own."""

import importlib.util
import sys
from dataclasses import is_dataclass
from inspect import isabstract, signature
from pathlib import Path

from agents.agent import Agent


def load_user_agent(source: Path, name: str) -> type[Agent]:
    """The agent class of this name in a module, which is run to find it.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not a Python file, it fails when it is run, or it has no such agent.
    """
    if not source.is_file():
        raise FileNotFoundError(f"there is no file {source}")
    spec = importlib.util.spec_from_file_location(source.stem, source)
    if source.suffix != ".py" or spec is None or spec.loader is None:
        raise ValueError(f"{source} is no Python file: its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    known = sys.modules.get(source.stem)
    sys.modules[source.stem] = module  # dataclasses look their module up there
    sys.path.insert(0, str(source.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except SystemExit as error:
        raise ValueError(
            f"{source} ends Python when it is run: put what does so under "
            '`if __name__ == "__main__":`'
        ) from error
    except Exception as error:
        raise ValueError(f"{source} fails when it is run: {error!r}") from error
    finally:
        sys.path.pop(0)
        if known is not None:
            sys.modules[source.stem] = known
    return _checked(source, name, vars(module))


def _checked(source: Path, name: str, members: dict[str, object]) -> type[Agent]:
    agents = {
        key: value
        for key, value in members.items()
        if isinstance(value, type) and issubclass(value, Agent) and value.__module__ == source.stem
    }
    if name not in agents:
        listing = ", ".join(agents) or "none"
        raise ValueError(
            f"{source} has no agent {name!r}: it needs a class that inherits agents.Agent; "
            f"found: {listing}"
        )
    agent = agents[name]
    if not is_dataclass(agent):
        raise ValueError(f"{name} in {source} is no dataclass: put @dataclass above it")
    if not _can_search(agent):
        raise ValueError(
            f"{name} in {source} cannot be asked for a move: "
            "define `def search(self, env, state, time_limit=None)` in it"
        )
    return agent


def _can_search(agent: type[Agent]) -> bool:
    """Whether it has a `search` that takes what `Agent.act` hands on to it."""
    try:
        signature(agent.search).bind("self", "env", "state", "time_limit")
    except TypeError:
        return False
    return not isabstract(agent)
