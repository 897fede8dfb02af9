"""The games in the table, and their rules played cell by cell on flat boards."""

from collections.abc import Sequence

import pytest

from envs import BoardGame
from envs.games import COLUMN, GAMES, game_entry

EVERY_GAME: list[BoardGame] = [entry.make() for entry in GAMES.values()]
"""Each game in the table, of its own size."""

every_game = pytest.mark.parametrize("game", EVERY_GAME, ids=list(GAMES))


def free_cells(game: BoardGame, board: Sequence[int]) -> dict[int, int]:
    """For each legal action the cell that its stone takes, while the game goes on."""
    if game_entry(game).place == COLUMN:
        columns = {c: range(c, len(board), game.columns) for c in range(game.columns)}
    else:
        columns = {cell: range(cell, cell + 1) for cell in range(len(board))}
    free = {action: [c for c in cells if not board[c]] for action, cells in columns.items()}
    return {action: cells[-1] for action, cells in free.items() if cells}


def has_line(board: Sequence[int], game: BoardGame, player: int) -> bool:
    """Whether a player has a line, looked for cell by cell."""
    stones = {divmod(index, game.columns) for index, cell in enumerate(board) if cell == player}
    return any(
        all((row + down * i, column + right * i) in stones for i in range(game.inarow))
        for row, column in stones
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    )
