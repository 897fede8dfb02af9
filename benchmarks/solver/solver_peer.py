"""Peers of our solver: BitBully, the Connect Four solver on PyPI (C++), and any command.

BitBully also serves to check scores. It is imported only when used, so that it may be missing.
"""

import shlex
import subprocess
from importlib.resources import files
from time import process_time
from typing import Any, Protocol

from benchmarks.solver.positions import SolverWorkload


class SolverPeer(Protocol):
    """A solver to time beside ours."""

    name: str

    def solve_all(self, workload: SolverWorkload) -> float:
        """Solve the positions in turn; return the processor seconds, without clearing tables."""


FULL_COLUMN = -1000
"""BitBully's score of a full column."""
MISSING = "bitbully is missing: install it with `pip install bitbully`"


class BitBully:
    """BitBully's exact search.

    Args:
        book: whether it looks up positions of up to 12 plies; searching early ones takes seconds.

    Raises:
        ModuleNotFoundError: BitBully is not installed.
    """

    name = "BitBully"

    def __init__(self, book: bool = False) -> None:
        self._solver = _core().BitBullyCore(_book_path()) if book else _core().BitBullyCore()

    def score(self, moves: str) -> int:
        """The score of a position from the view of the player to move, on Pons' scale."""
        return int(self._solver.mtdf(_board(moves), 0))

    def scores_of_moves(self, moves: str) -> dict[int, int]:
        """The score of each column, from 0, that is not full, for the player to move."""
        scores = dict(enumerate(self._solver.scoreMoves(_board(moves))))
        return {column: int(score) for column, score in scores.items() if score > FULL_COLUMN}

    def solve_all(self, workload: SolverWorkload) -> float:
        """Solve the positions in turn; return the processor seconds, without clearing tables."""
        boards = [_board(position.moves) for position in workload.positions]
        seconds = 0.0
        for with_one_table in [[board] for board in boards] if workload.cleared else [boards]:
            self._solver.resetTranspositionTable()
            start = process_time()
            for board in with_one_table:
                self._solver.mtdf(board, 0)
            seconds += process_time() - start
        return seconds


class CommandPeer:
    """A command that runs another solver, built by the user.

    It reads a position per line, as the columns played, from 1, and answers each with a line: the
    columns, the score on P. Pons' scale and the processor time in microseconds, without clearing
    its table. Whether it clears the table before each position is up to the command.

    Args:
        name_and_command: for example `pons=./pons --table 64`.

    Raises:
        ValueError: the text names no command.
    """

    def __init__(self, name_and_command: str) -> None:
        self.name, _, command = name_and_command.partition("=")
        self._arguments = shlex.split(command)
        if not (self.name and self._arguments):
            raise ValueError(f"a peer is given as NAME=COMMAND, not as {name_and_command!r}")

    def solve_all(self, workload: SolverWorkload) -> float:
        """Solve the positions in turn; return the seconds that the command reports.

        Raises:
            OSError: the command cannot be run.
            ValueError: it fails, answers in another form, or finds a wrong score.
        """
        moves = "".join(f"{position.moves}\n" for position in workload.positions)
        answer = subprocess.run(
            self._arguments, input=moves, capture_output=True, text=True, check=False
        )
        lines = answer.stdout.splitlines()
        if answer.returncode or len(lines) != len(workload.positions):
            raise ValueError(
                f"{self.name} ends with status {answer.returncode} and {len(lines)} lines, not 0 "
                f"and {len(workload.positions)}"
            )
        seconds = 0.0
        for position, line in zip(workload.positions, lines, strict=True):
            try:
                score, microseconds = line.removeprefix(position.moves).split()
                seconds += float(microseconds) / 1e6
            except ValueError:
                raise ValueError(
                    f"{self.name} answers {line!r}, not MOVES SCORE MICROSECONDS"
                ) from None
            if score != str(position.score):
                raise ValueError(
                    f"{self.name} finds {score} for {position.moves}, which scores {position.score}"
                )
        return seconds


def installed_bitbully() -> BitBully | None:
    """BitBully without its book, or None if it is not installed."""
    try:
        return BitBully()
    except ModuleNotFoundError:
        return None


def _core() -> Any:
    try:
        from bitbully import bitbully_core
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(MISSING) from error
    return bitbully_core


def _board(moves: str) -> Any:
    board = _core().BoardCore()
    if not all(board.play(int(column) - 1) for column in moves):
        raise ValueError(f"the moves {moves} cannot be played")
    return board


def _book_path() -> str:
    """The database of exact scores up to 12 plies that is installed with BitBully."""
    return str(files("bitbully_databases") / "assets" / "book_12ply_distances.dat")
