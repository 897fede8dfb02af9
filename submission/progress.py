"""Progress bars for long work."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from agents.search import OnProgress


@contextmanager
def progress_bar(title: str) -> Iterator[OnProgress]:
    """A bar on stderr with the time passed and the time left, while the `with` block runs."""
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(title, total=None)

        def show(done: int, total: int, description: str) -> None:
            bar.update(
                task, completed=done, total=total, description=f"{title} {description}".rstrip()
            )

        yield show
