"""`connectx build`, `check` and `prepare`: from an agent to a submission that may be uploaded."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from agents.parallel.workers import CORES
from agents.registry import joined_options, parse_options, parse_specification
from envs.games import GAMES
from submission import front_door
from submission.building import DEFAULT_OUTPUT
from submission.checking.check import check_submission
from submission.checking.check_report import CheckReport, CheckVerdict, render_pair
from submission.checking.kaggle_image import image_python
from submission.cli.arguments import (
    files_of_options,
    modules_beside,
    require_complete,
    require_distinct,
    require_files,
    show,
)
from submission.cli.options import argument, declared, setting
from submission.comparing.trials import PAIR_SECONDS, SLOW_SPEED
from submission.kaggle import upload_command
from submission.reports import size_in_words
from submission.sandbox.processes import can_throttle
from submission.sandbox.staging import SUBMISSIONS
from submission.terminal import console, say


@declared(
    agent=argument(
        "AGENT", "A name that `connectx agents` lists, with or without options, as in `level:n=7`."
    ),
    game=setting(
        "|".join(GAMES), "A game that the file plays besides ConnectX and OpenSpiel's Connect Four."
    ),
)
def build(
    agent: str,
    option: list[str] | None = None,
    source: Path | None = None,
    game: str = "connectx",
    output: Path = DEFAULT_OUTPUT,
    force: bool = False,
) -> None:
    """Bundle an agent into one self-contained file for Kaggle.

    Options that you leave out have the defaults that `connectx agents` lists, except that limits of
    time and of simulations are lifted: on Kaggle the clock is the limit.
    """
    write_bundle(agent, option or [], source, output, force=force, game=game)


def write_bundle(
    agent: str,
    options: Sequence[str],
    source: Path | None,
    output: Path,
    *,
    force: bool,
    game: str = "connectx",
) -> None:
    """Bundle an agent into a file, and say how large it is."""
    name, named = parse_specification(agent)
    chosen = joined_options(named, parse_options(options))
    require_distinct(output, read=[source, *files_of_options(chosen)])
    submission = front_door.build(name, source=source, game=game, **chosen)
    require_distinct(output, read=modules_beside(source))
    submission.save(output, force=force)
    say(f"Wrote {output}, {size_in_words(len(submission.source.encode()))}.")
    if submission.note is not None:
        say(submission.note)


@declared(check_submission, file=argument("FILE", "A .py file, or a .tar.gz with main.py."))
def check(file: Path, json: Path | None = None, brief: bool = False, **options: Any) -> None:
    """Say whether Kaggle would accept a submission, and why not.

    The submission may be anybody's. It is played as Kaggle would play it, in a process of its own,
    which is ended when it hangs or takes too much memory. Files and packages that are here but not
    on Kaggle's machine are named. If its moves are so slow that the bank of time could run out, it
    plays a long game, and it is refused if it would time out in a full game of its seat.

    Exit status 0 if Kaggle would accept it, 1 if Kaggle would refuse it, and 3 if that cannot be
    judged here: the submission fails, and imports a module, such as torch, that Kaggle has and this
    Python lacks.
    """
    require_files(json=json, read=[file])
    report = front_door.check(file, **options)
    show(report, json, brief)
    require_accepted(report)


EXIT_STATUS = {CheckVerdict.ACCEPTED: 0, CheckVerdict.REFUSED: 1, CheckVerdict.UNDECIDED: 3}
"""By verdict; status 2 means that the command was misused."""


def require_accepted(report: CheckReport) -> None:
    """End the command with the exit status of the verdict, unless the submission is accepted."""
    if not report.accepted:
        raise typer.Exit(EXIT_STATUS[report.verdict])


NO_IMAGE = (
    "Checking with the packages of this Python; `make kaggle-image` makes an environment with "
    "Kaggle's, which is then taken."
)


@declared(
    agent=argument(
        "AGENT",
        "An agent, as for `connectx build`; or a submission of your own, a .py file or a "
        ".tar.gz, which is taken as it is.",
    )
)
def prepare(
    agent: str,
    option: list[str] | None = None,
    source: Path | None = None,
    output: Path = DEFAULT_OUTPUT,
    force: bool = False,
    games: int = 2,
    seed: int = 0,
    workers: int = CORES,
) -> None:
    """Build, check and evaluate a submission in one go.

    A submission of your own is checked and evaluated as it is, and never overwritten.

    The submission is checked with Kaggle's versions of Python and its packages if `make
    kaggle-image` has made an environment of them. Then it plays against Kaggle's random and
    negamax, and finally, on Linux, in both seats as if on a machine a third as fast.

    This command is for the competition, ConnectX. For tic-tac-toe, which has no competition, use
    `connectx build AGENT --game tictactoe`, and then `connectx check` and `connectx evaluate` with
    `--referee open_spiel_tic_tac_toe`.

    Exit status 0 only if Kaggle would accept the submission and the slow games succeed, too;
    otherwise that of `connectx check`.
    """
    python = image_python()
    if is_file(agent):
        if option or source or force or output != DEFAULT_OUTPUT:
            raise ValueError(
                f"{agent} is checked and played as it is: leave out --option, --from, --output and "
                "--force, which say how an agent is built"
            )
        output = Path(agent)
    else:
        write_bundle(agent, option or [], source, output, force=force)
    say(f"Checking with Kaggle's versions, in {python.parents[1]}." if python else NO_IMAGE)
    report = front_door.check(output, python=python)
    show(report)
    require_accepted(report)
    match = front_door.evaluate(
        output, ["random", "negamax"], games=games, seed=seed, opening_plies=0, workers=workers
    )
    show(match)
    require_complete(match.completion)
    play_slowly(output, python)
    if not report.is_makeshift:
        message = output.name if is_file(agent) else agent
        say(f"Submit it with: {upload_command(str(output), message)}")


def is_file(agent: str) -> bool:
    """Whether an agent's name is that of a submission's file."""
    return agent.endswith(SUBMISSIONS)


def play_slowly(file: Path, python: Path | None) -> None:
    """Play a pair of games as on a machine a third as fast; exit if the submission fails."""
    if not can_throttle():
        say("The games at a third of the speed are left out: only Linux can slow them down.")
        return
    say("Playing at a third of the speed.")
    report = front_door.check(
        file, python=python, speed=SLOW_SPEED, game_seconds=PAIR_SECONDS, pair_only=True
    )
    console.print(render_pair(report), crop=False)
    require_accepted(report)
