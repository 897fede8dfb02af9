"""`connectx report`."""

from pathlib import Path
from typing import Annotated

import typer

from submission.cli.arguments import STDOUT, Anchor, FirstPlayerTable, Json, require_files, show
from submission.cli.evaluate import report_more
from submission.cli.ladder import show_ladder
from submission.match.results_file import read_results
from submission.rating.ladder import make_ladder
from submission.rating.ratings import require_ranking_library


def report(
    results: Annotated[
        Path, typer.Argument(metavar="FILE", help="What --results has written, finished or not.")
    ],
    first_player_table: FirstPlayerTable = False,
    anchor: Anchor = None,
    json: Json = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the page that `evaluate` or `ladder` writes."),
    ] = None,
) -> None:
    """Show what is in a results file, while it is being written too.

    Games of one player against others are shown as `connectx evaluate` shows them, other pairings
    as `connectx ladder` does.
    """
    require_files(json, html, read=[results])
    match = read_results(results)
    if len({player for player, _ in match.pairings}) == 1:
        if anchor is not None:
            raise ValueError(f"--anchor is for a ladder, and {results} holds one player's games")
        show(match, json)
        report_more(match, first_player_table and json != STDOUT, html)
    else:
        if first_player_table:
            raise ValueError(
                f"--first-player-table is for one player's games, and {results} holds a ladder"
            )
        require_ranking_library()
        show_ladder(make_ladder(match, anchor), json, html)
