"""`connectx check`."""

from pathlib import Path
from typing import Annotated

import typer

from submission.checking.check import PATIENCE, check_submission
from submission.checking.check_report import render_check
from submission.checking.check_result import CheckReport
from submission.cli.arguments import ActTimeout
from submission.cli.console import console
from submission.progress import progress_bar


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .py file, or a tar.gz of one.")],
    act_timeout: ActTimeout = 2.0,
    patience: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="After so long no further game begins: those on other boards or with less time, "
            "which only warn. Agents that compile take about 45 s for all.",
        ),
    ] = PATIENCE,
) -> None:
    """Say whether Kaggle would accept a submission, and why not.

    Any submission: it is played as Kaggle would play it, in a process of its own, which is ended
    when it hangs or takes too much memory.

    Exit status 0 only when Kaggle would accept it, 1 when not.
    """
    if not check_and_report(file, act_timeout, patience).accepted:
        raise typer.Exit(1)


def check_and_report(
    file: Path, act_timeout: float = 2.0, patience: float = PATIENCE
) -> CheckReport:
    """Check a submission file and print what was found."""
    with progress_bar(f"Checking {file}") as show:
        report = check_submission(
            file, act_timeout=act_timeout, patience=patience, on_progress=show
        )
    console.print(render_check(report), crop=False)
    return report
