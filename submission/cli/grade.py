"""`connectx grade`."""

from pathlib import Path
from typing import Annotated

import typer

from submission import front_door
from submission.cli.arguments import (
    ActTimeout,
    Dask,
    Json,
    PlayerName,
    files_of_players,
    require_complete,
    require_files,
    show,
)
from submission.grading.grade_report import grade_page
from submission.grading.solved_positions import SHIPPED_POSITIONS
from submission.match.players import find_player
from submission.running import CORES


def grade(
    player: PlayerName,
    positions: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="What `connectx positions` has written, or positions that others grade with.",
            show_default="those that come with the package",
        ),
    ] = SHIPPED_POSITIONS,
    sample: Annotated[
        int | None,
        typer.Option(metavar="N", help="Ask about so many of the positions, drawn by the seed."),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(metavar="S", help="The same seed draws the same sample and random numbers."),
    ] = 0,
    act_timeout: ActTimeout = 2.0,
    workers: Annotated[
        int,
        typer.Option(metavar="K", help="Asked at the same time; at most one a core, to be fair."),
    ] = CORES,
    dask: Dask = None,
    json: Json = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page with the worst mistakes on their boards."),
    ] = None,
) -> None:
    """Compare a player's moves with the truth, in positions that are solved exactly.

    For the opening, the middle game and the endgame: how often its move keeps the win or the draw,
    and how often it is exactly best, beside what random play gets. At least half of the positions
    are hard where there are as many: only one move keeps the result.

    Positions that others grade with are read, too: refmoves1k of Kaggle's competitors (a line of
    JSON with `board`, `score` and `move score`), and P. Pons' sets (moves and score, as `connectx
    solve -` writes them), whose columns are solved first; --sample leaves fewer to solve. Scores
    that the solver does not confirm are refused. The two figures that are quoted of refmoves1k come
    with every grade: good moves keep the win or the draw, and in a lost position all do; perfect
    moves are exactly best; both in percent of all positions.

    A player is asked in a process of its own, as Kaggle would, but with a full bank in every
    position; a smaller --act-timeout makes a quick grade. Ctrl-C ends it with the positions that
    were answered until then, and exit status 1, as does a player that fails in all of them.
    """
    graded = find_player(player)
    require_files(json, html, read=[positions, *files_of_players([graded])])
    result = front_door.grade(
        graded,
        positions=positions,
        sample=sample,
        seed=seed,
        act_timeout=act_timeout,
        workers=workers,
        dask=dask,
    )
    show(result, json)
    if html is not None:
        html.write_text(grade_page(result), encoding="utf-8", newline="\n")
    require_complete(result.completion)
    if all(answer.failure for answer in result.answers):
        raise typer.Exit(1)
