"""Pictures of a board: text for a terminal, SVG for a page."""

from envs.board import BoardGame, BoardState

SYMBOLS = (".", "X", "O")
CELL = 48
RADIUS = 19
COLOURS = ("#f8fafc", "#e4572e", "#f2c14e")
BOARD_COLOUR = "#1d4e89"
LINE_COLOUR = "#0b1f38"


def board_text(env: BoardGame, state: BoardState) -> str:
    """The board as lines of text: `X` is player 1, `O` player 2; columns are numbered from 1."""
    width = len(str(env.columns))
    board = env.to_board(state)
    rows = [board[start : start + env.columns] for start in range(0, len(board), env.columns)]
    lines = [" ".join(SYMBOLS[cell].rjust(width) for cell in row) for row in rows]
    lines.append(" ".join(str(column + 1).rjust(width) for column in range(env.columns)))
    return "\n".join(lines)


def board_svg(env: BoardGame, state: BoardState) -> str:
    """The board as a stand-alone SVG document; the stones of a winning line are ringed."""
    width, height = env.columns * CELL, env.rows * CELL
    ringed = set(env.winning_cells(state))
    shapes = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{_caption(env, state)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{BOARD_COLOUR}"/>',
    ]
    for index, cell in enumerate(env.to_board(state)):
        row, column = divmod(index, env.columns)
        ring = f' stroke="{LINE_COLOUR}" stroke-width="5"' if (row, column) in ringed else ""
        shapes.append(
            f'<circle cx="{column * CELL + CELL // 2}" cy="{row * CELL + CELL // 2}" '
            f'r="{RADIUS}" fill="{COLOURS[cell]}"{ring}/>'
        )
    shapes.append("</svg>")
    return "\n".join(shapes) + "\n"


def _caption(env: BoardGame, state: BoardState) -> str:
    winner = env.winner(state)
    if winner is not None:
        return f"Player {winner} has won"
    if not env.get_available_actions(state):
        return "A draw"
    return f"Player {state.player} to move"
