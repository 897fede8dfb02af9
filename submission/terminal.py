"""The terminal: tables, progress bars, and strangers' text, fit to be shown."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import singledispatch
from stat import S_ISREG
from typing import Any, TextIO

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

from agents.agent import OnProgress
from agents.reporting.rich_html import html_of
from envs.svg import in_page
from submission.console_encoding import READABLE

console = Console(markup=False, emoji=False, force_jupyter=False)
"""Shows every text as it is: the name of a file may be `[/b]/a.py` or `:b:.py`. In a notebook it
prints text alone, for there results show themselves."""

NOTHING = "-"
"""Shown in a table where there is no figure."""


@singledispatch
def tables(result: object) -> RenderableType:
    """The tables of a result, with notes; `submission.front_door` registers those of each kind."""
    return Text(object.__repr__(result))


PICTURE = "background: #ffffff; color: #0b1f38; margin: 0.5em 0; padding: 0.5em"
"""The look of a picture in a notebook, which may be dark around it."""


@singledispatch
def pictures(result: object) -> Sequence[str]:
    """The pictures of a result, as SVG, which a notebook shows below the tables.

    `submission.front_door` registers those of each kind, too.
    """
    return ()


class Printed(ABC):
    """A result that prints as the tables of its command, in a terminal and in a notebook."""

    def __rich__(self) -> RenderableType:
        """The tables and the notes on them."""
        return tables(self)

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
        """What Python's prompt shows."""
        return str(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What a notebook shows."""
        drawn = (in_page(svg, "a picture of these results", PICTURE) for svg in pictures(self))
        plain = Text.from_ansi(str(self)).plain  # notebooks ask all programs for colours
        return {"text/plain": plain, "text/html": "".join([html_of(tables(self)), *drawn])}


def say(text: str) -> None:
    """Print plain text, however long its lines."""
    console.print(text, highlight=False, soft_wrap=True)


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


def is_stream(file: TextIO) -> bool:
    """Whether a file's lines may still be written while they are read, as in a pipe."""
    try:
        return not S_ISREG(os.fstat(file.fileno()).st_mode)
    except OSError:  # it is no file of the system, but lies in memory
        return False


@contextmanager
def status_line(title: str) -> Iterator[Callable[[str], None]]:
    """A line on stderr with the time passed and what was told last, while the `with` block runs."""
    line = Progress(
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=Console(stderr=True, markup=False, emoji=False),
        transient=True,
    )
    with line:
        task = line.add_task(title, total=None)
        yield lambda words: line.update(task, description=f"{title} {words}".rstrip())


@contextmanager
def progress_bar(title: str, shown: bool = True) -> Iterator[OnProgress]:
    """A bar on stderr with the time passed and the time left, while the `with` block runs.

    Of work whose total is unknown, told as 0, it shows how much is done.
    """
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True, markup=False, emoji=False),
        transient=True,
        disable=not shown,
    )
    with bar:
        task = bar.add_task(title, total=None)

        def show(done: int, total: int, description: str) -> None:
            bar.update(
                task,
                completed=done,
                total=total or None,
                description=f"{title} {description}".rstrip(),
            )

        yield show
