"""`connectx prepare`."""

from pathlib import Path

from submission.checking.check import check_submission
from submission.checking.check_report import render_pair
from submission.checking.kaggle_image import ENVIRONMENT, image_python
from submission.cli.arguments import CORES, AgentName, Games, Options, Output, Seed, Source, Workers
from submission.cli.build import write_bundle
from submission.cli.check import require_accepted, show_check
from submission.cli.running import Run, require_complete
from submission.kaggle import upload_command
from submission.match.match_report import render_match
from submission.match.players import against_each, find_player
from submission.match.schedule import Settings
from submission.sandbox.throttle import can_throttle
from submission.terminal import console, progress_bar, say

SLOW_SPEED = 1 / 3

SLOW_SECONDS = 5.0
"""How long the slow games are played after their first moves."""

NO_IMAGE = (
    "Checking with the packages of this Python; `make kaggle-image` makes an environment with "
    "Kaggle's, which is then taken."
)


def prepare(
    agent: AgentName,
    option: Options = None,
    source: Source = None,
    output: Output = Path("submission.py"),
    games: Games = 2,
    seed: Seed = 0,
    workers: Workers = CORES,
) -> None:
    """Build, check and evaluate a submission, one after the other.

    It is checked with Kaggle's versions of Python and its packages where `make kaggle-image` has
    made an environment of them. Then it plays against Kaggle's random and negamax, and at last,
    on Linux, on both seats as on a machine a third as fast.

    Exit status 0 only when Kaggle would accept it, and the slow games too are in order.
    """
    settings = Settings(games, seed, opening_plies=0)
    python = image_python()
    write_bundle(agent, option or [], source, output)
    say(f"Checking with Kaggle's versions, in {ENVIRONMENT}." if python else NO_IMAGE)
    with progress_bar(f"Checking {output}") as show:
        report = check_submission(output, python=python, on_progress=show)
    show_check(report)
    require_accepted(report)
    opponents = [find_player(name) for name in ("random", "negamax")]
    pairings = against_each(find_player(str(output)), opponents)
    match = Run(workers).play(f"Evaluating {output}:", pairings, settings)
    console.print(render_match(match))
    require_complete(match.completion)
    play_slowly(output, python)
    say(f"Submit it with: {upload_command(str(output), agent)}")


def play_slowly(file: Path, python: Path | None) -> None:
    """Play a pair of games as on a machine a third as fast.

    Args:
        file: the submission.
        python: the interpreter that plays it; None for this one.

    Raises:
        typer.Exit: the submission fails.
    """
    if not can_throttle():
        say("The games at a third of the speed are left out: only Linux can slow them down.")
        return
    with progress_bar("Playing at a third of the speed") as show:
        report = check_submission(
            file,
            python=python,
            speed=SLOW_SPEED,
            game_seconds=SLOW_SECONDS,
            pair_only=True,
            on_progress=show,
        )
    console.print(render_pair(report), crop=False)
    require_accepted(report)
