"""`connectx check`."""

from pathlib import Path
from typing import Annotated

import typer

from submission import front_door
from submission.checking.check import PATIENCE
from submission.checking.check_result import CheckReport
from submission.cli.arguments import ActTimeout, Json, RefereeOption, require_files, show
from submission.kaggle import Referee


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .py file, or a tar.gz of one.")],
    python: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Play with this interpreter and its packages: a Python of 3.11 or newer with "
            "kaggle_environments, or the folder of its virtual environment. `make kaggle-image` "
            "makes one with Kaggle's versions, .venv/kaggle-image.",
            show_default="the one that runs this command",
        ),
    ] = None,
    referee: RefereeOption = Referee.CONNECTX,
    speed: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Play as on a machine so much slower: 0.33 leaves a third of one core to the "
            "submission with all its threads and processes, while the clock runs on. Linux only.",
        ),
    ] = 1.0,
    act_timeout: ActTimeout = 2.0,
    game_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="How long each game that decides is played after its first move, and longer while "
            "the bank of time could still run out; 1200 for whole games.",
            show_default="8, divided by the speed",
        ),
    ] = None,
    patience: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="After so long no further game begins: those on other boards or with less time, "
            "which only warn. Agents that compile take about 45 s for all.",
        ),
    ] = PATIENCE,
    json: Json = None,
) -> None:
    """Say whether Kaggle would accept a submission, and why not.

    Any submission: it is played as Kaggle would play it, in a process of its own, which is ended
    when it hangs or takes too much memory. Files and packages that are here but not on Kaggle's
    machine are named.

    Exit status 0 only when Kaggle would accept it, 1 when not.
    """
    require_files(json, read=[file])
    report = front_door.check(
        file,
        python=python,
        referee=referee,
        speed=speed,
        act_timeout=act_timeout,
        game_seconds=game_seconds,
        patience=patience,
    )
    show(report, json)
    require_accepted(report)


def require_accepted(report: CheckReport) -> None:
    """End the command with status 1 where Kaggle would refuse the submission.

    Raises:
        typer.Exit: it would.
    """
    if not report.accepted:
        raise typer.Exit(1)
