"""Solved positions of Connect Four, with what is at stake in each, and files of them.

A file has a line of JSON for each position, with its moves as `connectx solve` takes them, its ply,
its phase, and the score of each column (null for a full one). The first line describes the file:
its format, how it was made, its number of positions by kind, and the SHA-256 of the lines below.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import IntEnum, StrEnum
from functools import cached_property
from hashlib import sha256
from math import inf
from pathlib import Path
from random import Random
from typing import Any, Self, TypeVar

from agents.guidance.ordering import sensible_actions
from agents.options import require_whole
from agents.reporting.input_file import quoted, read_content, read_header, record_of, refused
from agents.solver.position_bounds import sign
from agents.solver.reached_position import read_position
from envs.board import BoardState, state_from_moves
from envs.connectx import ConnectFour

GAME = ConnectFour()

HIGHEST = GAME.rows * GAME.columns // 2  # the score that a win with the first stone would have

T = TypeVar("T")


class Outcome(IntEnum):
    """The result of the game under best play, from the view of the player to move."""

    LOSS = -1
    DRAW = 0
    WIN = 1

    @classmethod
    def of(cls, score: int) -> "Outcome":
        """The outcome that a score means."""
        return cls(sign(score))


class Phase(StrEnum):
    """The thirds of a game by plies, in Connect Four 0 to 13, 14 to 27 and 28 to 41."""

    OPENING = "opening"
    MIDDLE_GAME = "middle game"
    ENDGAME = "endgame"

    @classmethod
    def at(cls, ply: int, cells: int = GAME.rows * GAME.columns) -> "Phase":
        """The phase of a position, from its ply and the number of cells."""
        return tuple(cls)[ply * 3 // cells]


@dataclass(frozen=True)
class SolvedPosition:
    """An unfinished position, with the score of each column.

    Scores are from the view of the player to move, on the scale of
    `agents.solver.solver.ScoreBounds`: from -18 to 18, above 0 for a win, more for a quicker one.
    """

    moves: str  # the columns played so far, a digit each, counted from 1
    scores: tuple[int | None, ...]
    """The score of playing each column, from the left; None for a full one."""

    @property
    def ply(self) -> int:
        """The number of plies played."""
        return len(self.moves)

    @property
    def phase(self) -> Phase:
        """The phase of the game."""
        return Phase.at(self.ply)

    @property
    def state(self) -> BoardState:
        """The position as a state, for searches and pictures."""
        return state_from_moves(GAME, self.moves)

    @cached_property
    def legal(self) -> dict[int, int]:
        """The score of each column that is not full; columns are counted from 0."""
        return {column: score for column, score in enumerate(self.scores) if score is not None}

    @cached_property
    def score(self) -> int:
        """The score of the position."""
        return max(self.legal.values())

    @property
    def outcome(self) -> Outcome:
        """The outcome of the position."""
        return Outcome.of(self.score)

    @cached_property
    def best(self) -> tuple[int, ...]:
        """The columns with the position's score."""
        return tuple(column for column, score in self.legal.items() if score == self.score)

    @cached_property
    def keeping(self) -> tuple[int, ...]:
        """The columns that keep the outcome."""
        outcomes = {column: Outcome.of(score) for column, score in self.legal.items()}
        return tuple(column for column, outcome in outcomes.items() if outcome is self.outcome)

    @property
    def is_at_stake(self) -> bool:
        """Whether some column gives the outcome away; in a lost position none can."""
        return len(self.keeping) < len(self.legal)

    @cached_property
    def is_tactical(self) -> bool:
        """Whether the outcome is at stake, and two plies of look-ahead show how to keep it."""
        return self.is_at_stake and two_plies_decide(self.state)

    @property
    def is_hard(self) -> bool:
        """Whether only one of several columns keeps the outcome, and two plies do not show it."""
        return self.is_at_stake and len(self.keeping) == 1 and not self.is_tactical

    def to_dict(self) -> dict[str, Any]:
        """The position as in a line of a file."""
        return {
            "moves": self.moves,
            "ply": self.ply,
            "phase": self.phase,
            "scores": self.scores,
        }


def two_plies_decide(state: BoardState) -> bool:
    """Whether only one column is sensible, because it wins or answers a threat."""
    return len(sensible_actions(GAME, state, GAME.get_available_actions(state))) == 1


LAST_PLY = 40  # the most plies after which a column can give something away


@dataclass(frozen=True, slots=True)
class PositionSettings:
    """How to make a set of positions; the same settings give the same ones.

    Raises:
        ValueError: no positions, a negative seed, or plies without positions.
    """

    per_ply: int = 12
    """Positions for each number of plies played; the first few have fewer."""
    seed: int = 0
    first_ply: int = 0
    last_ply: int = LAST_PLY

    def __post_init__(self) -> None:
        require_whole("the positions for each ply", self.per_ply, 1)
        require_whole("the seed", self.seed, 0, inf)
        if not 0 <= self.first_ply <= self.last_ply <= LAST_PLY:
            raise ValueError(
                f"the plies must run from at least 0 up to at most {LAST_PLY}, after which nothing "
                f"is at stake, not from {self.first_ply} to {self.last_ply}"
            )

    @property
    def plies(self) -> range:
        """The numbers of plies played."""
        return range(self.first_ply, self.last_ply + 1)

    @property
    def command(self) -> str:
        """The command that makes the positions."""
        return (
            f"connectx positions --per-ply {self.per_ply} --seed {self.seed} "
            f"--first-ply {self.first_ply} --last-ply {self.last_ply}"
        )


FORMAT = "connectx positions, version 1"

SHIPPED_POSITIONS = Path(__file__).with_name("positions.jsonl")
"""The set that comes with the package."""

ADVICE = "make one with `connectx positions --output FILE`"


def drawn(positions: Sequence[T], count: int, seed: int) -> tuple[T, ...]:
    """Draw some of the positions, and keep their order.

    Raises:
        ValueError: the count is below 1, or more than there are.
    """
    if type(count) is not int or not 1 <= count <= len(positions):
        raise ValueError(f"the sample must be of 1 to {len(positions)} positions, not of {count!r}")
    chosen = sorted(Random(seed).sample(range(len(positions)), count))
    return tuple(positions[number] for number in chosen)


@dataclass(frozen=True, slots=True)
class AskedPositions:
    """Solved positions that a player is asked about, from any source."""

    positions: tuple[SolvedPosition, ...]

    @property
    def sha256(self) -> str:
        """The SHA-256 of these positions, in hexadecimal."""
        return _hash(self._lines())

    def sample(self, count: int, seed: int) -> Self:
        """Draw some of the positions; see `drawn`."""
        return replace(self, positions=drawn(self.positions, count, seed))

    def _lines(self) -> list[str]:
        return [json.dumps(position.to_dict()) for position in self.positions]


@dataclass(frozen=True, slots=True)
class PositionSet(AskedPositions):
    """A set of positions by ply, with the settings that made it."""

    settings: PositionSettings

    def to_text(self) -> str:
        """The set as the content of a file."""
        lines = self._lines()
        header = {
            "format": FORMAT,
            "command": self.settings.command,
            "settings": asdict(self.settings),
            "positions": len(self.positions),
            "phases": Counter(position.phase.value for position in self.positions),
            "outcomes": Counter(position.outcome.name.lower() for position in self.positions),
            "at_stake": sum(position.is_at_stake for position in self.positions),
            "hard": sum(position.is_hard for position in self.positions),
            "tactical": sum(position.is_tactical for position in self.positions),
            "sha256": _hash(lines),
        }
        return "".join(f"{line}\n" for line in [json.dumps(header), *lines])


def read_position_set(path: Path) -> PositionSet:
    """Read a file made by `PositionSet.to_text`.

    Raises:
        OSError: the file cannot be read.
        ValueError: it holds something else, a set of another version, or one that was altered.
    """
    return set_of_lines(path, read_lines(path))


def read_lines(path: Path) -> list[str]:
    """The lines of a file with positions."""
    try:
        return read_content(path, ADVICE, "the positions ").decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} holds no positions: {ADVICE}") from error


def set_of_lines(path: Path, text: Sequence[str]) -> PositionSet:
    """The set that a file's lines hold; see `read_position_set`."""
    header, *lines = text or [""]
    about = read_header(header, FORMAT, path, ADVICE)
    if about.get("sha256") != _hash(lines):
        raise ValueError(f"the positions {path} were changed after they were made: {ADVICE}")
    with refused(f"the positions {path} are damaged", ADVICE):
        settings = record_of(PositionSettings, about["settings"])
        return PositionSet(tuple(map(_read_position, lines)), settings)


def _read_position(line: str) -> SolvedPosition:
    """The position of a line; refused if its scores cannot be those of its columns."""
    fields = json.loads(line)
    position = SolvedPosition(fields["moves"], tuple(fields["scores"]))
    legal = GAME.get_available_actions(read_position(GAME, position.moves).state)
    fitting = [
        type(score) is int and abs(score) <= HIGHEST if column in legal else score is None
        for column, score in enumerate(position.scores)
    ]
    if fitting != [True] * GAME.columns:
        raise ValueError(f"the scores after {position.moves!r} are {quoted(position.scores)}")
    return position


def _hash(lines: list[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()
