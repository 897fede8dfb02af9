"""`connectx solve`."""

import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from agents.book.opening_book import shipped_book_of
from agents.solver.analysis import (
    ReachedPosition,
    analyse,
    analyse_all,
    analyse_score,
    as_json_line,
    as_plain_line,
    read_position,
    read_positions,
    render_analysis,
)
from agents.solver.solver import Solver
from envs.connectx import ConnectX
from submission.cli.arguments import Columns, Inarow, Rows
from submission.terminal import console, is_stream, progress_bar, say


def solve(
    moves: Annotated[
        str | None,
        typer.Argument(
            metavar="MOVES",
            help="The columns played so far, from 1: 4453, or 4,4,12; - reads positions from "
            "standard input, one a line.",
        ),
    ] = None,
    every_column: Annotated[
        bool,
        typer.Option("--all", help="Every column's score, for positions from standard input too."),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="A line of JSON for each position.")] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", min=0, help="For each position; gives bounds at the end."),
    ] = None,
    rows: Rows = 6,
    columns: Columns = 7,
    inarow: Inarow = 4,
) -> None:
    """Print the exact score of each column, with the board and in words.

    A position from standard input becomes a line with its moves and its score; with --all the
    score of each column follows, - for a full one. Blank lines are passed over. What comes through
    a pipe is answered line by line.
    """
    env = ConnectX(rows, columns, inarow)
    solver = Solver(env, book=shipped_book_of(env))
    if moves is None or moves == "-":
        _solve_lines(solver, every_column, json, time_limit)
    else:
        _solve_one(solver, moves, json, time_limit)


def _solve_one(solver: Solver, moves: str, json: bool, time_limit: float | None) -> None:
    position = read_position(solver.env, moves)
    with progress_bar(f"Solving {position.moves}"):
        analysis = analyse(solver, position, time_limit)
    if json:
        say(as_json_line(analysis))
    else:
        console.print(render_analysis(analysis))


def _solve_lines(solver: Solver, every_column: bool, json: bool, time_limit: float | None) -> None:
    if sys.stdin.isatty():
        raise ValueError(
            "no position is given: add its moves, as in `connectx solve 4453`, or pipe positions "
            "to the command, one a line"
        )
    positions: Iterable[ReachedPosition] = read_positions(solver.env, sys.stdin)
    if not is_stream(sys.stdin):
        positions = list(positions)  # a mistake is told before anything is solved
    analyse_one = analyse if every_column else analyse_score
    as_line = as_json_line if json else as_plain_line
    # The bar redirects stdout to its terminal: right for lines shown there, wrong for a file's.
    results = None if sys.stdout.isatty() else sys.stdout
    with progress_bar("Solving") as show:
        for analysis in analyse_all(solver, positions, analyse_one, time_limit, show):
            typer.echo(as_line(analysis), file=results)
