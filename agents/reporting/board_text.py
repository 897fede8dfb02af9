"""A board as text for a terminal, with the numbers by which its moves are named."""

from math import ceil

from rich.text import Text

from envs.board import BoardGame, BoardState
from envs.connectx import ConnectX
from envs.render import SYMBOLS

STONE_STYLES = ("dim", "bold red", "bold yellow")


def board_picture(env: BoardGame, state: BoardState, room: int | None = None) -> Text:
    """The board with the numbers by which moves are named; a winning line is in brackets.

    A board that is wider than `room`, the characters of a line, is shown in parts, one below the
    other, each with some of the columns. With None there is no limit.
    """
    board, winning = env.to_board(state), set(env.winning_cells(state))
    labels = _cell_labels(env, board)
    width = max(map(len, [*labels, str(env.columns)]))
    most = env.columns if room is None else max(1, room // (width + 2))
    most = ceil(env.columns / ceil(env.columns / most))  # parts of about the same width
    parts = []
    for first in range(0, env.columns, most):
        columns = range(first, min(first + most, env.columns))
        part = Text()
        for row in range(env.rows):
            for column in columns:
                index = row * env.columns + column
                opening, closing = "[]" if (row, column) in winning else "  "
                label = f"{opening}{labels[index].rjust(width)}{closing}"
                part.append(label, STONE_STYLES[board[index]])
            part.append("\n")
        if isinstance(env, ConnectX):
            part.append("".join(f" {column + 1:{width}} " for column in columns))
        part.rstrip()
        parts.append(part)
    return Text("\n\n").join(parts)


def _cell_labels(env: BoardGame, board: list[int]) -> list[str]:
    """Label each cell: a stone, or the cell's number where moves are cells."""
    if isinstance(env, ConnectX):
        return [SYMBOLS[cell] for cell in board]
    return [SYMBOLS[cell] if cell else str(number) for number, cell in enumerate(board, start=1)]
