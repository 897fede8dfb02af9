"""A referee's request for a move, as ConnectX and as OpenSpiel's environments write it."""

import json
import re
from collections.abc import Iterable
from math import inf
from typing import Any, NamedTuple

from agents.guidance.ordering import from_the_middle

CONNECT_FOUR = "connect_four"
"""OpenSpiel's name of ConnectX."""

STONES = {".": 0, "x": 1, "o": 2}
"""OpenSpiel's characters of a board as the numbers of Kaggle's."""

LONGEST_MOVE = 10.0
"""Seconds for a move of OpenSpiel's environments, which allow an hour where they are not told."""


class Request(NamedTuple):
    """A request for a move; a default stands for everything that was missing or odd."""

    board: list[Any]
    """Row by row from the top: 0 empty, 1 and 2 the players' stones."""
    mark: int
    rows: int
    columns: int
    inarow: int
    act_timeout: float
    """Seconds for each move."""
    bank: float
    """Seconds of overage time that are left for the whole game."""
    game: str = CONNECT_FOUR
    """OpenSpiel's name."""

    @property
    def stones(self) -> int:
        """The number of cells that are taken."""
        return _stones(self.board)

    @property
    def free_places(self) -> tuple[int, ...]:
        """The columns, or else the cells, that take a stone, from the middle outwards."""
        places = self.columns if self.game == CONNECT_FOUR else len(self.board)
        free = (place for place, cell in enumerate(self.board[:places]) if cell == 0)
        return from_the_middle(places, tuple(free))


def read_request(observation: object, configuration: object) -> Request:
    """Read a request of Kaggle's. A missing or impossible number gets the competition's default."""
    board = read_field(observation, "board")
    cells = list(board) if isinstance(board, Iterable) else []
    mark = read_field(observation, "mark")
    return Request(
        board=cells,
        mark=mark if mark in (1, 2) else 1 + _stones(cells) % 2,
        rows=int(_number(configuration, "rows", 1, 6)),
        columns=int(_number(configuration, "columns", 1, 7)),
        inarow=int(_number(configuration, "inarow", 1, 4)),
        act_timeout=_number(configuration, "actTimeout", 0, 2),
        bank=_number(observation, "remainingOverageTime", 0, 0),
    )


def open_spiel_game(observation: object, configuration: object) -> str | None:
    """OpenSpiel's name of the game where one of its environments asks; None where ConnectX does."""
    if read_field(observation, "board") is not None:
        return None
    name = read_field(configuration, "openSpielGameName")
    return name if isinstance(name, str) else None


def read_open_spiel(game: str, observation: object, configuration: object) -> Request:
    """Read a request of OpenSpiel's environments.

    Args:
        game: OpenSpiel's name of it.
        observation: mapping or object with `observationString`, the board: lines from the top, or
            in Connect Four JSON with a list for each row from the bottom; `playerId` (0 or 1),
            `serializedGameAndState`, which names the stones in a row, and `remainingOverageTime`.
        configuration: mapping or object with `actTimeout`.

    Raises:
        ValueError, KeyError, TypeError: the observation shows no board.
    """
    text = read_field(observation, "observationString")
    lines = json.loads(text)["board"][::-1] if game == CONNECT_FOUR else text.splitlines()
    in_row = re.search(r"x_in_row=(\d+)", str(read_field(observation, "serializedGameAndState")))
    return Request(
        board=[STONES[cell] for line in lines for cell in line],
        mark=1 + int(_number(observation, "playerId", 0, 0)),
        rows=len(lines),
        columns=len(lines[0]),
        inarow=int(in_row[1]) if in_row else len(lines),
        act_timeout=min(LONGEST_MOVE, _number(configuration, "actTimeout", 0, 2)),
        bank=_number(observation, "remainingOverageTime", 0, 0),
        game=game,
    )


def read_field(source: object, name: str) -> Any:
    """A field of a mapping or an object; Kaggle's observations are both, but not always."""
    try:
        return source[name]  # type: ignore[index]
    except (KeyError, TypeError, IndexError):
        return getattr(source, name, None)


def _stones(board: list[Any]) -> int:
    return len(board) - board.count(0)


def _number(source: object, name: str, least: float, default: float) -> float:
    value = read_field(source, name)
    usable = isinstance(value, int | float) and least <= value < inf
    return value if usable else default
