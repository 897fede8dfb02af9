"""Pictures of a board: text for a terminal, SVG for a page, pixels for a video."""

from collections.abc import Collection
from functools import cache

import numpy as np
from numpy.typing import NDArray

from envs.board import BoardGame, BoardState

SYMBOLS = (".", "X", "O")
REVERSE_VIDEO, PLAIN_VIDEO = "\x1b[7m", "\x1b[0m"
CELL = 48
RADIUS = 19
RING_WIDTH = 5
COLOURS = ("#f8fafc", "#e4572e", "#f2c14e")
BOARD_COLOUR = "#1d4e89"
LINE_COLOUR = "#0b1f38"
RING = f' stroke="{LINE_COLOUR}" stroke-width="{RING_WIDTH}"'


def board_text(env: BoardGame, state: BoardState, marked: Collection[tuple[int, int]] = ()) -> str:
    """Draw the board as text: `X` is player 1, `O` player 2; columns are numbered from 1.

    The `marked` cells (row from the top, column) are in reverse video.
    """
    width = len(str(env.columns))
    cells = []
    for index, content in enumerate(env.to_board(state)):
        symbol = SYMBOLS[content]
        if divmod(index, env.columns) in marked:
            symbol = f"{REVERSE_VIDEO}{symbol}{PLAIN_VIDEO}"
        cells.append(" " * (width - 1) + symbol)
    rows = [cells[start : start + env.columns] for start in range(0, len(cells), env.columns)]
    numbers = [str(column + 1).rjust(width) for column in range(env.columns)]
    return "\n".join(" ".join(line) for line in [*rows, numbers])


def board_ansi(env: BoardGame, state: BoardState) -> str:
    """Draw the board as `board_text` does, with the stones of a winning line in reverse video."""
    return board_text(env, state, marked=env.winning_cells(state))


def board_svg(env: BoardGame, state: BoardState) -> str:
    """Draw the board as a stand-alone SVG document; the stones of a winning line are ringed."""
    width, height = env.columns * CELL, env.rows * CELL
    ringed = set(env.winning_cells(state))
    shapes = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{board_caption(env, state)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{BOARD_COLOUR}"/>',
    ]
    for index, cell in enumerate(env.to_board(state)):
        row, column = divmod(index, env.columns)
        ring = RING if (row, column) in ringed else ""
        shapes.append(
            f'<circle cx="{column * CELL + CELL // 2}" cy="{row * CELL + CELL // 2}" '
            f'r="{RADIUS}" fill="{COLOURS[cell]}"{ring}/>'
        )
    shapes.append("</svg>")
    return "\n".join(shapes) + "\n"


def board_rgb(env: BoardGame, state: BoardState) -> NDArray[np.uint8]:
    """Draw the board as `board_svg` does, in pixels of shape (rows * 48, columns * 48, 3)."""
    contents = np.array(env.to_board(state)).reshape(env.rows, env.columns)
    ringed = np.zeros_like(contents)
    for cell in env.winning_cells(state):
        ringed[cell] = 1
    tiles = _tiles()[ringed, contents]
    image: NDArray[np.uint8] = tiles.swapaxes(1, 2).reshape(env.rows * CELL, env.columns * CELL, 3)
    return image


@cache
def _tiles() -> NDArray[np.uint8]:
    """Draw the six kinds of cells: plain or ringed, by content; shape (2, 3, 48, 48, 3)."""
    across = np.arange(CELL) - (CELL - 1) / 2
    from_middle = np.hypot(*np.meshgrid(across, across))
    disc = _coverage(RADIUS - from_middle)
    ring = _coverage(RING_WIDTH / 2 - abs(from_middle - RADIUS))
    plain = [_painted(_channels(BOARD_COLOUR), disc, colour) for colour in COLOURS]
    ringed = [_painted(tile, ring, LINE_COLOUR) for tile in plain]
    return np.array([plain, ringed]).round().astype(np.uint8)


def _coverage(inside: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of each pixel inside a shape, from its centre's distance to the edge."""
    return (inside + 0.5).clip(0, 1)[:, :, np.newaxis]


def _painted(
    ground: NDArray[np.float64], coverage: NDArray[np.float64], colour: str
) -> NDArray[np.float64]:
    return ground + coverage * (_channels(colour) - ground)


def _channels(colour: str) -> NDArray[np.float64]:
    """Red, green and blue, 0 to 255, of `#rrggbb`."""
    return np.array([*bytes.fromhex(colour.removeprefix("#"))], float)


def board_caption(env: BoardGame, state: BoardState) -> str:
    """Return a caption: whose turn it is or how the game has ended."""
    winner = env.winner(state)
    if winner is not None:
        return f"Player {winner} has won"
    if not env.get_available_actions(state):
        return "A draw"
    return f"Player {state.player} to move"
