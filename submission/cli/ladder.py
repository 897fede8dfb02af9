"""`connectx ladder`."""

from pathlib import Path
from typing import Annotated

import typer

from submission import front_door
from submission.cli.arguments import (
    ActTimeout,
    Anchor,
    ArenaOption,
    Dask,
    Games,
    Json,
    OpeningPlies,
    RefereeColumns,
    RefereeInarow,
    RefereeOption,
    RefereeRows,
    Results,
    Resume,
    Seed,
    Workers,
    files_of_players,
    require_complete,
    require_files,
    show,
)
from submission.kaggle import Referee
from submission.match.players import find_player
from submission.match.schedule import Arena
from submission.rating.ladder import Ladder
from submission.rating.ladder_report import ladder_page
from submission.running import CORES


def ladder(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER",
            help="Two or more: Kaggle's `random` or `negamax`; agents, as in "
            "`mcts:simulations=500,seed=1`; paths of submissions, .py files or .tar.gz.",
        ),
    ],
    games: Games = 20,
    anchor: Anchor = None,
    seed: Seed = 0,
    opening_plies: OpeningPlies = 2,
    workers: Workers = CORES,
    dask: Dask = None,
    referee: RefereeOption = Referee.CONNECTX,
    arena: ArenaOption = Arena.KAGGLE,
    rows: RefereeRows = None,
    columns: RefereeColumns = None,
    inarow: RefereeInarow = None,
    act_timeout: ActTimeout = 2.0,
    results: Results = None,
    resume: Resume = False,
    json: Json = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write a page with the ratings as a picture and lost games."
        ),
    ] = None,
) -> None:
    """Find out who is stronger: everyone plays everyone, and Elo ratings come of it.

    Each two players meet in openings that both play from either seat. The ratings are those of the
    Bradley-Terry model, with 95 % intervals; the table has every pairing's score, the failures and
    the move times. Needs the extra `rank`.

    Ctrl-C ends the round robin with the games that were played until then, and exit status 1;
    `--resume` goes on from there.
    """
    entrants = [find_player(name, referee) for name in players]
    require_files(json, html, results=results, read=files_of_players(entrants))
    result = front_door.ladder(
        entrants,
        games=games,
        anchor=anchor,
        seed=seed,
        opening_plies=opening_plies,
        referee=referee,
        arena=arena,
        rows=rows,
        columns=columns,
        inarow=inarow,
        act_timeout=act_timeout,
        workers=workers,
        dask=dask,
        results=results,
        resume=resume,
    )
    show_ladder(result, json, html)
    require_complete(result.match.completion)


def show_ladder(ladder: Ladder, json: Path | None, html: Path | None) -> None:
    """Print the ratings, and write the page."""
    show(ladder, json)
    if html is not None:
        html.write_text(ladder_page(ladder), encoding="utf-8", newline="\n")
