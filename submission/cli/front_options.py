"""The options of commands, taken from the functions that do their work."""

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from agents.options import alternatives
from submission.arena.game_record import LARGEST_SIZE
from submission.cli.arguments import Anchor, Dask, Games, Seed, Workers, flag, setting
from submission.kaggle import Referee
from submission.match.schedule import Arena, require_pairs

Command = TypeVar("Command", bound=Callable[..., None])


def option(kind: Any, metavar: str, meaning: str, **more: Any) -> Any:
    """The declaration of an option with a value of this kind; see `setting`."""
    return Annotated[kind, setting(metavar, meaning, **more)]


def _size(meaning: str, default: str) -> Any:
    return option(int | None, "N", meaning, default=default, max=LARGEST_SIZE)


MostGames = option(int, "N", "The most games; an even number.", callback=require_pairs)

OPTIONS: dict[str, Any] = {
    "python": option(
        Path | None,
        "PATH",
        "Play with this interpreter and its packages: a Python of 3.11 or newer with "
        "kaggle_environments, or the folder of its virtual environment. `make kaggle-image` "
        "makes two with Kaggle's versions, .venv/kaggle-image and .venv/kaggle-image-3.11.",
        default="the one that runs this command",
    ),
    "speed": option(
        float,
        "SHARE",
        "Play as on a machine of this speed: 0.33 leaves a third of one core to the "
        "submission with all its threads and processes, while the clock runs on. Linux only.",
    ),
    "game_seconds": option(
        float | None,
        "SECONDS",
        "How long each deciding game is played after its first move; a long game goes on while "
        "the bank of time could still run out; 1200 for whole games.",
        default="8, divided by the speed",
        min=0,
    ),
    "patience": option(
        float,
        "SECONDS",
        "After this no further game begins. The last games, on other boards or with less time, "
        "only warn; 0 leaves them out. Agents that compile take about 45 s for all games.",
        min=0,
    ),
    "positions": option(
        Path,
        "FILE",
        "A file that `connectx positions` has written, or positions that others grade with.",
        default="the package's own",
    ),
    "margin": option(
        float,
        "ELO",
        "The difference that matters; twice as much takes a quarter of the games to tell.",
    ),
    "games": Games,
    "minutes": option(float, "MINUTES", "Begin no game after this.", min=0),
    "sample": option(int | None, "N", "How many solved positions to ask about, drawn by the seed."),
    "logs": option(
        Path | None,
        "FILE",
        "The player's log of the one episode, from `kaggle competitions logs`.",
        default="those beside the episodes",
    ),
    "time_limit": option(float, "SECONDS", "To solve each position.", min=0),
    "anchor": Anchor,
    "seed": Seed,
    "opening_plies": option(
        int,
        "PLIES",
        "Games begin in turn in all positions of this ply, each from both seats; "
        "with 0 all games begin on the empty board.",
    ),
    "referee": option(
        Referee,
        "NAME",
        f"The environment of kaggle-environments that holds the games: {alternatives(Referee)}. "
        "OpenSpiel's need the extra `open-spiel`, offer only the agent `random`, and have a bank "
        "of 12 s.",
    ),
    "arena": Annotated[
        Arena,
        typer.Option(
            help="Which referee holds the games: Kaggle's own, or this package's, which plays "
            "the same games many times faster but runs agents in the workers' processes.",
        ),
    ],
    "rows": _size("Height of the board.", "6, in tic-tac-toe 3"),
    "columns": _size("Width of the board.", "7, in tic-tac-toe 3"),
    "inarow": _size("Stones in a row that win.", "4, in tic-tac-toe 3"),
    "act_timeout": option(float, "SECONDS", "Time for a move; Kaggle's is 2."),
    "trust": Annotated[
        bool,
        flag(
            "--trust",
            "The files are your own: in this package's arena they play in the workers "
            "themselves, hundreds of games a second, and nothing contains or ends them. Archives "
            "stay apart.",
        ),
    ],
    "workers": Workers,
    "dask": Dask,
    "results": option(
        Path | None, "FILE", "Add every game to this file as it ends, a line of JSON."
    ),
    "resume": Annotated[bool, flag("--resume", "Play the games missing in the file of --results.")],
}


def options_of(function: Callable[..., Any], **others: Any) -> Callable[[Command], Command]:
    """Give a command the options of a function of the front door, with that function's defaults.

    The command gets them as keywords, `**options`, except the options that it declares itself. The
    `others` replace declarations of `OPTIONS`.
    """
    known = {**OPTIONS, **others}

    def with_options(command: Command) -> Command:
        *own, _ = (
            parameter.replace(kind=Parameter.KEYWORD_ONLY)
            for parameter in signature(command).parameters.values()
        )
        taken = [
            option.replace(annotation=known[option.name])
            for option in signature(function).parameters.values()
            if option.name in known.keys() - {parameter.name for parameter in own}
        ]
        needed = [parameter for parameter in own if parameter.default is Parameter.empty]
        optional = [parameter for parameter in own if parameter.default is not Parameter.empty]
        command.__signature__ = Signature([*needed, *taken, *optional])  # type: ignore[attr-defined]
        return command

    return with_options
