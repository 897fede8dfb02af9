"""Principal variations as linked lists: a search prepends an action to a line at no cost."""

from typing import Any

from envs.protocol import Action

Line = tuple[Any, Any] | None
"""An action and the line that follows it; None is the empty line."""

Found = dict[Action, tuple[float, Line]]
"""The value of each examined action and the line that follows it, in the order of the search."""


def line_actions(line: Line) -> tuple[Any, ...]:
    """The actions of a line, in the order of play."""
    actions = []
    while line is not None:
        action, line = line
        actions.append(action)
    return tuple(actions)
