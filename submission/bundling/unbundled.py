"""The agent of a bundle without the bundle."""

from collections.abc import Callable, Mapping
from functools import partial

from agents.agent import Agent
from agents.options import unlimited_options
from agents.registry import JsonValue, agent_class
from submission.bundling.data_files import data_files


def unbundled_agent(agent: str, options: Mapping[str, JsonValue]) -> Callable[[], Agent]:
    """What makes the agent that `build_bundle` puts into a file.

    It can be pickled, and needs none of the files that the options name.

    Raises:
        ValueError: unknown agent.
        OSError: a file that an option names cannot be read.
    """
    cls = agent_class(agent)
    chosen = unlimited_options(cls, options)
    contents = {file.option: file.content for file in data_files(cls, chosen)}
    return partial(cls, **{**chosen, **contents})
