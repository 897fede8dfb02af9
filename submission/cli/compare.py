"""`connectx compare` and `rank`: is the new version better, and how strong is a player?"""

from pathlib import Path
from typing import Annotated

import typer

from agents.reporting.output_file import replace_text
from submission import front_door
from submission.arena.players import find_player
from submission.cli.arguments import (
    ActTimeout,
    Brief,
    Json,
    OpeningPlies,
    PlayerName,
    Seed,
    Trust,
    Workers,
    files_of_players,
    require_complete,
    require_files,
    show,
)
from submission.comparing.comparison_report import comparison_page
from submission.executors.local_workers import CORES
from submission.match.schedule import require_pairs

MostGames = Annotated[
    int, typer.Option(metavar="N", help="The most games; an even number.", callback=require_pairs)
]


def compare(
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new version of a player.")],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The old version.")],
    margin: Annotated[
        float,
        typer.Option(
            metavar="ELO",
            help="The difference that matters; it takes a quarter of the games to tell twice as "
            "much.",
        ),
    ] = 50.0,
    games: MostGames = 1000,
    sample: Annotated[
        int, typer.Option(metavar="N", help="Positions in which both are asked for their moves.")
    ] = 120,
    seed: Seed = 0,
    opening_plies: OpeningPlies = 4,
    act_timeout: ActTimeout = 2.0,
    trust: Trust = False,
    workers: Workers = CORES,
    brief: Brief = False,
    json: Json = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page with the positions where NEW loses more."),
    ] = None,
) -> None:
    """Say whether a new version of a player is better than the old one, and where not.

    Both are checked by a pair of games. Then they meet, in this package's arena, in openings that
    both play from either seat, until a sequential test tells better, worse and equal apart; the bar
    says how many games that will take, and how long. Both are asked for their moves in the same
    solved positions: where NEW loses what OLD kept comes first, with its moves for `connectx solve`
    and for the page of `connectx web`. At last, on Linux, their moves are timed at a third of the
    speed.

    Ctrl-C ends it with the games that were played until then, and exit status 1.
    """
    players = [find_player(name) for name in (new, old)]
    require_files(json, html, read=files_of_players(players))
    result = front_door.compare(
        *players,
        margin=margin,
        games=games,
        sample=sample,
        seed=seed,
        opening_plies=opening_plies,
        act_timeout=act_timeout,
        trust=trust,
        workers=workers,
    )
    show(result, json, brief)
    if html is not None:
        replace_text(html, comparison_page(result))
    require_complete(result.completion)


def rank(
    player: PlayerName,
    games: MostGames = 120,
    minutes: Annotated[
        float, typer.Option(metavar="MINUTES", min=0, help="Then no further game begins.")
    ] = 2.0,
    seed: Seed = 0,
    opening_plies: OpeningPlies = 2,
    act_timeout: ActTimeout = 2.0,
    trust: Trust = False,
    workers: Workers = CORES,
    brief: Brief = False,
    json: Json = None,
) -> None:
    """Find the level that is as strong as a player, and its Elo with an interval.

    It plays in this package's arena against the agent `level`, from 1, random, to 10, perfect: each
    eight games against the level that is nearest to what the games have told so far.

    Ctrl-C ends it with the games that were played until then, and exit status 1, as does a player
    that fails in all of them.
    """
    ranked = find_player(player)
    require_files(json, read=files_of_players([ranked]))
    result = front_door.rank(
        ranked,
        games=games,
        minutes=minutes,
        seed=seed,
        opening_plies=opening_plies,
        act_timeout=act_timeout,
        trust=trust,
        workers=workers,
    )
    show(result, json, brief)
    require_complete(result.match.completion)
    if all(ranked.name in record.failing_players for record in result.match.records):
        raise typer.Exit(1)
