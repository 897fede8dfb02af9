"""Check the arguments of commands, and show their results."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

import psutil
import typer

from agents.registry import REGISTERED, JsonValue, parse_specification
from agents.reporting.output_file import replace_text, require_writable
from submission.executors.work import Completion
from submission.reports import Printed
from submission.sandbox.staging import SUBMISSIONS
from submission.terminal import console, say

Shown = TypeVar("Shown", bound=Printed)

STDOUT = Path("-")


def show(
    result: Shown,
    json_file: Path | None = None,
    brief: bool = False,
    html: Path | None = None,
    page: Callable[[Shown], str] | None = None,
) -> None:
    """Print a result or only its summary, and write it as JSON and as its page.

    With `-` as the file for JSON, print only the JSON. In a file or a pipe each sentence of the
    summary is one line, however long.
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
    if html is not None and page is not None:
        replace_text(html, page(result))


def require_files(
    *written: Path | None,
    json: Path | None = None,
    results: Path | None = None,
    read: Iterable[Path | None] = (),
    players: Iterable[str] = (),
) -> None:
    """Refuse files that cannot be written, or that would overwrite each other or an input.

    `json` may be `-`. `results` is a file that games are added to. The command reads the files
    `read` and those of the players with these names.
    """
    files = [path for path in (*written, None if json == STDOUT else json) if path is not None]
    require_distinct(results, *files, read=[*read, *files_of_players(players)])
    for path in files:
        require_writable(path)


def require_distinct(*written: Path | None, read: Iterable[Path | None] = ()) -> None:
    """Check that a command would not write one file over another, or over one that it reads.

    A file may be read twice. None stands for no file.

    Raises:
        ValueError: two of the files are one.
    """
    inputs, outputs = {*map(_identity, filter(None, read))}, set[object]()
    for path in filter(None, written):
        identity = _identity(path)
        if identity in inputs:
            raise ValueError(f"{path} is read and would be overwritten: write to another file")
        if identity in outputs:
            raise ValueError(f"{path} is named for two outputs: choose another file for one")
        outputs.add(identity)


def _identity(path: Path) -> object:
    """An identity that all names of a file share, including links to it."""
    try:
        status = path.stat()
    except FileNotFoundError:  # not written yet
        return os.path.realpath(path)
    except OSError:  # as in a loop of links: nothing can be read or written there
        return path
    return status.st_dev, status.st_ino


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


def files_of_players(names: Iterable[str]) -> list[Path]:
    """The submissions among the players, and the files that options of our agents may name."""
    found = list[Path]()
    for name in names:
        if name.endswith(SUBMISSIONS):
            found.append(Path(name))
        elif ":" in name and name.partition(":")[0] in REGISTERED:
            found += files_of_options(parse_specification(name).options)
    return found


def files_of_options(options: Mapping[str, JsonValue]) -> list[Path]:
    """The files that an agent's options may name: every text could be a path."""
    return [Path(value) for value in options.values() if isinstance(value, str)]


def modules_beside(source: Path | None) -> list[Path]:
    """The modules that a file that has been run has imported from its own folder."""
    if source is None:
        return []
    return [
        path
        for path in source.resolve().parent.glob("*.py")
        if getattr(sys.modules.get(path.stem), "__file__", None) == str(path)
    ]
