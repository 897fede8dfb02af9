"""Command line: `python -m benchmarks [searches | solver | compile | positions] …`."""

from collections.abc import Iterable
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.progress import track

from benchmarks.catalogue import workloads
from benchmarks.compilation import measure_compilation, print_compilation
from benchmarks.first_call import KERNELS
from benchmarks.make_positions import make_set
from benchmarks.measure import measure
from benchmarks.positions import SETS, SIZE, write_positions
from benchmarks.report import as_json, print_report
from benchmarks.solver_measure import measure_solver
from benchmarks.solver_peer import installed_bitbully
from benchmarks.solver_report import print_solver_report, solver_json
from benchmarks.solver_workload import EMPTY_BOARD, SolverWorkload, solver_workloads
from benchmarks.workload import Workload

app = typer.Typer(
    help="Time our searches beside their peers from PyPI. Without a command: all but `positions`.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
console = Console()

Kind = TypeVar("Kind", Workload, SolverWorkload)
Item = TypeVar("Item")

Rounds = Annotated[int, typer.Option(min=1, help="Timings of each search.")]
Only = Annotated[str, typer.Option(help="Time the work whose name contains this.")]
Json = Annotated[
    typer.FileTextWrite | None,
    typer.Option(lazy=False, metavar="FILE", help="Write all timings to this file."),
]


@app.callback(invoke_without_command=True)
def everything(context: typer.Context) -> None:
    """Run the commands that measure, in turn."""
    if context.invoked_subcommand is None:
        searches()
        solver()
        compilation()


@app.command()
def searches(rounds: Rounds = 5, only: Only = "", json: Json = None) -> None:
    """Time our searches beside peers and published figures."""
    chosen = choose(workloads(), only)
    measurements = [measure(workload, rounds) for workload in _track(chosen, "Timing searches")]
    print_report(measurements, console)
    if json is not None:
        json.write(as_json(measurements))


@app.command()
def solver(
    rounds: Rounds = 3,
    only: Only = "",
    json: Json = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Positions of each set, instead of 100 or 20."),
    ] = None,
    empty_board: Annotated[
        bool, typer.Option("--empty-board", help="The empty board too: minutes for each round.")
    ] = False,
) -> None:
    """Time the exact solver beside BitBully."""
    known = [*solver_workloads(sample), *([EMPTY_BOARD] if empty_board else [])]
    chosen = choose(known, only)
    bitbully = installed_bitbully()
    measurements = [
        measure_solver(workload, rounds, bitbully) for workload in _track(chosen, "Timing solvers")
    ]
    print_solver_report(measurements, console)
    if json is not None:
        json.write(solver_json(measurements))


@app.command("compile")
def compilation() -> None:
    """Time how long compiled searches take to be ready."""
    print_compilation([*_track(measure_compilation(), "Compiling", len(KERNELS))], console)


@app.command()
def positions(
    seed: Annotated[int, typer.Option(help="The same seed makes the same positions.")] = 1,
) -> None:
    """Make the sets of positions again, with BitBully's scores: a few minutes."""
    for kind in SETS:
        write_positions(kind.path, [*_track(make_set(kind, seed), f"Making {kind.name}", SIZE)])


def choose(known: Iterable[Kind], part: str) -> list[Kind]:
    """The workloads whose name contains `part`.

    Raises:
        typer.BadParameter: there is none; the message lists the names.
    """
    names = {workload.name: workload for workload in known}
    chosen = [workload for name, workload in names.items() if part.lower() in name.lower()]
    if not chosen:
        raise typer.BadParameter(
            f"no work has {part!r} in its name; choose from: {'; '.join(names)}"
        )
    return chosen


def _track(items: Iterable[Item], doing: str, total: int | None = None) -> Iterable[Item]:
    return track(items, doing, total=total, console=console, transient=True)


if __name__ == "__main__":
    app()
