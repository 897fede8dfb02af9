"""The text of a user's module with an agent, for `connectx build MyAgent --from`."""


def own_agent(
    top: str = "",
    fields: str = "",
    body: str = "pass",
    action: str = "env.get_available_actions(state)[0]",
) -> str:
    """The text of the module; `top` begins in line 4, and `body` in line 11 if both are one line.

    Args:
        top: statements above the class.
        fields: the agent's options.
        body: the first statements of its search.
        action: the expression for the action that it chooses.
    """
    return f'''\
import typing
from dataclasses import dataclass, field
from agents import Agent, SearchResult
{top}

@dataclass
class MyAgent(Agent):
    """An agent of one's own."""
    {fields}
    def search(self, env, state, time_limit=None):
        {body}
        return SearchResult({action}, value=0.0)
'''
