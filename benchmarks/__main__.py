"""Command line: `python -m benchmarks [--rounds N] [--only NAME] [--json FILE]`."""

from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from benchmarks.catalogue import workloads
from benchmarks.measure import measure
from benchmarks.report import as_json, print_report
from benchmarks.workload import Workload


def main(
    rounds: Annotated[int, typer.Option(min=1, help="Timings of each search.")] = 5,
    only: Annotated[str, typer.Option(help="Time the work whose name contains this.")] = "",
    json: Annotated[
        typer.FileTextWrite | None,
        typer.Option(lazy=False, help="Write all timings to this file."),
    ] = None,
) -> None:
    """Time our searches, in plain Python, beside peers from PyPI and published figures."""
    console = Console()
    chosen = choose(only)
    measurements = [
        measure(workload, rounds)
        for workload in track(chosen, "Timing", console=console, transient=True)
    ]
    print_report(measurements, console)
    if json is not None:
        json.write(as_json(measurements))


def choose(part: str) -> list[Workload]:
    """The workloads whose name contains `part`.

    Raises:
        typer.BadParameter: there is none; the message lists the names.
    """
    known = workloads()
    chosen = [workload for workload in known if part.lower() in workload.name.lower()]
    if not chosen:
        names = "; ".join(workload.name for workload in known)
        raise typer.BadParameter(f"no work has {part!r} in its name; choose from: {names}")
    return chosen


if __name__ == "__main__":
    typer.run(main)
