"""Arguments that several commands take, and checks of their values."""

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer

from agents.registry import JsonValue, parse_specification
from agents.reporting.output_file import replace_text, require_distinct, require_writable
from submission.arena.game_record import LARGEST_SIZE
from submission.arena.players import Player, PlayerKind
from submission.match.completion import Completion
from submission.match.schedule import require_pairs
from submission.reports import Printed
from submission.terminal import console, say

STDOUT = Path("-")


def setting(metavar: str, meaning: str, *, default: str | bool = True, **more: Any) -> Any:
    """An option with a value, for which `metavar` stands in the help.

    The default is one in words; True shows the parameter's own.
    """
    return typer.Option(metavar=metavar, help=meaning, show_default=default, **more)


def flag(name: str, meaning: str) -> Any:
    """An option without a value, such as `--brief`, and its help."""
    return typer.Option(name, help=meaning)


def argument(metavar: str, meaning: str) -> Any:
    """An argument, which stands under this name in the help, and its meaning."""
    return typer.Argument(metavar=metavar, help=meaning)


PlayerName = Annotated[
    str,
    argument(
        "PLAYER",
        "Kaggle's `random` or `negamax`; an agent, as in `mcts:simulations=500,seed=1`; "
        "or the path of a submission, a .py file or a .tar.gz.",
    ),
]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", "-O", metavar="KEY=VALUE", help="An option of the agent; repeatable."),
]
Source = Annotated[
    Path | None,
    typer.Option(
        "--from", metavar="FILE", help="Take AGENT, a class that inherits agents.Agent, from FILE."
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write.")]
Force = Annotated[
    bool, flag("--force", "Overwrite even a file that `connectx build` has not made.")
]
FirstPlayerTable = Annotated[
    bool, flag("--first-player-table", "Show the results of each opening.")
]
Games = Annotated[
    int, setting("N", "Games between each two players; an even number.", callback=require_pairs)
]
Seed = Annotated[int, setting("S", "The same seed gives the same games and positions.")]
Workers = Annotated[
    int, setting("K", "Games or positions at once; for fair clocks at most one a core.")
]
Solvers = Annotated[int, setting("K", "Processes that solve.")]
Dask = Annotated[str | None, setting("ADDRESS", "Work on the Dask cluster with this scheduler.")]
Rows = Annotated[int, setting("N", "Height of the board.", max=LARGEST_SIZE)]
Columns = Annotated[int, setting("N", "Width of the board.", max=LARGEST_SIZE)]
Inarow = Annotated[int, setting("N", "Stones in a row that win.", max=LARGEST_SIZE)]
Anchor = Annotated[
    str | None, setting("PLAYER", "Whose rating is 0.", default="the player in the middle")
]
Brief = Annotated[bool, flag("--brief", "Print the summary alone; --json writes everything.")]
Json = Annotated[
    Path | None, setting("FILE", "Write everything as JSON; with `-` print that alone.")
]


def output_option(default: str, meaning: str = "Where to write.") -> Any:
    """The option `--output` of a command whose default depends on other options."""
    return typer.Option("--output", "-o", metavar="FILE", help=meaning, show_default=default)


def show(result: Printed, json_file: Path | None = None, brief: bool = False) -> None:
    """Print a result or only its summary, and write it as JSON; with `-` print only the JSON.

    In a file or a pipe each sentence of the summary is one line, however long.
    """
    if json_file != STDOUT:
        if not brief:
            console.print(result.tables(), crop=False)
        console.print(result.brief, crop=False, soft_wrap=not console.is_terminal)
    if json_file is not None:
        text = json.dumps(result.to_dict(), indent=1, allow_nan=False) + "\n"
        if json_file == STDOUT:
            say(text)
        else:
            replace_text(json_file, text)


def require_files(
    *written: Path | None,
    json: Path | None = None,
    results: Path | None = None,
    read: Iterable[Path | None] = (),
) -> None:
    """Refuse files that cannot be written, or that would overwrite each other or an input.

    `json` may be `-`. `results` is a file that games are added to, and `read` are the files that
    the command reads.
    """
    files = [path for path in (*written, None if json == STDOUT else json) if path is not None]
    require_distinct(results, *files, read=read)
    for path in files:
        require_writable(path)


def require_memory(megabytes: int, workers: int = 1) -> None:
    """Refuse tables that do not fit the free memory: the system might kill the process."""
    available = psutil.virtual_memory().available >> 20
    if megabytes * workers <= available:
        return
    tables, advice = f"a table of {megabytes} MB", "give a smaller --table-megabytes"
    if workers > 1:
        tables, advice = f"{workers} tables of {megabytes} MB", f"{advice} or fewer --workers"
    raise ValueError(
        f"this machine has {available} MB of memory left, too little for {tables}: {advice}"
    )


def require_complete(completion: Completion, *, failed: bool = False) -> None:
    """End the command with status 1 if its work was ended early, or its player always failed."""
    if failed or completion is not Completion.COMPLETE:
        raise typer.Exit(1)


def files_of_players(players: Iterable[Player]) -> list[Path]:
    """The submissions among the players, and the files that options of the others may name."""
    found = list[Path]()
    for player in players:
        if player.kind is PlayerKind.FILE:
            found.append(Path(player.name))
        else:
            found += files_of_options(parse_specification(player.name).options)
    return found


def files_of_options(options: Mapping[str, JsonValue]) -> list[Path]:
    """The files that an agent's options may name: every text could be a path."""
    return [Path(value) for value in options.values() if isinstance(value, str)]


def modules_beside(source: Path | None) -> list[Path]:
    """The modules that a file, which has been run, has imported from its own folder."""
    if source is None:
        return []
    return [
        path
        for path in source.resolve().parent.glob("*.py")
        if getattr(sys.modules.get(path.stem), "__file__", None) == str(path)
    ]
