"""The registered games, and their rules applied cell by cell to flat boards."""

from collections.abc import Sequence

import pytest

from envs import BoardGame
from envs.games import COLUMN, GAMES, game_entry

EVERY_GAME: list[BoardGame] = [entry.make() for entry in GAMES.values()]
"""Each registered game, in its default size."""

every_game = pytest.mark.parametrize("game", EVERY_GAME, ids=list(GAMES))


def free_cells(game: BoardGame, board: Sequence[int]) -> dict[int, int]:
    """The cell of the stone of each legal action; none after the end of the game."""
    if game_entry(game).place == COLUMN:
        columns = {c: range(c, len(board), game.columns) for c in range(game.columns)}
    else:
        columns = {cell: range(cell, cell + 1) for cell in range(len(board))}
    free = {action: [c for c in cells if not board[c]] for action, cells in columns.items()}
    return {action: cells[-1] for action, cells in free.items() if cells}


def has_line(board: Sequence[int], game: BoardGame, player: int) -> bool:
    """Whether a player has a line, by a search cell by cell."""
    stones = {divmod(index, game.columns) for index, cell in enumerate(board) if cell == player}
    return any(
        all((row + down * i, column + right * i) in stones for i in range(game.inarow))
        for row, column in stones
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    )
