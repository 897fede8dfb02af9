"""`connectx review`."""

from pathlib import Path
from typing import Annotated

import typer

from submission import front_door
from submission.cli.arguments import Json, require_complete, require_files, show


def review(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Episodes that `kaggle competitions replay` has written, and results files.",
        ),
    ],
    player: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Whose moves are judged: the name of the team, or of the player."
        ),
    ],
    logs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The player's log of the one episode, by `kaggle competitions logs`.",
            show_default="those beside the episodes",
        ),
    ] = None,
    time_limit: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, help="For each position; then it is undecided."),
    ] = 10.0,
    json: Json = None,
) -> None:
    """Say where a player gave a win or a draw away, in games that were played.

    Each move is compared with the solver's best one: what it was worth, and what would have been
    better; with the totals for the opening, the middle game and the endgame. The logs of an episode
    are found beside it by their names, `episode-123-agent-0-logs.json`, and add times and errors.

    Ctrl-C ends it with the games that were judged until then, and exit status 1.
    """
    require_files(json, read=[*files, logs])
    result = front_door.review(files, player, logs=logs, time_limit=time_limit)
    show(result, json)
    require_complete(result.completion)
