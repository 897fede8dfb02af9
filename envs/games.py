"""The table of games: the command line, Gymnasium, training and the tests find them here."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from typing import NamedTuple

from envs.board import BoardGame
from envs.connectx import ConnectFour, ConnectX
from envs.tic_tac_toe import TicTacToe


class Place(NamedTuple):
    """The part of a board that a player names to move, by its number, counted from 1."""

    name: str
    used_up: str
    """The word for a place that takes no stone any more."""


COLUMN = Place("column", "full")
CELL = Place("cell", "taken")


@dataclass(frozen=True)
class GameEntry:
    """A game in the table."""

    name: str
    """The name on the command line: `--game tictactoe`."""
    title: str
    """The name for people."""
    rules: type[BoardGame]
    """The class. All that its constructor takes are sizes of the board, each with a default.

    Where it is another one of the table at some size, one class inherits the other: a policy that
    was trained for one plays both.
    """
    place: Place
    gymnasium_ids: tuple[str, ...] = ()
    """PettingZoo's, too."""
    open_spiel: str | None = None
    """OpenSpiel's name; kaggle-environments has the game as `open_spiel_` and this name."""

    @property
    def sizes(self) -> Mapping[str, int]:
        """The sizes that can be chosen, with their defaults, in the order of the constructor.

        Each is one of `rows`, `columns` and `inarow`, and at least 1.
        """
        parameters = signature(self.rules).parameters
        return {name: parameter.default for name, parameter in parameters.items()}

    def make(self, **sizes: int) -> BoardGame:
        """Make the game; a size that is not given is the default.

        Raises:
            ValueError: a size that is no whole number of at least 1.
        """
        return self.rules(**sizes)

    def sizes_of(self, game: BoardGame) -> tuple[int, ...]:
        """Return the arguments of the constructor that make a game as large as `game`."""
        return tuple(getattr(game, name) for name in self.sizes)


GAMES: Mapping[str, GameEntry] = {
    entry.name: entry
    for entry in (
        GameEntry(
            "connectx",
            "ConnectX",
            ConnectX,
            COLUMN,
            ("connectx/ConnectFour-v0", "connectx/ConnectX-v0"),
            "connect_four",
        ),
        GameEntry("connectfour", "Connect Four", ConnectFour, COLUMN, open_spiel="connect_four"),
        GameEntry(
            "tictactoe",
            "Tic-tac-toe",
            TicTacToe,
            CELL,
            ("connectx/TicTacToe-v0",),
            "tic_tac_toe",
        ),
    )
}
"""The games by their names. Gymnasium's Connect Four is ConnectX, so that it takes sizes, too."""


def game_entry(game: BoardGame) -> GameEntry:
    """Find the entry of a game.

    Raises:
        ValueError: its class is not in the table; one that inherits from a game may have other
            rules.
    """
    for entry in GAMES.values():
        if type(game) is entry.rules:
            return entry
    raise ValueError(f"{game!r} is none of the games {', '.join(GAMES)}: enter it in envs/games.py")


def game_id(game: BoardGame) -> str:
    """Name a game with its sizes, as in `connectx-6x7x4` (rows, columns, stones in a row).

    A game whose size cannot be chosen is named alone, as in `tictactoe`.

    Raises:
        ValueError: as `game_entry`.
    """
    entry = game_entry(game)
    sizes = "x".join(map(str, entry.sizes_of(game)))
    return f"{entry.name}-{sizes}" if sizes else entry.name


def game_from_id(text: str, largest: int | None = None) -> BoardGame:
    """Make the game that `game_id` names.

    Args:
        text: the id.
        largest: the most that each size may be; None is no limit.

    Raises:
        ValueError: no such id, or a size that is too small or too large.
    """
    name, dash, numbers = text.partition("-")
    entry = GAMES.get(name)
    sizes = re.fullmatch(r"\d{1,4}(x\d{1,4})*", numbers, re.ASCII)
    count = len(numbers.split("x")) if sizes else 0
    if entry is None or bool(dash) != bool(count) or count != len(entry.sizes):
        raise ValueError(f"{text!r} is no game: write one such as connectx-6x7x4 or tictactoe")
    chosen = dict(zip(entry.sizes, map(int, numbers.split("x") if dash else ()), strict=True))
    for size, number in chosen.items():
        if largest is not None and number > largest:
            raise ValueError(f"{size} is at most {largest}, not {number}")
    return entry.make(**chosen)
