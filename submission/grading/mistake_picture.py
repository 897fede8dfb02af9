"""A mistake as a picture: the board, the move played, the better one, and each column's score."""

from agents.trace.pictures.nodes import CUT, INK
from envs.render import CELL, RADIUS, board_svg
from envs.svg import element, text
from submission.grading.mistakes import Mistake
from submission.grading.solved_position import GAME, SolvedPosition

PLAYED = CUT
BETTER = "#15803d"
SCORES_HEIGHT = 30
SCORE_SIZE = 16


def mistake_svg(mistake: Mistake) -> str:
    """The position with a cross where the player has played and a ring where it should have."""
    position, played, better = mistake.position, mistake.played, mistake.better
    colours = {played: PLAYED, better: BETTER}
    width, height = GAME.columns * CELL, GAME.rows * CELL + SCORES_HEIGHT
    return element(
        "svg",
        board_svg(GAME, position.state),
        _cross(*_landing(position, played)),
        _ring(*_landing(position, better)),
        *(_score(at, score, colours.get(at, INK)) for at, score in position.legal.items()),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
    )


def _landing(position: SolvedPosition, column: int) -> tuple[int, int]:
    """The middle of the cell that a stone in this column falls into."""
    row = GAME.to_board(position.state)[column :: GAME.columns].count(0) - 1
    return column * CELL + CELL // 2, row * CELL + CELL // 2


def _ring(x: int, y: int) -> str:
    return element("circle", cx=x, cy=y, r=RADIUS - 3, fill="none", stroke=BETTER, stroke_width=6)


def _cross(x: int, y: int) -> str:
    arm = RADIUS // 2
    lines = f"M{x - arm} {y - arm}l{2 * arm} {2 * arm}m0 {-2 * arm}l{-2 * arm} {2 * arm}"
    return element("path", d=lines, stroke=PLAYED, stroke_width=6, stroke_linecap="round")


def _score(column: int, score: int, colour: str) -> str:
    at = (column * CELL + CELL / 2, GAME.rows * CELL + 0.7 * SCORES_HEIGHT)
    return text(f"{score:+d}" if score else "0", at, SCORE_SIZE, fill=colour, text_anchor="middle")
