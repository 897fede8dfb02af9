"""`connectx evaluate`, `ladder`, `report`, `compare` and `rank`: games, and what they show."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from submission import front_door
from submission.cli.arguments import STDOUT, require_complete, require_files, show
from submission.cli.options import argument, declared, setting
from submission.comparing.comparison import comparison_page
from submission.match.match import Match
from submission.match.opening_table import render_openings
from submission.match.results_file import read_results
from submission.match.sprt import ERROR_RATE, parse_sprt
from submission.rating.ladder import make_ladder
from submission.rating.ladder_page import ladder_page
from submission.terminal import console

MOST_GAMES = setting("N", "Maximum number of games; even.")


def _error_rate(error: str) -> Any:
    meaning = f"How often --sprt may decide for {error}."
    return setting("RATE", meaning, default=str(ERROR_RATE))


@declared(
    front_door.evaluate,
    against=setting("PLAYER", "An opponent; repeatable."),
    sprt=setting(
        "ELO0,ELO1",
        "End a pairing as soon as a sequential test decides which Elo difference fits better; "
        "0,50 asks whether the player is 0 or 50 Elo stronger. --games is then the maximum.",
    ),
    alpha=_error_rate("ELO1 although ELO0 is true"),
    beta=_error_rate("ELO0 although ELO1 is true"),
    html=setting("FILE", "Write a page with a game, the first not won if any, and its mistakes."),
)
def evaluate(
    player: str,
    against: list[str],
    sprt: str | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    first_player_table: bool = False,
    brief: bool = False,
    json: Path | None = None,
    html: Path | None = None,
    **options: Any,
) -> None:
    """Play a player against others, each opening from both seats.

    Games 2k and 2k + 1 begin in the same position with the seats exchanged. Ctrl-C ends the match
    and shows the games played so far; `--resume` goes on from there. Exit status 1 after Ctrl-C,
    and when the player has failed in every game.
    """
    require_files(html, json=json, results=options["results"], players=[player, *against])
    rates = {name: rate for name, rate in (("alpha", alpha), ("beta", beta)) if rate is not None}
    if rates and sprt is None:
        raise ValueError(f"--{next(iter(rates))} is only for a sequential test: add --sprt")
    test = None if sprt is None else replace(parse_sprt(sprt), **rates)
    match = front_door.evaluate(player, against, sprt=test, **options)
    _show_match(match, json, html, by_opening=first_player_table, brief=brief)
    require_complete(match.completion, failed=match.fails_throughout(player))


def _show_match(
    match: Match, json: Path | None, html: Path | None, *, by_opening: bool, brief: bool
) -> None:
    if by_opening and json != STDOUT:
        console.print(render_openings(match))
    show(match, json, brief)
    if html is None:
        return
    from submission.web.saved_game import game_to_show, save_games

    shown = game_to_show(match.records)
    if shown is None:
        typer.echo("No game was played: there is no page to write.", err=True)
        return
    save_games([(match.settings.configuration.env, shown)], html)


@declared(
    front_door.ladder,
    players=argument(
        "PLAYER",
        "Two or more: Kaggle's `random` or `negamax`; agents, as in "
        "`mcts:simulations=500,seed=1`; paths of submissions, .py files or .tar.gz.",
    ),
    html=setting("FILE", "Write a page with a chart of the ratings, and with lost games."),
)
def ladder(
    players: list[str],
    brief: bool = False,
    json: Path | None = None,
    html: Path | None = None,
    **options: Any,
) -> None:
    """Rate players by a round robin.

    Each pair of players meets, each opening from both seats. The ratings are those of the
    Bradley-Terry model, with 95 % intervals; the table has every pairing's score, the failures and
    the move times.

    Ctrl-C ends the round robin with exit status 1, and shows the games played so far; `--resume`
    goes on from there.
    """
    require_files(html, json=json, results=options["results"], players=players)
    result = front_door.ladder(players, **options)
    show(result, json, brief, html, ladder_page)
    require_complete(result.match.completion)


@declared(
    results=argument("FILE", "Results file of `evaluate` or `ladder`, complete or not."),
    html=setting("FILE", "Write the page that `connectx evaluate` or `ladder` would write."),
)
def report(
    results: Path,
    first_player_table: bool = False,
    anchor: str | None = None,
    brief: bool = False,
    json: Path | None = None,
    html: Path | None = None,
) -> None:
    """Show the games of a results file, even while it is being written.

    Games of one player against others are shown as `connectx evaluate` shows them, other pairings
    as `connectx ladder` does.
    """
    require_files(html, json=json, read=[results])
    match = read_results(results)
    if not match.is_ladder:
        if anchor is not None:
            raise ValueError(f"--anchor is for a ladder, but {results} holds one player's games")
        _show_match(match, json, html, by_opening=first_player_table, brief=brief)
        return
    if first_player_table:
        raise ValueError(
            f"--first-player-table is for one player's games, but {results} holds a ladder"
        )
    show(make_ladder(match, anchor), json, brief, html, ladder_page)


@declared(
    front_door.compare,
    new=argument("NEW", "The new version of a player."),
    old=argument("OLD", "The old version."),
    games=MOST_GAMES,
    html=setting("FILE", "Write a page with the positions in which NEW loses more."),
)
def compare(
    new: str,
    old: str,
    brief: bool = False,
    json: Path | None = None,
    html: Path | None = None,
    **options: Any,
) -> None:
    """Say whether a new version of a player is better than the old one.

    Both are checked in a pair of games. Then they meet in this package's arena, each opening from
    both seats, until a sequential test decides between better, worse and equal; the bar says how
    many games that will take, and how long. Then both choose moves in the same solved positions.
    Positions in which NEW loses what OLD kept come first, with their moves for
    `connectx solve` and the page of `connectx web`. Finally, on Linux, both players' moves are
    timed at a third of the speed.

    Ctrl-C ends the comparison with exit status 1, and shows the games played so far.
    """
    require_files(html, json=json, players=[new, old])
    result = front_door.compare(new, old, **options)
    show(result, json, brief, html, comparison_page)
    require_complete(result.completion)


@declared(front_door.rank, games=MOST_GAMES)
def rank(player: str, brief: bool = False, json: Path | None = None, **options: Any) -> None:
    """Find a player's level, from 1 to 10, and its Elo with an interval.

    The player meets the agent `level`, from 1 (random) to 10 (perfect), in this package's arena:
    eight games at a time, against the level nearest to the estimate so far.

    Ctrl-C ends the games, and shows the estimate so far. Exit status 1 after Ctrl-C, and when the
    player has failed in every game.
    """
    require_files(json=json, players=[player])
    result = front_door.rank(player, **options)
    show(result, json, brief)
    require_complete(result.match.completion, failed=result.match.fails_throughout(player))
