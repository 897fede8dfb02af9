"""`connectx grade`."""

from pathlib import Path
from typing import Annotated

import typer

from agents.output_file import require_distinct, require_writable
from submission.cli.arguments import CORES, ActTimeout, Dask, PlayerName, files_of_players
from submission.cli.running import chosen_executor, require_complete
from submission.grading.grade_report import grade_page, render_grade
from submission.grading.grading import GradeSettings, grade_player
from submission.grading.solved_positions import SHIPPED_POSITIONS, read_position_set
from submission.match.players import find_player
from submission.terminal import console, progress_bar


def grade(
    player: PlayerName,
    positions: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="What `connectx positions` has written.",
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
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every answer as JSON.")
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page with the worst mistakes on their boards."),
    ] = None,
) -> None:
    """Compare a player's moves with the truth, in positions that are solved exactly.

    For the opening, the middle game and the endgame: how often its move keeps the win or the draw,
    and how often it is exactly best, beside what random play gets. At least half of the positions
    are hard where there are as many: only one move keeps the result.

    A player is asked in a process of its own, as Kaggle would, but with a full bank in every
    position; a smaller --act-timeout makes a quick grade. Ctrl-C ends it with the positions that
    were answered until then.
    """
    settings = GradeSettings(seed, act_timeout)
    graded = find_player(player)
    require_distinct(json, html, read=[positions, *files_of_players([graded])])
    for path in (json, html):
        if path is not None:
            require_writable(path)
    position_set = read_position_set(positions)
    if sample is not None:
        position_set = position_set.sample(sample, seed)
    with chosen_executor(workers, dask) as executor, progress_bar(f"Grading {player}") as show:
        result = grade_player(graded, position_set, settings, executor, show)
    console.print(render_grade(result))
    if json is not None:
        json.write_text(result.to_json(), encoding="utf-8")
    if html is not None:
        html.write_text(grade_page(result), encoding="utf-8")
    require_complete(result.completion)
