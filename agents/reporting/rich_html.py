"""The tables of rich as HTML: a notebook shows what a terminal prints.

The HTML takes its colours from the surrounding page, which may be dark.
"""

from collections.abc import Iterator
from html import escape
from io import StringIO
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

WIDEST = 1000  # characters of a line: no table needs more, so none wraps on a page
PRINTED = 100  # characters of a line of text

COLOURS = {"red": "#d1434b", "green": "#2b8a4b", "yellow": "#9a7200"}
"""Readable on light and on dark backgrounds."""
LINE = "1px solid rgba(128, 128, 128, 0.4)"

PLAIN: dict[str, Any] = {"markup": False, "emoji": False, "force_jupyter": False}
"""The options that show untrusted text unchanged."""

_page = Console(file=StringIO(), width=WIDEST, **PLAIN)


def text_of(renderable: RenderableType) -> str:
    """The text that a terminal of 100 characters shows, without its colours."""
    console = Console(file=StringIO(), width=PRINTED, color_system=None, **PLAIN)
    with console.capture() as capture:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in capture.get().rstrip().split("\n"))


def html_of(renderable: object) -> str:
    """HTML of tables and texts, of groups of them, and of objects that rich converts to these.

    All texts are escaped. Wrapped in an element, it is also well-formed XML.
    """
    match renderable:
        case Group():
            return "".join(map(html_of, renderable.renderables))
        case Table():
            return _table(renderable)
        case str() | Text():
            style = "margin: 0.3em 0; white-space: pre-wrap"
            return f'<p style="{style}">{_inline(renderable)}</p>' if renderable else ""
    if hasattr(renderable, "__rich__"):
        return html_of(renderable.__rich__())
    if hasattr(renderable, "__rich_console__"):
        return "".join(map(html_of, renderable.__rich_console__(_page, _page.options)))
    raise TypeError(f"{renderable!r} is not a table or text")


def _table(table: Table) -> str:
    heading = (
        f'<p style="margin: 0.5em 0 0"><b>{_inline(table.title)}</b></p>' if table.title else ""
    )
    head = ""
    if table.show_header:
        cells = (_cell("th", column.header, column.justify) for column in table.columns)
        head = f"<tr>{''.join(cells)}</tr>"
    body = "".join(_rows(table))
    return (
        f'{heading}<div style="overflow-x: auto"><table style="border-collapse: collapse; '
        f'margin: 0.5em 0; font-variant-numeric: tabular-nums">'
        f"<tbody>{head}{body}</tbody></table></div>"
    )


def _rows(table: Table) -> Iterator[str]:
    columns = [[*column.cells] for column in table.columns]
    for number, row in enumerate(table.rows):
        css = _css(_page.get_style(row.style or "none"))
        cells = (
            _cell("td", cells[number], column.justify, css)
            for column, cells in zip(table.columns, columns, strict=True)
        )
        yield f"<tr>{''.join(cells)}</tr>"


def _cell(tag: str, content: RenderableType, justify: str, css: str = "") -> str:
    side = "right" if justify == "right" else "left"
    style = f"text-align: {side}; padding: 0.15em 0.6em; border-bottom: {LINE}; {css}"
    return f'<{tag} style="{style.rstrip()}">{_inline(content)}</{tag}>'


def _inline(content: RenderableType) -> str:
    """A text with its styles, for a line or a cell."""
    words = content if isinstance(content, Text) else Text(str(content))
    base = _page.get_style(words.style)
    spans = []
    for piece, style, _ in words.render(_page):
        written = "<br/>".join(escape(_printable(line)) for line in piece.split("\n"))
        css = _css(base + style if style else base)
        spans.append(f'<span style="{css}">{written}</span>' if css else written)
    return "".join(spans)


def _css(style: Style) -> str:
    parts = []
    if style.bold:
        parts.append("font-weight: bold")
    if style.dim:
        parts.append("opacity: 0.75")
    if style.color is not None and style.color.name in COLOURS:
        parts.append(f"color: {COLOURS[style.color.name]}")
    return "; ".join(parts)


def _printable(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
