"""Arguments that several commands take."""

from os import cpu_count
from pathlib import Path
from typing import Annotated

import typer

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
