"""`connectx ladder`."""

from pathlib import Path
from typing import Annotated

import typer

from agents.output_file import require_distinct, require_writable
from submission.cli.arguments import (
    CORES,
    ActTimeout,
    Anchor,
    ArenaOption,
    Columns,
    Dask,
    Games,
    Inarow,
    OpeningPlies,
    Results,
    Resume,
    Rows,
    Seed,
    Workers,
    files_of_players,
)
from submission.cli.running import Run, require_complete
from submission.match.game_record import GameConfiguration
from submission.match.match import Match
from submission.match.players import find_player, round_robin
from submission.match.schedule import Arena, Settings
from submission.rating.ladder import make_ladder, require_round_robin
from submission.rating.ladder_report import ladder_page, render_ladder
from submission.rating.ratings import require_ranking_library
from submission.terminal import console


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
    arena: ArenaOption = Arena.KAGGLE,
    rows: Rows = 6,
    columns: Columns = 7,
    inarow: Inarow = 4,
    act_timeout: ActTimeout = 2.0,
    results: Results = None,
    resume: Resume = False,
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
    require_round_robin(players, anchor)
    require_ranking_library()
    settings = Settings(
        games=games,
        seed=seed,
        opening_plies=opening_plies,
        configuration=GameConfiguration(rows, columns, inarow, act_timeout),
        arena=arena,
    )
    entrants = [find_player(name) for name in players]
    require_distinct(results, html, read=files_of_players(entrants))
    if html is not None:
        require_writable(html)
    run = Run(workers, dask, results, resume)
    match = run.play("Playing:", round_robin(entrants), settings)
    report_ladder(match, anchor, html)
    require_complete(match.completion)


def report_ladder(match: Match, anchor: str | None, html: Path | None) -> None:
    """Print the ratings that come of a round robin, and write the page."""
    result = make_ladder(match, anchor)
    console.print(render_ladder(result))
    if html is not None:
        html.write_text(ladder_page(result), encoding="utf-8")
