"""`connectx book`."""

from pathlib import Path
from typing import Annotated

import typer

from agents.book.positions import BookScope
from submission.booking.book_module import book_module
from submission.booking.build_book import UnfinishedBook, build_book
from submission.booking.checkpoint import Checkpoint
from submission.cli.arguments import CORES, Columns, Inarow, Output, Rows
from submission.cli.console import say
from submission.executors.workers import local_executor
from submission.output_file import require_writable
from submission.progress import progress_bar


def book(
    plies: Annotated[int, typer.Option(help="Of how many plies to solve all positions.")] = 8,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from where an earlier run was interrupted.")
    ] = False,
    workers: Annotated[int, typer.Option(metavar="K", help="Processes that solve.")] = CORES,
    table_megabytes: Annotated[
        int, typer.Option(metavar="MB", min=1, help="Size of each worker's transposition table.")
    ] = 512,
    rows: Rows = 6,
    columns: Columns = 7,
    inarow: Inarow = 4,
    output: Output = Path("book_data.py"),
) -> None:
    """Solve all positions of the first plies, and write them as an opening book.

    Every score is kept, in FILE.scores, as soon as it is found: after Ctrl-C the same command with
    --resume loses nothing. Exit status 1 when it was interrupted.
    """
    require_writable(output)
    scope = BookScope(rows, columns, inarow, plies)
    checkpoint = Checkpoint(output.with_name(f"{output.name}.scores"), scope)
    if not resume:
        checkpoint.require_new()
    _book(checkpoint, output, workers, table_megabytes)


def _book(checkpoint: Checkpoint, output: Path, workers: int, table_megabytes: int) -> None:
    known = checkpoint.read()
    try:
        with local_executor(workers) as executor, progress_bar("Solving") as show:
            content = build_book(checkpoint, known, executor, table_megabytes, show)
    except UnfinishedBook as unfinished:
        say(str(unfinished))
        raise typer.Exit(1) from unfinished
    output.write_text(book_module(content), encoding="utf-8")
    size = output.stat().st_size / 1000
    say(f"Wrote {output}, {size:.0f} kB: {len(content.deepest_scores)} scores.")
