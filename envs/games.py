"""The table of games: the command line, Gymnasium, training and the tests find them here."""

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
    rules: type[BoardGame]
    """The class. All that its constructor takes are sizes of the board, each with a default."""
    place: Place
    gymnasium_ids: tuple[str, ...] = ()

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
            "connectx", ConnectX, COLUMN, ("connectx/ConnectFour-v0", "connectx/ConnectX-v0")
        ),
        GameEntry("connectfour", ConnectFour, COLUMN),
        GameEntry("tictactoe", TicTacToe, CELL, ("connectx/TicTacToe-v0",)),
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
