"""`connectx prepare`."""

from pathlib import Path

from submission import front_door
from submission.checking.check_report import render_pair
from submission.checking.kaggle_image import ENVIRONMENT, image_python
from submission.cli.arguments import (
    AgentName,
    Force,
    Games,
    Options,
    Output,
    Seed,
    Source,
    Workers,
    require_complete,
    show,
)
from submission.cli.build import write_bundle
from submission.cli.check import require_accepted
from submission.front_door import DEFAULT_OUTPUT
from submission.kaggle import upload_command
from submission.match.schedule import require_pairs
from submission.running import CORES
from submission.sandbox.throttle import can_throttle
from submission.terminal import console, say

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
    output: Output = DEFAULT_OUTPUT,
    force: Force = False,
    games: Games = 2,
    seed: Seed = 0,
    workers: Workers = CORES,
) -> None:
    """Build, check and evaluate a submission, one after the other.

    It is checked with Kaggle's versions of Python and its packages where `make kaggle-image` has
    made an environment of them. Then it plays against Kaggle's random and negamax, and at last,
    on Linux, on both seats as on a machine a third as fast.

    All of it is for the competition, ConnectX. For tic-tac-toe, which has none, take
    `connectx build AGENT --game tictactoe`, and then `connectx check` and `connectx evaluate` with
    `--referee open_spiel_tic_tac_toe`.

    Exit status 0 only when Kaggle would accept it, and the slow games too are in order.
    """
    require_pairs(games)
    python = image_python()
    write_bundle(agent, option or [], source, output, force=force)
    say(f"Checking with Kaggle's versions, in {ENVIRONMENT}." if python else NO_IMAGE)
    report = front_door.check(output, python=python)
    show(report)
    require_accepted(report)
    match = front_door.evaluate(
        output, ["random", "negamax"], games=games, seed=seed, opening_plies=0, workers=workers
    )
    show(match)
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
    say("Playing at a third of the speed.")
    report = front_door.check(
        file, python=python, speed=SLOW_SPEED, game_seconds=SLOW_SECONDS, pair_only=True
    )
    console.print(render_pair(report), crop=False)
    require_accepted(report)
