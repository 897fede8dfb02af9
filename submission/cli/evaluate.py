"""`connectx evaluate`."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from agents.output_file import require_distinct, require_writable
from submission.cli.arguments import (
    CORES,
    ActTimeout,
    ArenaOption,
    Columns,
    Dask,
    FirstPlayerTable,
    Games,
    Inarow,
    OpeningPlies,
    PlayerName,
    Results,
    Resume,
    Rows,
    Seed,
    Workers,
    files_of_players,
)
from submission.cli.running import Run, require_complete
from submission.kaggle import kaggle_environments
from submission.match.game_record import GameConfiguration
from submission.match.kaggle_referee import game_to_show, replay_html
from submission.match.match import Match
from submission.match.match_report import render_match, render_openings
from submission.match.players import against_each, find_player
from submission.match.schedule import Arena, Settings
from submission.match.sprt import ERROR_RATE, Sprt, parse_sprt
from submission.terminal import console, say


def evaluate(
    player: PlayerName,
    against: Annotated[list[str], typer.Option(metavar="PLAYER", help="An opponent; repeatable.")],
    games: Games = 20,
    seed: Seed = 0,
    opening_plies: OpeningPlies = 2,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1",
            help="End a pairing as soon as it is decided which Elo difference fits its games "
            "better; 0,50 asks whether the player is stronger. --games is the most it plays.",
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(
            metavar="RATE",
            help="How often --sprt may take ELO1 where ELO0 is true.",
            show_default=str(ERROR_RATE),
        ),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(
            metavar="RATE",
            help="How often --sprt may take ELO0 where ELO1 is true.",
            show_default=str(ERROR_RATE),
        ),
    ] = None,
    workers: Workers = CORES,
    dask: Dask = None,
    arena: ArenaOption = Arena.KAGGLE,
    rows: Rows = 6,
    columns: Columns = 7,
    inarow: Inarow = 4,
    act_timeout: ActTimeout = 2.0,
    results: Results = None,
    resume: Resume = False,
    first_player_table: FirstPlayerTable = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the replay of a game not won.")
    ] = None,
) -> None:
    """Play against opponents, from openings that each side plays once.

    Games 2k and 2k + 1 begin in the same position with the seats exchanged. Ctrl-C ends the match
    with the games that were played until then, and exit status 1; `--resume` goes on from there.
    """
    hero, *opponents = [find_player(name) for name in (player, *against)]
    require_distinct(results, html, read=files_of_players([hero, *opponents]))
    if html is not None:
        require_writable(html)
        kaggle_environments()  # whose player the page shows
    settings = Settings(
        games=games,
        seed=seed,
        opening_plies=opening_plies,
        configuration=GameConfiguration(rows, columns, inarow, act_timeout),
        arena=arena,
        sprt=sequential_test(sprt, alpha=alpha, beta=beta),
    )
    run = Run(workers, dask, results, resume)
    match = run.play(f"Evaluating {player}:", against_each(hero, opponents), settings)
    report_match(match, first_player_table, html)
    require_complete(match.completion)


def sequential_test(named: str | None, **error_rates: float | None) -> Sprt | None:
    """The test that ends pairings early, if one is named.

    Raises:
        ValueError: no such test; or error rates of none.
    """
    given = {name: rate for name, rate in error_rates.items() if rate is not None}
    if named is not None:
        return replace(parse_sprt(named), **given)
    if given:
        raise ValueError(f"--{next(iter(given))} is for a sequential test: name it with --sprt")
    return None


def report_match(match: Match, by_opening: bool, html: Path | None) -> None:
    """Print what came of a player's games, and write the replay."""
    console.print(render_match(match))
    if by_opening:
        console.print(render_openings(match))
    if html is not None:
        _write_replay(match, html)


def _write_replay(match: Match, path: Path) -> None:
    shown = game_to_show(match.records)
    if shown is None:
        say("No game was played: there is no replay to write.")
        return
    path.write_text(replay_html(shown, match.settings.configuration), encoding="utf-8")
