"""The files that a command line names to be read, for `require_distinct`."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from agents.registry import JsonValue, parse_specification
from submission.evaluating.players import Player, PlayerKind


def files_of_players(players: Iterable[Player]) -> list[Path]:
    """The submissions among the players, and the files that options of the others may name."""
    return [path for player in players for path in _files_of_player(player)]


def files_of_options(options: Mapping[str, JsonValue]) -> list[Path]:
    """The files that an agent's options may name: every text could be the path of one."""
    return [Path(value) for value in options.values() if isinstance(value, str)]


def modules_beside(source: Path | None) -> list[Path]:
    """The modules in the folder of a file that it has imported, once it has been run."""
    if source is None:
        return []
    return [
        path
        for path in source.resolve().parent.glob("*.py")
        if getattr(sys.modules.get(path.stem), "__file__", None) == str(path)
    ]


def _files_of_player(player: Player) -> list[Path]:
    if player.kind is PlayerKind.FILE:
        return [Path(player.name)]
    return files_of_options(parse_specification(player.name).options)
