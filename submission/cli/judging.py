"""`connectx grade`, `review` and `positions`: moves compared with the solver's scores."""

from pathlib import Path
from typing import Any

import typer

from agents.parallel.workers import CORES
from agents.policy.training.label_files import require_label_format, write_labelled_positions
from agents.policy.training.labelling import Ending, LabelSettings, make_labelled_positions
from agents.reporting.output_file import replace_text, require_writable
from envs.connectx import ConnectX
from submission import front_door
from submission.cli.arguments import STDOUT, require_complete, require_files, show
from submission.cli.options import SOLVING, argument, declared, flag, output, setting
from submission.executors.work import chosen_count, chosen_executor
from submission.grading.grade import grade_page
from submission.grading.position_making import make_position_set
from submission.grading.solved_positions import (
    LAST_PLY,
    SHIPPED_POSITIONS,
    PositionSettings,
    read_position_set,
)
from submission.reports import counted
from submission.terminal import console, progress_bar, say


@declared(
    front_door.grade,
    sample=setting("N", "Number of positions to ask about, drawn with --seed.", default="all"),
    html=setting("FILE", "Write a page with the worst mistakes on their boards."),
    by_ply=flag("Also print a row for each number of plies."),
)
def grade(
    player: str,
    json: Path | None = None,
    html: Path | None = None,
    by_ply: bool = False,
    brief: bool = False,
    **options: Any,
) -> None:
    """Compare a player's moves with the exact scores of solved positions.

    The grade shows, for the opening, the middle game and the endgame, how often the player's move
    keeps the win or the draw and how often it is exactly best, beside the shares of random play. At
    least half of the positions are hard, if enough exist: only one move keeps the result.

    --positions also takes sets that others grade with: refmoves1k of Kaggle's competitors (a line
    of JSON with `board`, `score` and `move score`), and P. Pons' sets (moves and score, as
    `connectx solve -` writes them), whose columns are solved first; --sample leaves fewer to solve.
    Scores that the solver does not confirm are refused. Every grade ends with the two figures that
    are quoted for refmoves1k, in percent of all positions: good moves, which keep the win or the
    draw (in a lost position every move is good), and perfect moves, which are exactly best.

    As on Kaggle, the player runs in a process of its own, but its bank of time is full in every
    position; a smaller --act-timeout makes grading quicker. Ctrl-C grades the positions answered so
    far. Exit status 1 after Ctrl-C, and when the player has failed in every position.
    """
    require_files(html, json=json, read=[options["positions"]], players=[player])
    result = front_door.grade(player, **options)
    if by_ply and json != STDOUT:
        console.print(result.plies_table(), crop=False)
    show(result, json, brief, html, grade_page)
    require_complete(result.completion, failed=all(each.failure for each in result.answers))


@declared(
    front_door.review,
    files=argument(
        "FILE", "Episodes downloaded by `kaggle competitions replay`, or results files."
    ),
    player=setting("NAME", "The player whose moves are judged; in an episode, the team."),
    html=setting("FILE", "Write a page of the games, with the value of each move."),
)
def review(
    files: list[Path],
    player: str,
    json: Path | None = None,
    html: Path | None = None,
    brief: bool = False,
    **options: Any,
) -> None:
    """Find the moves that gave a win or a draw away, in games already played.

    Each move is compared with the solver's best one: its value, and what would have been better;
    then come totals for the opening, the middle game and the endgame. The logs of an episode are
    found beside it by their names, `episode-123-agent-0-logs.json`, and add times and errors. With
    --html the moves of both players are judged, in one file that any browser opens.

    Ctrl-C ends the review with exit status 1, and shows the games judged so far.
    """
    require_files(html, json=json, read=[*files, options["logs"]])
    result = front_door.review(files, player, **options)
    show(result, json, brief)
    if html is not None:
        from submission.web.saved_game import save_games

        save_games([(game.env, game.record) for game in result.games], html, options["time_limit"])
    require_complete(result.completion)


@declared(
    SOLVING,
    per_ply=setting(
        "N",
        "Number of positions for each number of plies played.",
        default=str(PositionSettings().per_ply),
    ),
    seed=setting("S", "The same seed gives the same file."),
    first_ply=setting("PLIES", "Fewest plies played before a position.", default="0"),
    last_ply=setting("PLIES", "Most plies played before a position.", default=str(LAST_PLY)),
    labels=setting("N", "Make N labelled positions instead, to train networks."),
    output=output(
        "The file to write; for labelled positions .npz or .parquet.",
        default="positions.jsonl, or labels.npz",
    ),
)
def positions(
    per_ply: int | None = None,
    seed: int = 0,
    first_ply: int | None = None,
    last_ply: int | None = None,
    labels: int | None = None,
    rows: int = 6,
    columns: int = 7,
    inarow: int = 4,
    workers: int = CORES,
    dask: str | None = None,
    output: Path | None = None,
) -> None:
    """Make solved positions, to grade players with or to train networks.

    By default the positions are of Connect Four, for `connectx grade`. They come from games between
    alpha-beta players who look 2 to 8 plies ahead and now and then play at random. At each ply at
    least half are hard, if enough exist: only one column keeps the win or the draw, and it neither
    wins at once nor answers a threat. In a sixth it does one or the other. The 12 positions for
    each ply that come with the package take some ten minutes to make on two cores.

    With --labels N: up to N positions with the exact score of every column, for any board that the
    solver takes, to train networks with. Bundles of 64 games share a beginning, which such
    alpha-beta players play until 34 to 28 cells are left, or fewer on low, wide boards (on small
    boards there is none). From there on every position is labelled; with 28 cells left, 16 of the
    games go on to the end. In these games 5 to 40 % of the moves are random; of the others, the
    better a move scores the likelier it is. Connect Four's first eight plies are played likewise,
    and labelled from the opening book. No two positions are equal or mirror images, and the
    positions of `connectx grade` after the third ply are left out, so that grading stays a test. A
    million take some forty minutes on two cores. Ctrl-C keeps the positions labelled so far, with
    exit status 1.
    """
    limits = {"per_ply": per_ply, "first_ply": first_ply, "last_ply": last_ply}
    given = {name: limit for name, limit in limits.items() if limit is not None}
    if labels is None:
        if (rows, columns, inarow) != (6, 7, 4):
            raise ValueError(
                "positions to grade with are of Connect Four only: add --labels for other boards"
            )
        settings, output = PositionSettings(seed=seed, **given), output or Path("positions.jsonl")
        require_writable(output)
        with chosen_executor(workers, dask) as executor, progress_bar("Solving") as show:
            drawn = make_position_set(settings, executor, show)
        replace_text(output, drawn.to_text())
        hard = sum(position.is_hard for position in drawn.positions)
        say(f"Wrote {output}: {counted(len(drawn.positions), 'positions')}, {hard} of them hard.")
        return
    if given:
        raise ValueError(
            "--per-ply, --first-ply and --last-ply choose positions to grade with: leave them out "
            "with --labels"
        )
    label_settings = LabelSettings(ConnectX(rows, columns, inarow), labels, seed)
    _make_labels(label_settings, workers, dask, output or Path("labels.npz"))


OPENING_PLIES = 3
"""Positions of up to this ply may be both graded and learnt: every game begins with them, so a
network has to know them."""


def _make_labels(settings: LabelSettings, workers: int, dask: str | None, output: Path) -> None:
    require_label_format(output)
    require_writable(output)
    with chosen_executor(workers, dask) as executor, progress_bar("Labelling") as show:
        count = chosen_count(workers, dask)
        made, ending = make_labelled_positions(settings, executor, count, show)
    if not len(made):
        say(f"Interrupted: nothing is labelled yet, and {output} is not written.")
        raise typer.Exit(1)
    found = len(made)
    if made.env == ConnectX():
        graded = read_position_set(SHIPPED_POSITIONS).positions
        made = made.without([each.state for each in graded if each.ply > OPENING_PLIES])
    write_labelled_positions(output, made)
    wrote = f"Wrote {output}: {counted(len(made), 'labelled positions')}"
    if found > len(made):
        wrote += f", without {found - len(made)} that `connectx grade` asks about"
    match ending:
        case Ending.COMPLETE:
            say(f"{wrote}.")
        case Ending.EXHAUSTED:
            say(f"{wrote}; many more games found no others.")
        case Ending.INTERRUPTED:
            say(f"Interrupted. {wrote} of {settings.count}.")
            raise typer.Exit(1)
