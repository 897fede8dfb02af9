"""Pictures of a grade: a mistake on its board, and the results kept by ply."""

from collections.abc import Iterator, Mapping

from agents.solver.score_words import position_in_words
from agents.trace.pictures.nodes import CUT, EDGE, GRID, INK, PRINCIPAL
from envs.render import CELL, RADIUS, board_svg
from envs.svg import document, element, polyline, text
from submission.grading.answers import Answer, AnswerStats, Measured
from submission.grading.solved_positions import GAME, SolvedPosition


def figure_of(answer: Answer) -> tuple[str, str]:
    """A picture of a mistake, empty for a failure, and a sentence about it."""
    position, played = answer.position, answer.column
    where = position_in_words(position.moves)
    caption = f"Player {position.state.player} is to move {where}: {answer.in_words}."
    return "" if played is None else _board_with(position, played), caption


PLAYED = CUT
BETTER = "#15803d"
SCORES_HEIGHT = 30
SCORE_SIZE = 16


def _board_with(position: SolvedPosition, played: int) -> str:
    """The position with a cross where the player played and a ring where it should have played."""
    better = position.best[0]
    colours = {played: PLAYED, better: BETTER}
    x, y = _landing(position, better)
    width, height = GAME.columns * CELL, GAME.rows * CELL + SCORES_HEIGHT
    return element(
        "svg",
        board_svg(GAME, position.state),
        _cross(*_landing(position, played)),
        element("circle", cx=x, cy=y, r=RADIUS - 3, fill="none", stroke=BETTER, stroke_width=6),
        *(_score(at, score, colours.get(at, INK)) for at, score in position.legal.items()),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
    )


def _landing(position: SolvedPosition, column: int) -> tuple[int, int]:
    """The centre of the cell into which a stone in this column falls."""
    row = GAME.to_board(position.state)[column :: GAME.columns].count(0) - 1
    return column * CELL + CELL // 2, row * CELL + CELL // 2


def _cross(x: int, y: int) -> str:
    arm = RADIUS // 2
    lines = f"M{x - arm} {y - arm}l{2 * arm} {2 * arm}m0 {-2 * arm}l{-2 * arm} {2 * arm}"
    return element("path", d=lines, stroke=PLAYED, stroke_width=6, stroke_linecap="round")


def _score(column: int, score: int, colour: str) -> str:
    at = (column * CELL + CELL / 2, GAME.rows * CELL + 0.7 * SCORES_HEIGHT)
    return text(f"{score:+d}" if score else "0", at, SCORE_SIZE, fill=colour, text_anchor="middle")


STEP = 20.0  # pixels from one ply to the next
HEIGHT = 220.0
LEFT, TOP, BOTTOM, RIGHT = 52.0, 28.0, 40.0, 12.0
PLAYER, RANDOM = PRINCIPAL, EDGE
SIZE = 11.0
LEGEND = 180  # width of the legend above the chart


def ply_chart(plies: Mapping[int, AnswerStats]) -> str:
    """Points with their 95 % intervals, and random play as a line."""
    last = max(plies)
    kept = {ply: stats.kept for ply, stats in plies.items() if stats.kept is not None}
    random = [(_x(ply), _y(measured.random)) for ply, measured in kept.items()]
    width = LEFT + max(STEP * last, LEGEND) + RIGHT
    return document(
        (width, TOP + HEIGHT + BOTTOM),
        "Moves that keep the result, by ply",
        "Points with 95 % intervals: the player. Line: random play.",
        [*_axes(last), polyline(random, stroke=RANDOM, stroke_width=1.5), *_points(kept)],
    )


def _axes(last: int) -> Iterator[str]:
    right = LEFT + STEP * last
    for percent in range(0, 101, 25):
        y = _y(percent / 100)
        yield element("path", d=f"M{LEFT} {y}H{right}", stroke=GRID)
        yield text(f"{percent} %", (LEFT - 8, y + 4), SIZE, fill=INK, text_anchor="end")
    for ply in range(0, last + 1, 2):
        yield text(str(ply), (_x(ply), _y(0) + 16), SIZE, fill=INK, text_anchor="middle")
    yield text("plies played", (LEFT, _y(0) + 32), SIZE, fill=INK)
    yield text("result kept", (LEFT, TOP - 14), SIZE, fill=PLAYER)
    yield text("random play", (LEFT + 100, TOP - 14), SIZE, fill=RANDOM)


def _points(kept: Mapping[int, Measured]) -> Iterator[str]:
    for ply, measured in kept.items():
        x, share = _x(ply), measured.player
        yield element("path", d=f"M{x} {_y(share.low)}V{_y(share.high)}", stroke=PLAYER)
        yield element("circle", cx=x, cy=_y(share.value), r=3.5, fill=PLAYER)


def _x(ply: int) -> float:
    return LEFT + STEP * ply


def _y(share: float) -> float:
    return TOP + HEIGHT * (1 - share)
