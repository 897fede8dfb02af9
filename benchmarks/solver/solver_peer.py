"""BitBully, the Connect Four solver on PyPI (C++), as a peer of ours and as a judge of scores.

It is imported when it is used, so that a run without it can go on.
"""

from importlib.resources import files
from time import process_time
from typing import Any

from benchmarks.solver.solver_workload import SolverWorkload

FULL_COLUMN = -1000
"""BitBully's score of a column that takes no stone."""
MISSING = "bitbully is missing: install it with `pip install bitbully`"


class BitBully:
    """BitBully's exact search.

    Args:
        book: let it look up positions of up to 12 plies; its search takes seconds for early ones.

    Raises:
        ModuleNotFoundError: it is not installed.
    """

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
        """Solve the positions in turn; the processor seconds of it, clearing tables left out."""
        boards = [_board(position.moves) for position in workload.positions]
        self._solver.resetTranspositionTable()
        seconds = 0.0
        for board in boards:
            if workload.cleared:
                self._solver.resetTranspositionTable()
            start = process_time()
            self._solver.mtdf(board, 0)
            seconds += process_time() - start
        return seconds


def installed_bitbully() -> BitBully | None:
    """BitBully without its book, or None where it is not installed."""
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
    """The database of exact scores up to 12 plies, which is installed with BitBully."""
    return str(files("bitbully_databases") / "assets" / "book_12ply_distances.dat")
