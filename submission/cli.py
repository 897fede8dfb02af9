"""The command line: from an agent's name to a submission that is built, checked and evaluated."""

import sys
from collections.abc import Sequence
from itertools import count
from os import cpu_count
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from agents.book.opening_book import shipped_book_of
from agents.book.positions import BookScope
from agents.exact.solver import Solver
from agents.introspection import agent_help, agent_options
from agents.registry import AGENTS
from envs.connectx import ConnectX
from submission.booking.book_module import book_module
from submission.booking.build_book import UnfinishedBook, build_book
from submission.booking.checkpoint import Checkpoint
from submission.bundling.bundle import build_bundle
from submission.checking.check import check_submission
from submission.checking.check_report import render_check
from submission.checking.check_result import CheckReport
from submission.evaluating.evaluate import evaluate as run_evaluation
from submission.evaluating.evaluation import Evaluation
from submission.evaluating.evaluation_report import render_evaluation
from submission.evaluating.game_record import GameConfiguration
from submission.evaluating.players import find_player
from submission.evaluating.replay import game_to_show, replay_html
from submission.evaluating.workers import local_executor
from submission.options import parse_options
from submission.output_file import require_writable
from submission.progress import progress_bar
from submission.solving.analysis import analyse, analyse_score
from submission.solving.batch import analyse_all
from submission.solving.lines import as_json_line, as_plain_line
from submission.solving.picture import render_analysis
from submission.solving.position import read_position, read_positions
from submission.upload import upload_command

HELP = """Game-tree search agents for Kaggle's ConnectX: build, check and evaluate submissions.

\b
  connectx agents                     what there is to choose from
  connectx prepare perfect            submission.py: built, checked, evaluated
  connectx build mcts --option seed=7
  connectx check submission.py
  connectx evaluate submission.py --against negamax --against mcts
  connectx solve 44444353             what each column is worth, exactly
  connectx book --plies 8             every position of the first plies, solved in advance
"""

app = typer.Typer(
    help=HELP,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
console = Console()

AgentName = Annotated[
    str, typer.Argument(metavar="AGENT", help="A name that `connectx agents` lists.")
]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", "-O", metavar="KEY=VALUE", help="An option of the agent; repeatable."),
]
Source = Annotated[
    Path | None,
    typer.Option(
        "--from", metavar="FILE", help="Take AGENT, a class that inherits agents.Agent, from FILE."
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write.")]
ActTimeout = Annotated[
    float, typer.Option(metavar="SECONDS", help="Time for a move; Kaggle's is 2.")
]
Games = Annotated[int, typer.Option(metavar="N", help="Games against each opponent.")]
Seed = Annotated[int, typer.Option(metavar="S", help="The same seed gives the same games.")]
Workers = Annotated[
    int, typer.Option(metavar="K", help="Games at the same time; at most one a core, to be fair.")
]
Rows = Annotated[int, typer.Option(help="Height of the board.")]
Columns = Annotated[int, typer.Option(help="Width of the board.")]
Inarow = Annotated[int, typer.Option(help="Stones in a row that win.")]
CORES = cpu_count() or 1


@app.command()
def agents() -> None:
    """List the agents, their options and the defaults."""
    for name, agent in AGENTS.items():
        console.print(f"[bold]{name}[/bold]  {agent_help(agent)}", highlight=False)
        table = Table(box=None, show_header=False, padding=(0, 2))
        for option in agent_options(agent):
            table.add_row(f"{option.name}={_as_text(option.default)}", option.help)
        if table.row_count:
            console.print(table)
        console.print()


@app.command()
def build(
    agent: AgentName,
    option: Options = None,
    source: Source = None,
    output: Output = Path("submission.py"),
) -> None:
    """Bundle an agent into one self-contained file for Kaggle.

    Options that you leave out have the defaults that `connectx agents` lists, but for limits of
    time and of simulations: on Kaggle the clock is the limit.
    """
    _build(agent, option or [], source, output)


@app.command()
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .py file, or a tar.gz of one.")],
    act_timeout: ActTimeout = 2.0,
) -> None:
    """Say whether Kaggle would accept a submission, and why not.

    Any submission: it is played as Kaggle would play it, in a process of its own, which is ended
    when it hangs or takes too much memory.

    Exit status 0 only when Kaggle would accept it, 1 when not.
    """
    if not _check(file, act_timeout).accepted:
        raise typer.Exit(1)


@app.command()
def evaluate(
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER",
            help="Kaggle's `random` or `negamax`; an agent, as in `mcts:simulations=500,seed=1`; "
            "or the path of a submission file.",
        ),
    ],
    against: Annotated[list[str], typer.Option(metavar="PLAYER", help="An opponent; repeatable.")],
    games: Games = 20,
    seed: Seed = 0,
    workers: Workers = CORES,
    rows: Rows = 6,
    columns: Columns = 7,
    inarow: Inarow = 4,
    act_timeout: ActTimeout = 2.0,
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every game as JSON.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the replay of a game not won.")
    ] = None,
) -> None:
    """Play against opponents on Kaggle's own environment.

    Seats alternate. Ctrl-C ends the evaluation with the games that were played until then.
    """
    for path in (json, html):
        if path is not None:
            require_writable(path)
    configuration = GameConfiguration(rows, columns, inarow, act_timeout)
    evaluation = _evaluate(player, against, games, seed, workers, configuration)
    if json is not None:
        json.write_text(evaluation.to_json(), encoding="utf-8")
    if html is not None:
        page = replay_html(game_to_show(evaluation.records), evaluation)
        html.write_text(page, encoding="utf-8")


@app.command()
def prepare(
    agent: AgentName,
    option: Options = None,
    source: Source = None,
    output: Output = Path("submission.py"),
    games: Games = 2,
    seed: Seed = 0,
    workers: Workers = CORES,
) -> None:
    """Build, check and evaluate a submission, one after the other.

    It plays against Kaggle's random and negamax.

    Exit status 0 only when Kaggle would accept it.
    """
    _build(agent, option or [], source, output)
    report = _check(output, act_timeout=2.0)
    if not report.accepted:
        raise typer.Exit(1)
    _evaluate(str(output), ["random", "negamax"], games, seed, workers, GameConfiguration())
    _say(f"Submit it with: {upload_command(str(output), agent)}")


@app.command()
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
    score of each column follows, - for a full one. Blank lines are passed over.
    """
    env = ConnectX(rows, columns, inarow)
    solver = Solver(env, book=shipped_book_of(env))
    if moves is None or moves == "-":
        _solve_lines(solver, every_column, json, time_limit)
    else:
        _solve_one(solver, moves, json, time_limit)


@app.command()
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


def _solve_one(solver: Solver, moves: str, json: bool, time_limit: float | None) -> None:
    position = read_position(solver.env, moves)
    with progress_bar(f"Solving {position.moves}"):
        analysis = analyse(solver, position, time_limit)
    if json:
        _say(as_json_line(analysis))
    else:
        console.print(render_analysis(analysis))


def _solve_lines(solver: Solver, every_column: bool, json: bool, time_limit: float | None) -> None:
    if sys.stdin.isatty():
        raise ValueError(
            "no position is given: add its moves, as in `connectx solve 4453`, or pipe positions "
            "to the command, one a line"
        )
    positions = list(read_positions(solver.env, sys.stdin))
    analyse_one = analyse if every_column else analyse_score
    as_line = as_json_line if json else as_plain_line
    # The bar redirects stdout to its terminal: right for lines shown there, wrong for a file's.
    results = None if sys.stdout.isatty() else sys.stdout
    with progress_bar("Solving") as show:
        for analysis in analyse_all(solver, positions, analyse_one, time_limit, show):
            typer.echo(as_line(analysis), file=results)


def _book(checkpoint: Checkpoint, output: Path, workers: int, table_megabytes: int) -> None:
    known = checkpoint.read()
    try:
        with local_executor(workers) as executor, progress_bar("Solving") as show:
            content = build_book(checkpoint, known, executor, table_megabytes, show)
    except UnfinishedBook as unfinished:
        _say(str(unfinished))
        raise typer.Exit(1) from unfinished
    output.write_text(book_module(content), encoding="utf-8")
    size = output.stat().st_size / 1000
    _say(f"Wrote {output}, {size:.0f} kB: {len(content.deepest_scores)} scores.")


def _build(agent: str, options: Sequence[str], source: Path | None, output: Path) -> None:
    text = build_bundle(agent, parse_options(options), source)
    require_writable(output)
    output.write_text(text, encoding="utf-8")
    _say(f"Wrote {output}, {len(text.encode()) / 1000:.0f} kB.")


def _check(file: Path, act_timeout: float) -> CheckReport:
    with progress_bar(f"Checking {file}") as show:
        report = check_submission(file, act_timeout=act_timeout, on_progress=show)
    console.print(render_check(report), crop=False)
    return report


def _evaluate(
    player: str,
    against: Sequence[str],
    games: int,
    seed: int,
    workers: int,
    configuration: GameConfiguration,
) -> Evaluation:
    evaluated, opponents = find_player(player), [find_player(name) for name in against]
    total = games * len(opponents)
    played = count(1)
    with progress_bar(f"Evaluating {player}") as show, local_executor(workers) as executor:
        show(0, total, "")
        evaluation = run_evaluation(
            evaluated,
            opponents,
            games=games,
            seed=seed,
            executor=executor,
            configuration=configuration,
            on_game=lambda record: show(next(played), total, f"against {record.opponent}"),
        )
    console.print(render_evaluation(evaluation))
    return evaluation


def _say(text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def _as_text(value: object) -> str:
    """A default as it is written on the command line."""
    return (
        "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    )
