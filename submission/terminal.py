"""The terminal: lines, progress bars, and untrusted text made safe."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from stat import S_ISREG
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from agents.agent import OnProgress
from agents.reporting.rich_html import PLAIN, text_of

console = Console(markup=False, emoji=False, force_jupyter=False)
"""Shows every text unchanged: the name of a file may be `[/b]/a.py` or `:b:.py`. In a notebook it
prints text only, because results have their own display there."""


def say(text: str) -> None:
    """Print plain text without wrapping its lines."""
    console.print(text, highlight=False, soft_wrap=True)


def plain_text(text: str) -> str:
    """The text without the control characters with which it could steer a terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def is_stream(file: TextIO) -> bool:
    """Whether a file may still grow while it is being read, as a pipe does."""
    try:
        return not S_ISREG(os.fstat(file.fileno()).st_mode)
    except OSError:  # a file in memory
        return False


def _progress(*columns: ProgressColumn, shown: bool = True) -> Progress:
    """A title followed by columns on stderr, erased at the end."""
    stderr = Console(stderr=True, markup=False, emoji=False)
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        *columns,
        console=stderr,
        transient=True,
        disable=not (shown and (stderr.is_interactive or stderr.is_jupyter)),
    )
    if shown and stderr.is_jupyter:
        bar.live = _LiveInCell(
            get_renderable=bar.get_renderable,
            console=Console(file=StringIO(), **PLAIN),
            redirect_stdout=False,
            redirect_stderr=False,
        )
    return bar


class _LiveInCell(Live):
    """Text in the output of a notebook's cell, emptied at the end.

    The widget that rich would show stays in a saved notebook, where it displays an error.
    """

    def start(self, refresh: bool = False) -> None:
        from IPython.display import display

        self._output = display({"text/plain": ""}, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        super().start(refresh)

    def refresh(self) -> None:
        self._put_out(text_of(self.get_renderable()))

    def stop(self) -> None:
        super().stop()
        self._put_out("")

    def _put_out(self, text: str) -> None:
        self._output.update({"text/plain": text}, raw=True)


@contextmanager
def status_line(title: str) -> Iterator[Callable[[str], None]]:
    """A line on stderr with the elapsed time and the latest words, while the `with` block runs."""
    with _progress(TimeElapsedColumn()) as line:
        task = line.add_task(title, total=None)
        yield lambda words: line.update(task, description=f"{title} {words}".rstrip())


@contextmanager
def progress_bar(title: str, shown: bool = True) -> Iterator[OnProgress]:
    """A bar on stderr with the elapsed and the remaining time, while the `with` block runs.

    A total of 0 means unknown: only the amount done is shown.
    """
    times = TimeElapsedColumn(), TimeRemainingColumn()
    with _progress(BarColumn(), MofNCompleteColumn(), *times, shown=shown) as bar:
        task = bar.add_task(title, total=None)

        def show(done: int, total: int, description: str) -> None:
            words = f"{title} {description}".rstrip()
            bar.update(task, completed=done, total=total or None, description=words)

        yield show
