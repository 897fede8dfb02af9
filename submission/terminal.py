"""The terminal: tables, progress bars, and strangers' text, fit to be shown."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from agents.search import OnProgress
from submission.console_encoding import READABLE

console = Console()

NOTHING = "-"
"""Shown in a table where there is no figure."""


class Printed(ABC):
    """A result that prints as the tables of its command, in a terminal and in a notebook."""

    @abstractmethod
    def __rich__(self) -> RenderableType:
        """The tables and the notes on them."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """All of it as what `json.dumps` takes."""

    def __str__(self) -> str:
        """The tables as text, as wide as the terminal."""
        with console.capture() as capture:
            console.print(self, crop=False)
        text = capture.get().rstrip()
        return text.encode(console.encoding, READABLE).decode(console.encoding)

    def __repr__(self) -> str:
        """What a notebook and Python's prompt show."""
        return str(self)


def say(text: str) -> None:
    """Print plain text, however long its lines."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def plain_table(title: str) -> Table:
    """A table without columns under a title, which is shown as it is."""
    return Table(
        title=Text(title, style="bold"),
        title_justify="left",
        box=SIMPLE_HEAD,
        collapse_padding=True,
        pad_edge=False,
    )


def plain_text(text: str) -> str:
    """The text without the control characters with which it could steer a terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


@contextmanager
def progress_bar(title: str, shown: bool = True) -> Iterator[OnProgress]:
    """A bar on stderr with the time passed and the time left, while the `with` block runs."""
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not shown,
    )
    with bar:
        task = bar.add_task(title, total=None)

        def show(done: int, total: int, description: str) -> None:
            bar.update(
                task, completed=done, total=total, description=f"{title} {description}".rstrip()
            )

        yield show
