"""The figures of a grade as texts for tables."""

from typing import NamedTuple

from submission.grading.figures import Measured

NOTHING = "-"


class Cell(NamedTuple):
    """A figure with its interval, and that of random play."""

    value: str
    interval: str
    random: str


def percent(measured: Measured | None) -> Cell:
    """A share in percent."""
    return _cell(measured, unit=100, digits=1)


def half_points(measured: Measured | None) -> Cell:
    """A number of half points."""
    return _cell(measured, unit=1, digits=2)


def _cell(measured: Measured | None, unit: int, digits: int) -> Cell:
    if measured is None:
        return Cell(NOTHING, "", NOTHING)
    player = measured.player
    value, low, high, random = (
        f"{unit * number:.{digits}f}"
        for number in (player.value, player.low, player.high, measured.random)
    )
    return Cell(value, f"[{low}, {high}]", random)
