"""The options of commands, taken from the front door's functions of the same names."""

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from submission.arena.game_record import LARGEST_SIZE
from submission.cli.arguments import (
    ActTimeout,
    Anchor,
    Dask,
    Games,
    RefereeOption,
    Seed,
    Workers,
    setting,
)
from submission.match.schedule import Arena, require_pairs

Command = TypeVar("Command", bound=Callable[..., None])

MostGames = Annotated[int, setting("N", "The most games; an even number.", callback=require_pairs)]


def _size(meaning: str, default: str) -> Any:
    option = setting("N", meaning, default=default, max=LARGEST_SIZE)
    return Annotated[int | None, option]


OPTIONS: dict[str, Any] = {
    "positions": Annotated[
        Path,
        setting(
            "FILE",
            "A file that `connectx positions` has written, or positions that others grade with.",
            default="the package's own",
        ),
    ],
    "margin": Annotated[
        float,
        setting(
            "ELO",
            "The difference that matters; twice as much takes a quarter of the games to tell.",
        ),
    ],
    "games": Games,
    "minutes": Annotated[float, setting("MINUTES", "Begin no game after this.", min=0)],
    "sample": Annotated[
        int | None, setting("N", "How many solved positions to ask about, drawn by the seed.")
    ],
    "logs": Annotated[
        Path | None,
        setting(
            "FILE",
            "The player's log of the one episode, from `kaggle competitions logs`.",
            default="those beside the episodes",
        ),
    ],
    "time_limit": Annotated[float, setting("SECONDS", "To solve each position.", min=0)],
    "anchor": Anchor,
    "seed": Seed,
    "opening_plies": Annotated[
        int,
        setting(
            "PLIES",
            "Games begin in turn in all positions of this ply, each from both seats; "
            "with 0 all games begin on the empty board.",
        ),
    ],
    "referee": RefereeOption,
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
    "act_timeout": ActTimeout,
    "trust": Annotated[
        bool,
        typer.Option(
            "--trust",
            help="The files are your own: in this package's arena they play in the workers "
            "themselves, hundreds of games a second, and nothing contains or ends them. Archives "
            "stay apart.",
        ),
    ],
    "workers": Workers,
    "dask": Dask,
    "results": Annotated[
        Path | None, setting("FILE", "Add every game to this file as it ends, a line of JSON.")
    ],
    "resume": Annotated[
        bool, typer.Option("--resume", help="Play the games missing in the file of --results.")
    ],
}


def options_of(function: Callable[..., Any], **others: Any) -> Callable[[Command], Command]:
    """Give a command the options of a function of the front door, with that function's defaults.

    The command gets them as keywords, `**options`, except the options that it declares itself.

    Args:
        function: of the front door.
        others: by name, declarations that replace those of `OPTIONS`.
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
