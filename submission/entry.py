"""From Kaggle to an agent: observation -> request -> state -> search -> action, in time."""

import gc
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from math import inf
from time import perf_counter
from typing import Any, NamedTuple

from agents.agent import Agent
from agents.compiled.compilation import PATIENCE
from agents.guidance.ordering import from_the_middle, sensible_actions
from envs.board import BoardGame
from envs.connectx import ConnectX

CONNECT_FOUR = "connect_four"  # OpenSpiel's name of ConnectX

STONES = {".": 0, "x": 1, "o": 2}  # OpenSpiel's board characters as Kaggle's numbers

PLAYED_WITH = "played with "  # starts the line in which a submission reports its versions

LONGEST_MOVE = 10.0
"""Most seconds to use for a move in OpenSpiel's environments, which by default allow an hour."""


class Request(NamedTuple):
    """A request for a move; defaults replace missing or impossible values."""

    board: list[Any]  # row by row from the top: 0 empty, 1 and 2 the players' stones
    mark: int
    rows: int
    columns: int
    inarow: int
    act_timeout: float  # seconds for each move
    bank: float  # seconds of overage time that are left for the whole game
    game: str = CONNECT_FOUR  # OpenSpiel's name

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
    """Read a request from Kaggle; the competition's default replaces a missing or bad number."""
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
    """OpenSpiel's name of the game if the request is from OpenSpiel; None if from ConnectX."""
    if read_field(observation, "board") is not None:
        return None
    name = read_field(configuration, "openSpielGameName")
    return name if isinstance(name, str) else None


def read_open_spiel(game: str, observation: object, configuration: object) -> Request:
    """Read a request from OpenSpiel's environments.

    Args:
        game: OpenSpiel's name of the game.
        observation: mapping or object with `observationString`, the board: lines from the top, or
            in Connect Four JSON with a list for each row from the bottom; `playerId` (0 or 1),
            `serializedGameAndState`, which contains `x_in_row`, and `remainingOverageTime`.
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
    """A field of a mapping or an object; Kaggle's observations are usually both."""
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


SAFETY_SHARE = 0.1
"""Share of a move's time that is left unused, because clocks differ and machines stall."""
BANK_SHARE = 0.25  # share of the overage bank to use, spread over the moves to come
LARGEST_BOARD = 10_000
"""Most cells of a board to search: setup on a larger one could take longer than a move may."""


class KagglePlayer:
    """Plays Kaggle's ConnectX and OpenSpiel's games, one episode after the other.

    `act` always returns a plain int, which is a legal column if there is one. If the agent's search
    did not choose that column, stderr says why.

    Args:
        make_agent: makes the agent of a new episode.
        load_seconds: seconds that loading took; Kaggle counts them as part of the first move.
        games: the games that it plays besides ConnectX, by OpenSpiel's names.
    """

    def __init__(
        self,
        make_agent: Callable[[], Agent],
        load_seconds: float = 0.0,
        games: Mapping[str, BoardGame] | None = None,
    ) -> None:
        self._make_agent = make_agent
        self._load_seconds = load_seconds
        self._games = games or {}
        self._env: BoardGame = _rules(6, 7, 4)
        self._first_agent: Agent | None = None
        self._agent: Agent | None = None
        self._stones = 0
        self._has_answered = False

    def compile_beside(self) -> None:
        """Compile in the background from now on, starting with the agent's search.

        Until that search is ready, a repertoire or plain Python finds the moves.
        """
        PATIENCE.compile_beside_games()
        self._first_agent = self._make_agent()
        self._first_agent.compile(self._env)

    def answer(self, observation: object, configuration: object) -> int | dict[str, int]:
        """Answer a request in its referee's form: a column, or `{"submission": action}`.

        The first answer also writes the versions of Python and libraries to stderr, which the log
        of a game on Kaggle keeps.

        Args:
            observation: as for `act` or `read_open_spiel`; OpenSpiel's first one has no board and
                sets up the game, and its answer is ignored.
            configuration: likewise.

        Raises:
            ValueError: this player does not play the game, or OpenSpiel shows no board.
        """
        if not self._has_answered:
            self._has_answered = True
            print(PLAYED_WITH + versions(), file=sys.stderr)
        game = open_spiel_game(observation, configuration)
        if game is None:
            return self.act(observation, configuration)
        if game != CONNECT_FOUR and game not in self._games:
            known = ", ".join((CONNECT_FOUR, *self._games))
            raise ValueError(
                f"this submission plays {known} and not {game}: `connectx build --game NAME` "
                "adds another game"
            )
        started = self._start()
        if read_field(observation, "observationString") is None:
            return {"submission": -1}
        request = read_open_spiel(game, observation, configuration)
        return {"submission": self._choose(request, started)}

    def act(self, observation: object, configuration: object) -> int:
        """The column to play, counted from 0; 0 where the board shows no free column.

        Args:
            observation: mapping or object with `board`, `mark` and `remainingOverageTime`.
            configuration: mapping or object with `rows`, `columns`, `inarow` and `actTimeout`.
        """
        started = self._start()
        return self._choose(read_request(observation, configuration), started)

    def _start(self) -> float:
        """The start of this move by `perf_counter`, earlier by the loading time before it."""
        started, self._load_seconds = perf_counter() - self._load_seconds, 0.0
        return started

    def _choose(self, request: Request, started: float) -> int:
        """The agent's action, or a fallback."""
        free = request.free_places
        if not free:
            print("no free column on the board: answering 0", file=sys.stderr)
            return 0
        collecting = gc.isenabled()
        gc.disable()  # a collection in mid-search could take longer than the safety margin
        try:
            action = self._search(request, started)
            if action not in free:
                places = "columns" if request.game == CONNECT_FOUR else "cells"
                raise ValueError(f"the agent chose {action!r}; free {places}: {sorted(free)}")
            return int(action)
        except Exception as error:
            print(f"{type(error).__name__}: {error}; falling back", file=sys.stderr)
            return self._fallback(request, free)
        finally:
            if collecting:
                gc.enable()

    def _search(self, request: Request, started: float) -> int:
        size = request.rows, request.columns, request.inarow
        if request.rows * request.columns > LARGEST_BOARD:
            raise ValueError(f"a board of {size[0]}x{size[1]} is too large to search in time")
        env = _rules(*size) if request.game == CONNECT_FOUR else self._games[request.game]
        if env != self._env:
            self._env, self._agent = env, None
        # Within an episode each request shows more stones than the one before.
        if self._agent is None or request.stones <= self._stones:
            self._agent, self._first_agent = self._first_agent or self._make_agent(), None
            PATIENCE.allow(self._agent.compiling_share * request.bank)
        self._stones = request.stones
        state = self._env.from_board(request.board, request.mark)
        elapsed = perf_counter() - started
        seconds = plan_seconds(request, elapsed, self._agent.bank_share(self._env))
        return self._agent.act(self._env, state, seconds)

    def _fallback(self, request: Request, free: Sequence[int]) -> int:
        """The best column by two plies of look-ahead, or else the first free one."""
        try:
            state = self._env.from_board(request.board, request.mark)
            return int(sensible_actions(self._env, state, free)[0])
        except Exception:
            return free[0]


def versions() -> str:
    """The versions of Python, numba and numpy, as in `Python 3.11.9, numba 0.60.0, no numpy`."""
    import platform
    from importlib import metadata

    found = [f"Python {platform.python_version()}"]
    for name in ("numba", "numpy"):
        try:
            found.append(f"{name} {metadata.version(name)}")
        except Exception:  # a damaged installation must not cost the game
            found.append(f"no {name}")
    return ", ".join(found)


def plan_seconds(request: Request, elapsed: float, bank_share: float = 0.0) -> float:
    """Plan the seconds of a search: this move's time and a share of the bank, less what has passed.

    Args:
        request: Kaggle's request for the move.
        elapsed: seconds that this move has taken so far, loading included.
        bank_share: share of the bank for this move, if larger than the share that any move gets.
    """
    moves_left = 1 + (len(request.board) - request.stones) // 2
    seconds = request.act_timeout + max(BANK_SHARE / moves_left, bank_share) * request.bank
    return max(0.0, seconds * (1 - SAFETY_SHARE) - elapsed)


@lru_cache(maxsize=16)
def _rules(rows: int, columns: int, inarow: int) -> ConnectX:
    """The game of this size, cached: making its tables takes longer than a quick agent's move.

    All values of `inarow` that are larger than the board are equivalent.
    """
    return ConnectX(rows, columns, min(inarow, max(rows, columns) + 1))
