"""The display of results in a notebook, as text and as HTML that needs no JavaScript.

Bundles copy every method of an agent's classes, so the methods for notebooks are added from
outside, when the package is imported.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agents.agent import SearchResult
from envs.shown_position import value_label

if TYPE_CHECKING:
    from rich.console import RenderableType


def shows_itself(kind: type[Any], as_html: Callable[[Any], str]) -> None:
    """Make notebooks show the instances of a class as HTML, or as their `str`.

    `as_html` has to escape untrusted text.
    """

    def _repr_mimebundle_(
        self: object, include: object = None, exclude: object = None
    ) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": as_html(self)}

    kind._repr_mimebundle_ = _repr_mimebundle_


def _result_html(result: SearchResult[Any]) -> str:
    from agents.reporting.rich_html import html_of  # imported only when a result is shown

    return html_of(render_result(result))


def render_result(result: SearchResult[Any]) -> "RenderableType":
    """The action, a table of the actions' values, and the line that the search expects."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(title="Values of the actions, from player 1's view")
    for heading in ("action", "value", ""):
        table.add_column(heading, justify="right" if heading == "value" else "left")
    for action, value in result.action_values.items():
        chosen = "chosen" if action == result.action else ""
        table.add_row(Text(str(action)), value_label(value), chosen)
    line = ", ".join(map(str, result.principal_variation))
    return Group(
        Text(f"Action {result.action}, value {value_label(result.value)}", style="bold"),
        *([table] if result.action_values else []),
        *([Text(f"The line that is expected: {line}")] if line else []),
        Text(f"{', '.join(_effort(result))}. {NUMBERING}", style="dim"),
    )


NUMBERING = "Actions are named as the game names them: columns of a board are counted from 0."


def _effort(result: SearchResult[Any]) -> list[str]:
    figures = (
        (result.nodes, "node", "nodes"),
        (result.simulations, "simulation", "simulations"),
        (result.depth, "ply", "plies"),
    )
    counted = [f"{count} {one if count == 1 else many}" for count, one, many in figures if count]
    return [*counted, f"{result.elapsed:.3f} s", result.engine]


shows_itself(SearchResult, _result_html)
