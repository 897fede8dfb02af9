"""The share of moves that keep the result, by ply, as a picture."""

from collections.abc import Iterator, Sequence

from agents.trace.pictures.nodes import EDGE, GRID, INK, PRINCIPAL
from envs.svg import document, element, polyline, text
from submission.grading.groups import Group

STEP = 20.0
"""Pixels from one ply to the next."""
HEIGHT = 220.0
LEFT, TOP, BOTTOM, RIGHT = 52.0, 28.0, 40.0, 12.0
PLAYER, RANDOM = PRINCIPAL, EDGE
SIZE = 11.0
LEGEND = 180
"""Width of the words above the chart."""


def ply_chart(groups: Sequence[Group]) -> str:
    """Points with their 95 % intervals, and random play as a line.

    Args:
        groups: the figures by ply; the name is the ply.
    """
    last = max(int(group.name) for group in groups)
    width = LEFT + max(STEP * last, LEGEND) + RIGHT
    return document(
        (width, TOP + HEIGHT + BOTTOM),
        "Moves that keep the result, by ply",
        "Points with 95 % intervals: the player. Line: random play.",
        [*_axes(last), _random_line(groups), *_points(groups)],
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


def _random_line(groups: Sequence[Group]) -> str:
    points = [
        (_x(int(group.name)), _y(group.figures.kept.random))
        for group in groups
        if group.figures.kept is not None
    ]
    return polyline(points, stroke=RANDOM, stroke_width=1.5)


def _points(groups: Sequence[Group]) -> Iterator[str]:
    for group in groups:
        if group.figures.kept is not None:
            x, share = _x(int(group.name)), group.figures.kept.player
            yield element("path", d=f"M{x} {_y(share.low)}V{_y(share.high)}", stroke=PLAYER)
            yield element("circle", cx=x, cy=_y(share.value), r=3.5, fill=PLAYER)


def _x(ply: int) -> float:
    return LEFT + STEP * ply


def _y(share: float) -> float:
    return TOP + HEIGHT * (1 - share)
