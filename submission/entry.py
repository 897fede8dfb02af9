"""Kaggle's way to an agent: observation -> state -> search -> column, in time."""

import gc
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from math import inf
from time import perf_counter
from typing import Any, NamedTuple

from agents.agent import Agent
from agents.compiled.compilation import PATIENCE
from agents.guidance.ordering import from_the_middle, sensible_actions
from envs.connectx import ConnectX

SAFETY_SHARE = 0.1
"""Part of the time for a move that is left unused: clocks differ, and machines stumble."""
BANK_SHARE = 0.25
"""Part of the overage bank that is planned for, spread over the moves to come."""
LARGEST_BOARD = 10_000
"""Cells; setting up a search on a larger board could take longer than a move may."""


class Request(NamedTuple):
    """A request of Kaggle's; a default stands for everything that was missing or odd."""

    board: list[Any]
    mark: int
    rows: int
    columns: int
    inarow: int
    act_timeout: float
    """Seconds for each move."""
    bank: float
    """Seconds of overage time that are left for the whole game."""

    @property
    def stones(self) -> int:
        """The number of cells that are taken."""
        return _stones(self.board)

    @property
    def free_columns(self) -> tuple[int, ...]:
        """The columns that take a stone, from the middle outwards."""
        top_row = self.board[: self.columns]
        free = (column for column, cell in enumerate(top_row) if cell == 0)
        return from_the_middle(self.columns, tuple(free))


class KagglePlayer:
    """Plays ConnectX as Kaggle asks it to, one episode after the other.

    Whatever happens, `act` answers with a plain int, which is a legal column if there is one. It
    says on stderr why, when that column is not the one that the agent's search has chosen.

    Args:
        make_agent: makes the agent of a new episode.
        load_seconds: what loading took; Kaggle counts it as part of the first move.
    """

    def __init__(self, make_agent: Callable[[], Agent], load_seconds: float = 0.0) -> None:
        self._make_agent = make_agent
        self._load_seconds = load_seconds
        self._env = _rules(6, 7, 4)
        self._first_agent: Agent | None = None
        self._agent: Agent | None = None
        self._stones = 0

    def compile_beside(self) -> None:
        """Compile in the background from now on, and begin with the agent's search.

        Until that is ready, moves are played by what is there: a repertoire, or plain Python.
        """
        PATIENCE.compile_beside_games()
        self._first_agent = self._make_agent()
        self._first_agent.compile(self._env)

    def act(self, observation: object, configuration: object) -> int:
        """The column to play, counted from 0; 0 where the board shows no free column.

        Args:
            observation: mapping or object with `board`, `mark` and `remainingOverageTime`.
            configuration: mapping or object with `rows`, `columns`, `inarow` and `actTimeout`.
        """
        started = perf_counter() - self._load_seconds
        self._load_seconds = 0.0
        request = read_request(observation, configuration)
        free = request.free_columns
        if not free:
            print("no free column on the board: answering 0", file=sys.stderr)
            return 0
        collecting = gc.isenabled()
        gc.disable()  # a collection in mid-search could take longer than the safety margin
        try:
            column = self._search(request, started)
            if column not in free:
                raise ValueError(f"the agent chose {column!r}; free columns: {sorted(free)}")
            return int(column)
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
        if size != (self._env.rows, self._env.columns, self._env.inarow):
            self._env, self._agent = _rules(*size), None
        # In the course of an episode the board fills up.
        if self._agent is None or request.stones <= self._stones:
            self._agent, self._first_agent = self._first_agent or self._make_agent(), None
            PATIENCE.allow(self._agent.compiling_share * request.bank)
        self._stones = request.stones
        state = self._env.from_board(request.board, request.mark)
        elapsed = perf_counter() - started
        seconds = plan_seconds(request, elapsed, self._agent.bank_share(self._env))
        return self._agent.act(self._env, state, seconds)

    def _fallback(self, request: Request, free: Sequence[int]) -> int:
        """The best column that two plies of look-ahead show, or the first of the free ones."""
        try:
            state = self._env.from_board(request.board, request.mark)
            return int(sensible_actions(self._env, state, free)[0])
        except Exception:
            return free[0]


def plan_seconds(request: Request, elapsed: float, bank_share: float = 0.0) -> float:
    """Plan the seconds of a search: this move's time and a share of the bank, less what has passed.

    Args:
        request: what Kaggle asks.
        elapsed: seconds that this move has taken so far, loading included.
        bank_share: part of the bank that this move may take, if it is more than all moves get.
    """
    moves_left = 1 + (len(request.board) - request.stones) // 2
    seconds = request.act_timeout + max(BANK_SHARE / moves_left, bank_share) * request.bank
    return max(0.0, seconds * (1 - SAFETY_SHARE) - elapsed)


def read_request(observation: object, configuration: object) -> Request:
    """Read a request of Kaggle's. A missing or impossible number gets the competition's default."""
    board = _read(observation, "board")
    cells = list(board) if isinstance(board, Iterable) else []
    mark = _read(observation, "mark")
    return Request(
        board=cells,
        mark=mark if mark in (1, 2) else 1 + _stones(cells) % 2,
        rows=int(_number(configuration, "rows", 1, 6)),
        columns=int(_number(configuration, "columns", 1, 7)),
        inarow=int(_number(configuration, "inarow", 1, 4)),
        act_timeout=_number(configuration, "actTimeout", 0, 2),
        bank=_number(observation, "remainingOverageTime", 0, 0),
    )


def _stones(board: list[Any]) -> int:
    return len(board) - board.count(0)


@lru_cache(maxsize=16)
def _rules(rows: int, columns: int, inarow: int) -> ConnectX:
    """The game of this size; making its tables takes longer than a quick agent's move."""
    return ConnectX(rows, columns, inarow)


def _read(source: object, name: str) -> Any:
    """A field of a mapping or an object; Kaggle's observations are both, but not always."""
    try:
        return source[name]  # type: ignore[index]
    except (KeyError, TypeError, IndexError):
        return getattr(source, name, None)


def _number(source: object, name: str, least: float, default: float) -> float:
    value = _read(source, name)
    usable = isinstance(value, int | float) and least <= value < inf
    return value if usable else default
