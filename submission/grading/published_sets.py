"""Solved positions published by others: those of Kaggle's competitors, and P. Pons' sets.

Kaggle's are known as refmoves1k (P. Cnudde, "Scoring connect-x agents", 2020, at
kaggle.com/petercnudde/scoring-connect-x-agents): a line of JSON for each position, with the flat
board of an observation, the position's score and the columns' scores, -99 for a full column.

    {"board": [0, 0, ..., 1, 2], "score": -2, "move score": [-3, -4, -4, -2, -6, -5, -99]}

P. Pons' (the test sets of "Solving Connect 4: how to build a perfect AI") have the moves and the
position's score, as `connectx solve -` writes them; our solver adds the scores of the columns.

    274552224131661 0

Both use the scale of `SolvedPosition`, from the view of the player to move.
"""

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agents.agent import OnProgress
from agents.reporting.input_file import quoted, read_json, refused_line
from agents.solver.analysis import read_position
from envs.board import moves_text
from submission.grading.position_making import solve_all
from submission.grading.solved_positions import (
    GAME,
    HIGHEST,
    AskedPositions,
    PositionSet,
    SolvedPosition,
    drawn,
    read_lines,
    set_of_lines,
)

FULL = -99  # in place of a full column's score
CHECKED = 8
"""The number of positions with all scores that are solved to check the scale: those with the most
stones, which take the least time."""

Scores = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class PublishedPosition:
    """An unfinished position, as in a line of the file."""

    line: int  # its number, from 1
    moves: str  # a game that leads to the position, as in `SolvedPosition`
    score: int
    scores: Scores | None
    """By column, as in `SolvedPosition`; None if the file has only the position's score."""

    def require_equal(self, solved: SolvedPosition) -> None:
        """Refuse scores that differ from the solver's."""
        if self.score != solved.score:
            raise ValueError(f"the score is {self.score}, but the solver finds {solved.score}")
        if self.scores not in (None, solved.scores):
            raise ValueError(
                f"the move scores are {_in_words(self.scores or ())}, but the solver finds "
                f"{_in_words(solved.scores)}"
            )


def _in_words(scores: Scores) -> str:
    return ", ".join(str(FULL if score is None else score) for score in scores)


@dataclass(frozen=True, slots=True)
class PublishedSet:
    """The positions of a file, in its order."""

    path: Path
    positions: tuple[PublishedPosition, ...]

    def sample(self, count: int, seed: int) -> "PublishedSet":
        """Draw some of the positions; see `drawn`."""
        return replace(self, positions=drawn(self.positions, count, seed))

    def solve(self, executor: Executor, on_progress: OnProgress) -> AskedPositions:
        """Solve the columns if the file has no scores of them, and check its scores by the solver.

        Raises:
            ValueError: a score is wrong; the message names the line.
            ChildProcessError: a worker process died.
        """
        most_stones_first = sorted(self.positions, key=lambda position: -len(position.moves))
        scored = [position for position in most_stones_first if position.scores is not None]
        chosen = [p for p in self.positions if p.scores is None] + scored[:CHECKED]
        found = solve_all([position.moves for position in chosen], executor, on_progress)
        for position, solved in zip(chosen, found, strict=True):
            with refused_line(self.path, position.line):
                position.require_equal(solved)
        by_moves = {solved.moves: solved.scores for solved in found}
        positions = (
            SolvedPosition(position.moves, position.scores or by_moves[position.moves])
            for position in self.positions
        )
        return AskedPositions(tuple(positions))


def read_positions_to_ask(path: Path) -> PositionSet | PublishedSet:
    """Read positions to grade with; the first line determines the kind of file.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file holds something else, or a line is wrong; the message names it.
    """
    lines = read_lines(path)
    first = next((line for line in lines if line.strip()), "")
    if PONS_LINE.fullmatch(first.strip()):
        read_line = _read_pons
    elif "board" in (read_json(first, dict) or {}):
        read_line = _read_kaggle
    else:
        return set_of_lines(path, lines)
    positions = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            with refused_line(path, number):
                positions.append(read_line(number, line.strip()))
    return PublishedSet(path, tuple(positions))


PONS_LINE = re.compile(r"([1-9]+)\s+([-+]?[0-9]{1,3})", re.ASCII)


def _read_pons(number: int, line: str) -> PublishedPosition:
    parts = PONS_LINE.fullmatch(line)
    if parts is None:
        raise ValueError(f"moves and a score are expected, as in `4453 2`, not {quoted(line)}")
    moves, score = parts[1], int(parts[2])
    read_position(GAME, moves)
    return PublishedPosition(number, moves, score, None)


def _read_kaggle(number: int, line: str) -> PublishedPosition:
    fields = read_json(line, dict) or {}
    if missing := {"board", "score", "move score"} - fields.keys():
        raise ValueError(f"an object with {' and '.join(map(repr, sorted(missing)))} is expected")
    board = _whole_numbers(fields, "board", GAME.rows * GAME.columns)
    state, game = GAME.from_board(board), game_to(board)
    if game is None:
        raise ValueError("no sequence of turns leads to this board")
    moves = moves_text(game)
    read_position(GAME, moves)
    legal = GAME.get_available_actions(state)
    listed = _whole_numbers(fields, "move score", GAME.columns)
    for column, score in enumerate(listed):
        fits = abs(score) <= HIGHEST if column in legal else score == FULL
        if not fits:
            raise ValueError(
                f"the move score of column {column + 1} is {score}: from {-HIGHEST} to {HIGHEST} "
                f"is expected, or {FULL} for a full column"
            )
    if fields["score"] != max(listed):
        told = quoted(fields["score"])
        raise ValueError(f"the score is {told}, but the best column's is {max(listed)}")
    scores = tuple(None if score == FULL else score for score in listed)
    return PublishedPosition(number, moves, max(listed), scores)


def _whole_numbers(fields: Mapping[str, Any], name: str, count: int) -> list[int]:
    numbers = fields[name]
    is_list = isinstance(numbers, list) and len(numbers) == count
    if not is_list or any(type(number) is not int for number in numbers):
        raise ValueError(f"{name!r} must be a list of {count} whole numbers")
    return list(numbers)


def game_to(board: Sequence[int]) -> list[int] | None:
    """The columns of a game, counted from 0, that leads to a flat board; None if there is none.

    Stones are taken back one by one, of both players in turn, from the tops of the columns; no
    stone may lie above an empty cell.
    """
    stacks = [
        [stone for stone in board[column :: GAME.columns] if stone]
        for column in range(GAME.columns)
    ]
    taken, tried = [0] * GAME.columns, set[tuple[int, ...]]()
    left = sum(map(len, stacks))

    def take_back(left: int) -> list[int] | None:
        if left == 0:
            return []
        if tuple(taken) in tried:
            return None
        tried.add(tuple(taken))
        player = 2 - left % 2
        for column, stack in enumerate(stacks):
            if stack[taken[column] : taken[column] + 1] == [player]:
                taken[column] += 1
                before = take_back(left - 1)
                taken[column] -= 1
                if before is not None:
                    return [*before, column]
        return None

    return take_back(left)
