"""The options of commands: each is declared once, for all commands that have it."""

from collections.abc import Callable, Mapping
from copy import copy
from enum import Enum
from inspect import Parameter, Signature, signature
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, TypeVar

import typer

from agents.options import alternatives, united_types
from submission.arena.game_record import LARGEST_SIZE
from submission.kaggle import Referee
from submission.match.schedule import require_pairs

Command = TypeVar("Command", bound=Callable[..., None])


def setting(metavar: str, meaning: str, *, default: str | bool = True, **more: Any) -> Any:
    """An option with a value, which the help shows as `metavar`.

    `default` words the default in the help; True shows the parameter's own.
    """
    return typer.Option(metavar=metavar, help=meaning, show_default=default, **more)


def flag(meaning: str, *name: str) -> Any:
    """An option without a value, named after its parameter unless a name is given."""
    return typer.Option(*name, help=meaning)


def argument(metavar: str, meaning: str) -> Any:
    """An argument, which the help shows as `metavar`, and its meaning."""
    return typer.Argument(metavar=metavar, help=meaning)


def output(meaning: str = "The file to write.", *, default: str | bool = True) -> Any:
    """The option `--output`."""
    return typer.Option("--output", "-o", metavar="FILE", help=meaning, show_default=default)


def size(meaning: str, **more: Any) -> Any:
    """The option of a board's size."""
    return setting("N", meaning, max=LARGEST_SIZE, **more)


OPTIONS: Mapping[str, Any] = {
    "player": argument(
        "PLAYER",
        "Kaggle's `random` or `negamax`; an agent, as in `mcts:simulations=500,seed=1`; "
        "or the path of a submission, a .py file or a .tar.gz.",
    ),
    "python": setting(
        "PATH",
        "Play with this Python, 3.11 or newer, and its packages, among them kaggle_environments: "
        "an interpreter, or the folder of its virtual environment. `make kaggle-image` makes two "
        "with Kaggle's versions, .venv/kaggle-image and .venv/kaggle-image-3.11.",
        default="the one that runs this command",
    ),
    "speed": setting(
        "SHARE",
        "Play as if on a slower machine: with 0.33 the submission, with all its threads and "
        "processes, gets a third of one core, while the clock runs as usual. Linux only.",
    ),
    "game_seconds": setting(
        "SECONDS",
        "How long each game that decides the verdict is played after its first move; a long game "
        "goes on while the bank of time could still run out. 1200 plays whole games.",
        default="8, divided by the speed",
        min=0,
    ),
    "patience": setting(
        "SECONDS",
        "The last games, on other boards or with less time, only warn; after this no more of them "
        "start, and with 0 none. Agents that compile take about 45 s for all games.",
        min=0,
    ),
    "positions": setting(
        "FILE",
        "A file written by `connectx positions`, or a published set of positions.",
        default="the package's own",
    ),
    "margin": setting(
        "ELO", "The difference in Elo that matters; doubling it needs a quarter of the games."
    ),
    "games": setting(
        "N", "Number of games for each pair of players; even.", callback=require_pairs
    ),
    "minutes": setting("MINUTES", "Start no further game after this time.", min=0),
    "sample": setting("N", "Number of solved positions to ask about, drawn with --seed."),
    "logs": setting(
        "FILE",
        "The player's log of a single episode, from `kaggle competitions logs`.",
        default="those beside the episodes",
    ),
    "time_limit": setting("SECONDS", "Time to solve each position.", min=0),
    "anchor": setting("PLAYER", "Player whose rating is 0.", default="the player in the middle"),
    "seed": setting("S", "The same seed gives the same games and positions."),
    "opening_plies": setting(
        "PLIES",
        "Start games in turn from all positions after this many plies, each from both seats; "
        "with 0 all games start from the empty board.",
    ),
    "referee": setting(
        "NAME",
        f"The environment of kaggle-environments whose games are played: {alternatives(Referee)}. "
        "OpenSpiel's need the extra `open-spiel`, have a bank of 12 s, and of Kaggle's agents only "
        "`random`.",
    ),
    "arena": typer.Option(
        help="The referee: Kaggle's environment, or this package's own arena, which plays the "
        "same games many times faster but runs agents in the worker processes."
    ),
    "rows": size("Height of the board.", default="6, in tic-tac-toe 3"),
    "columns": size("Width of the board.", default="7, in tic-tac-toe 3"),
    "inarow": size("Stones in a row that win.", default="4, in tic-tac-toe 3"),
    "act_timeout": setting("SECONDS", "Time for each move; on Kaggle it is 2."),
    "trust": flag(
        "Trust the players' .py files: in this package's arena they run in the worker processes, "
        "at hundreds of games a second, and nothing contains or ends them. Archives stay apart."
    ),
    "workers": setting("K", "Games or positions at once; for fair clocks at most one per core."),
    "dask": setting("ADDRESS", "Work on the cluster of this Dask scheduler."),
    "results": setting("FILE", "Add each game to this file as it ends, as a line of JSON."),
    "resume": flag("Play only the games that are not yet in the file of --results."),
    "first_player_table": flag("Also show the results by opening."),
    "brief": flag("Print only the summary; --json still writes everything."),
    "json": setting("FILE", "Write everything as JSON; with `-` print only the JSON."),
    "option": typer.Option(
        "--option", "-O", metavar="KEY=VALUE", help="Set an option of the agent; repeatable."
    ),
    "source": typer.Option(
        "--from", metavar="FILE", help="Take AGENT, a class that inherits agents.Agent, from FILE."
    ),
    "output": output(),
    "force": flag("Overwrite even a file that `connectx build` did not make."),
}
"""The options, by the names of their parameters."""
SOLVING: Mapping[str, Any] = {
    "rows": size("Height of the board.", default="6"),
    "columns": size("Width of the board.", default="7"),
    "inarow": size("Stones in a row that win.", default="4"),
    "workers": setting("K", "Number of processes that solve."),
}
"""The options of a command that solves positions of a board."""


def declared(
    base: Callable[..., Any] | Mapping[str, Any] | None = None, /, **own: Any
) -> Callable[[Command], Command]:
    """Declare a command's options by their names: its own, those of a table, or of `OPTIONS`.

    Where the base is a function of the front door, the command also gets its keyword options, with
    their defaults, as `**options`, except those that are parameters of the command.
    """
    table, source = (base, []) if isinstance(base, Mapping) else ({}, _parameters(base))
    known = {**OPTIONS, **table, **own}

    def declare(command: Command) -> Command:
        mine = [each for each in _parameters(command) if each.kind is not Parameter.VAR_KEYWORD]
        names = known.keys() - {each.name for each in mine}
        taken = [each for each in source if each.kind is Parameter.KEYWORD_ONLY]
        needed = [each for each in mine if each.default is Parameter.empty]
        optional = [each for each in mine if each.default is not Parameter.empty]
        parameters = [*needed, *(each for each in taken if each.name in names), *optional]
        command.__signature__ = Signature(  # type: ignore[attr-defined]
            [_declared(each, known[each.name]) for each in parameters]
        )
        return command

    return declare


def _parameters(function: Callable[..., Any] | None) -> list[Parameter]:
    return [*signature(function).parameters.values()] if function else []


def _declared(parameter: Parameter, declaration: Any) -> Parameter:
    """A parameter as Typer takes it; a flag has the parameter's name, and no opposite."""
    kinds = united_types(parameter.annotation)
    kind = parameter.annotation
    if isinstance(parameter.default, Enum):
        kind = type(parameter.default)
    elif Path in kinds:
        kind = Path | None if NoneType in kinds else Path
    elif kind is bool and declaration.default is ...:
        declaration = copy(declaration)
        declaration.param_decls = (f"--{parameter.name.replace('_', '-')}",)
    return parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=Annotated[kind, declaration])
