"""`connectx solve`."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import typer

from agents.agent import Clock
from agents.book.opening_book import shipped_book_of
from agents.options import require_at_least
from agents.reporting.output_file import held, require_writable
from agents.solver.analysis import (
    Analysis,
    ReachedPosition,
    WatchedAnalyse,
    analyse,
    analyse_score,
    as_json_line,
    as_plain_line,
    read_position,
    read_positions,
    render_analysis,
)
from agents.solver.saved_table import load_table, require_table, save_table
from agents.solver.score_words import score_text
from agents.solver.solver import Solver
from envs.connectx import ConnectX
from submission.cli.arguments import require_memory
from submission.cli.options import SOLVING, argument, declared, flag, setting
from submission.terminal import console, is_stream, progress_bar, say, status_line

KEEP_SECONDS = 120.0
"""The least time between two writes of the table; it is at least fifty times that of a write."""


@declared(
    SOLVING,
    moves=argument(
        "MOVES",
        "The columns played so far, counted from 1: 4453, or 4,4,12; - reads positions from "
        "standard input, one per line.",
    ),
    every_column=flag("Find every column's score in any case, not only for MOVES.", "--all"),
    json=flag("Print a line of JSON for each position."),
    time_limit=setting("SECONDS", "Time for each position; then its bounds are printed.", min=0),
    threads=setting("T", "Number of threads that solve a position together.", min=1, max=256),
    table_megabytes=setting(
        "MB",
        "Size of the transposition table; a search that takes minutes is faster with 512.",
        min=1,
        max=65536,
    ),
    table=setting("FILE", "Save the transposition table in this file."),
    resume=flag("Continue with the table saved in the file of --table."),
)
def solve(
    moves: str | None = None,
    every_column: bool = False,
    json: bool = False,
    time_limit: float | None = None,
    rows: int | None = None,
    columns: int | None = None,
    inarow: int | None = None,
    threads: int = 1,
    table_megabytes: int = 64,
    table: Path | None = None,
    resume: bool = False,
) -> None:
    """Print the exact score of each column, with the board and in words.

    For a position from standard input, a line with its moves and its score is printed; with --all
    the score of each column follows, with - for a full column. Blank lines are skipped. A pipe is
    answered line by line.

    At a terminal, or with --table, a board's size without MOVES solves the empty board: who wins,
    and with which move the game ends under best play. With --all, or for MOVES, the solver finds
    every column's score, which takes several times as long.

    A long search shows the bounds proven so far, how many positions it has visited, and how many a
    second. Ctrl-C ends the search, and prints these bounds, with exit status 1. --table FILE saves
    the transposition table, every few minutes and at the end; --resume goes on from it, in any
    position of the same board. The file is at most as large as the table.
    """
    sizes = {"rows": rows, "columns": columns, "inarow": inarow}
    given = {name: size for name, size in sizes.items() if size is not None}
    env = ConnectX(**given)
    if resume and table is None:
        raise ValueError("--resume goes on from a table: name its file with --table FILE")
    require_at_least("time_limit", time_limit, 0)
    require_memory(table_megabytes)
    solver = Solver(env, table_megabytes, threads, book=shipped_book_of(env))
    board_alone = moves is None and (table is not None or (bool(given) and sys.stdin.isatty()))
    if moves == "-" or not (moves is not None or board_alone):
        if table is not None:
            raise ValueError("--table is for one position: add its moves")
        terminal = sys.stdin.isatty()
        solved = 0 if terminal else _solve_lines(solver, every_column, json, time_limit)
        if not solved and (terminal or moves is None):
            raise ValueError(
                "no position is given: add its moves, as in `connectx solve 4453` ('' for the "
                "empty board), or pipe positions to the command, one a line"
            )
        return
    position = read_position(env, moves or "")
    analyse_one = analyse_score if board_alone and not every_column else analyse
    with _kept_table(solver, table, resume) as keep:
        found, seconds, interrupted = _solve_one(solver, position, analyse_one, time_limit, keep)
        if json:
            say(as_json_line(found))
        else:
            console.print(render_analysis(found))
            if found.bounds.nodes and (board_alone or interrupted):
                say(f"{_speed(found, seconds)}, in {seconds:.1f} s.")
        if interrupted:
            raise typer.Exit(1)


def _solve_one(
    solver: Solver,
    position: ReachedPosition,
    analyse_one: WatchedAnalyse,
    time_limit: float | None,
    keep: Callable[[], str],
) -> tuple[Analysis, float, bool]:
    """Solve a position, showing progress; return findings, seconds, and whether Ctrl-C ended it.

    A Ctrl-C before any finding is raised.
    """
    clock, found = Clock(), list[Analysis]()
    with status_line(f"Solving {position.moves}".strip()) as show:

        def watch(analysis: Analysis) -> None:
            found[:] = [analysis]
            show(f"score {score_text(analysis.bounds)}, {_speed(analysis, clock.elapsed)}{keep()}")

        try:
            if solver.known(position.state) is None:
                show("" if solver.is_compiled else "in plain Python, which is slow")
            clock.restart()
            return analyse_one(solver, position, time_limit, watch), clock.elapsed, False
        except KeyboardInterrupt:
            if not found:
                raise
            return found[0], clock.elapsed, True


def _speed(analysis: Analysis, seconds: float) -> str:
    nodes = analysis.bounds.nodes
    rate = nodes / max(seconds, 1e-9)
    return f"{nodes:,} positions visited, {rate / 1e6:.2f} million a second"


@contextmanager
def _kept_table(solver: Solver, file: Path | None, resume: bool) -> Iterator[Callable[[], str]]:
    """Load the table from a file if resumed, and save it at the end and in each call when due.

    If saving has failed, maybe only for now, the call returns the reason.
    """
    if file is None:
        yield lambda: ""
        return
    with held(file):
        require_writable(file)
        if resume:
            load_table(solver, file)
        elif file.exists():
            raise FileExistsError(
                f"{file} already exists: go on from it with --resume, or name another file"
            )
        require_table(solver)
        due, trouble = monotonic() + KEEP_SECONDS, ""

        def keep() -> str:
            nonlocal due, trouble
            if monotonic() >= due:
                begun, trouble = monotonic(), ""
                try:
                    save_table(solver, file)
                except OSError as error:
                    trouble = f"; {error}"
                due = monotonic() + max(KEEP_SECONDS, 50 * (monotonic() - begun))
            return trouble

        try:
            yield keep
        finally:
            save_table(solver, file)


def _solve_lines(solver: Solver, every_column: bool, json: bool, time_limit: float | None) -> int:
    positions: Iterable[ReachedPosition] = read_positions(solver.env, sys.stdin)
    if not is_stream(sys.stdin):
        positions = list(positions)  # so mistakes are reported before anything is solved
    analyse_one = analyse if every_column else analyse_score
    as_line = as_json_line if json else as_plain_line
    # The bar redirects stdout to its terminal, which is wrong for lines that go to a file.
    results = None if sys.stdout.isatty() else sys.stdout
    with progress_bar("Solving") as show:
        done, total = 0, len(positions) if isinstance(positions, list) else 0
        show(done, total, "")
        for done, position in enumerate(positions, start=1):
            analysis = analyse_one(solver, position, time_limit)
            show(done, total, "")
            typer.echo(as_line(analysis), file=results)
    return done
