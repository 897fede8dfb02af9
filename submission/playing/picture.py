"""The board for the terminal; all of it can be read without colours, too."""

from rich.text import Text

from envs.board import BoardGame, BoardState
from envs.connectx import ConnectX
from envs.render import SYMBOLS
from submission.solving.picture import STONE_STYLES


def board_picture(env: BoardGame, state: BoardState) -> Text:
    """The board with the numbers by which moves are named; a winning line is in brackets."""
    board, winning = env.to_board(state), set(env.winning_cells(state))
    labels = _labels(env, board)
    width = max(map(len, [*labels, str(env.columns)]))
    picture = Text()
    for row in range(env.rows):
        for column in range(env.columns):
            index = row * env.columns + column
            opening, closing = "[]" if (row, column) in winning else "  "
            label = f"{opening}{labels[index].rjust(width)}{closing}"
            picture.append(label, STONE_STYLES[board[index]])
        picture.append("\n")
    if isinstance(env, ConnectX):
        numbers = (f" {column:{width}} " for column in range(1, env.columns + 1))
        picture.append("".join(numbers))
    picture.rstrip()
    return picture


def _labels(env: BoardGame, board: list[int]) -> list[str]:
    """What stands in each cell: a stone, or the cell's number where moves are cells."""
    if isinstance(env, ConnectX):
        return [SYMBOLS[cell] for cell in board]
    return [SYMBOLS[cell] if cell else str(number) for number, cell in enumerate(board, start=1)]
