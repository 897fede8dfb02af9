"""`connectx build`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from agents.output_file import require_distinct
from agents.registry import parse_options
from envs.games import GAMES
from submission import front_door
from submission.cli.arguments import (
    AgentName,
    Force,
    Options,
    Output,
    Source,
    files_of_options,
    modules_beside,
)
from submission.front_door import DEFAULT_OUTPUT
from submission.terminal import say


def build(
    agent: AgentName,
    option: Options = None,
    source: Source = None,
    game: Annotated[
        str,
        typer.Option(
            metavar="|".join(GAMES),
            help="A game that the file plays besides ConnectX and OpenSpiel's Connect Four.",
        ),
    ] = "connectx",
    output: Output = DEFAULT_OUTPUT,
    force: Force = False,
) -> None:
    """Bundle an agent into one self-contained file for Kaggle.

    Options that you leave out have the defaults that `connectx agents` lists, but for limits of
    time and of simulations: on Kaggle the clock is the limit.
    """
    write_bundle(agent, option or [], source, output, force=force, game=game)


def write_bundle(
    agent: str,
    options: Sequence[str],
    source: Path | None,
    output: Path,
    *,
    force: bool,
    game: str = "connectx",
) -> None:
    """Bundle an agent into a file, and say how large it is."""
    chosen = parse_options(options)
    require_distinct(output, read=[source, *files_of_options(chosen)])
    submission = front_door.build(agent, source=source, game=game, **chosen)
    require_distinct(output, read=modules_beside(source))
    submission.save(output, force=force)
    say(f"Wrote {output}, {len(submission.source.encode()) / 1000:.0f} kB.")
