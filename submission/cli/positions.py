"""`connectx positions`."""

from pathlib import Path
from typing import Annotated

import typer

from agents.output_file import require_writable
from submission.cli.arguments import Output
from submission.executors.local_workers import local_executor
from submission.grading.position_making import make_position_set
from submission.grading.solved_positions import LAST_PLY, PositionSettings
from submission.running import CORES
from submission.terminal import progress_bar, say


def positions(
    per_ply: Annotated[
        int, typer.Option(metavar="N", help="Positions for each number of plies played.")
    ] = 12,
    seed: Annotated[int, typer.Option(metavar="S", help="The same seed gives the same file.")] = 0,
    first_ply: Annotated[int, typer.Option(metavar="PLIES", help="The fewest plies played.")] = 0,
    last_ply: Annotated[
        int, typer.Option(metavar="PLIES", help="The most plies played.")
    ] = LAST_PLY,
    workers: Annotated[int, typer.Option(metavar="K", help="Processes that solve.")] = CORES,
    output: Output = Path("positions.jsonl"),
) -> None:
    """Draw and solve Connect Four positions, for `connectx grade`.

    They come up in games between alpha-beta players who look 2 to 8 plies ahead and now and then
    play just anything. Of each ply at least half are hard where there are as many: only one column
    keeps the win or the draw, and it is no win at once nor the answer to a threat. A sixth are such
    tactics. The 12 a ply that come with the package take some ten minutes on two cores.
    """
    settings = PositionSettings(per_ply, seed, first_ply, last_ply)
    require_writable(output)
    with local_executor(workers) as executor, progress_bar("Solving") as show:
        made = make_position_set(settings, executor, show)
    output.write_text(made.to_text(), encoding="utf-8", newline="\n")
    hard = sum(position.is_hard for position in made.positions)
    say(f"Wrote {output}: {len(made.positions)} positions, {hard} of them hard.")
