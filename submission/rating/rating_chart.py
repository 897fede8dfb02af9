"""Draws ratings: a point with its interval for each player, on a scale of Elo."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor, isfinite

from agents.reporting.stats import Estimate
from agents.trace.pictures.nodes import FAINT_INK, GRID, INK, PRINCIPAL
from agents.trace.trace import shortened
from envs.svg import document, element, polygon, text, text_width, title
from submission.reports import elo_in_words

WIDTH = 560.0  # pixels of the scale
ROW = 26.0
MARGIN, ARROW = 18.0, 14.0
SIZE = 12.0
LONGEST_NAME = 42
STEPS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
"""Elo points from one line of the scale to the next."""
MOST_LINES = 8


def rating_chart(ratings: Mapping[str, Estimate], anchor: str) -> str:
    """Ratings with their 95 % intervals, the strongest on top; an arrow marks an open end."""
    names = [shortened(player, LONGEST_NAME) for player in ratings]
    scale = Scale([*ratings.values()], left=MARGIN + max(text_width(name, SIZE) for name in names))
    bottom = MARGIN + ROW * len(names)
    rows = [
        _row(player, elo, MARGIN + ROW * (rank + 0.5), scale)
        for rank, (player, elo) in enumerate(ratings.items())
    ]
    return document(
        (scale.right + MARGIN, bottom + 3 * SIZE),
        "Elo ratings with 95 % intervals",
        f"Points above {anchor}. An arrow: the games set no limit on this side.",
        [*_grid(scale, bottom), *rows],
    )


class Scale:
    """The scale of the ratings: right of the names, with room for all finite limits."""

    def __init__(self, ratings: Sequence[Estimate], left: float) -> None:
        limits = [number for elo in ratings for number in (elo.low, elo.value, elo.high)]
        numbers = [*filter(isfinite, limits)]
        spread = max(numbers) - min(numbers)
        self._step = next((step for step in STEPS if spread <= MOST_LINES * step), STEPS[-1])
        self._first = floor(min(numbers) / self._step)
        self._last = max(ceil(max(numbers) / self._step), self._first + 1)
        self.left = left + ARROW + SIZE
        self.right = self.left + WIDTH + ARROW

    @property
    def lines(self) -> range:
        """The ratings marked by a line."""
        return range(self._first * self._step, self._last * self._step + 1, self._step)

    def x(self, elo: float) -> float:
        """The horizontal position of a rating, in pixels."""
        share = (elo / self._step - self._first) / (self._last - self._first)
        return self.left + share * WIDTH


def _grid(scale: Scale, bottom: float) -> Iterator[str]:
    for elo in scale.lines:
        x = scale.x(elo)
        colour = FAINT_INK if elo == 0 else GRID
        yield element("path", d=f"M{x:.1f} {MARGIN}V{bottom:.1f}", stroke=colour)
        label = f"{elo:+d}" if elo else "0"
        yield text(label, (x, bottom + 1.5 * SIZE), SIZE, fill=FAINT_INK, text_anchor="middle")


def _row(player: str, elo: Estimate, y: float, scale: Scale) -> str:
    start = scale.x(elo.low) if isfinite(elo.low) else scale.left - ARROW
    end = scale.x(elo.high) if isfinite(elo.high) else scale.right
    heads = [
        _arrow_head(tip, y, direction)
        for limit, tip, direction in ((elo.low, start, 1), (elo.high, end, -1))
        if not isfinite(limit)
    ]
    line = f"M{start:.1f} {y:.1f}H{end:.1f}"
    return element(
        "g",
        title(f"{player}: {elo_in_words(elo)}"),
        text(shortened(player, LONGEST_NAME), (MARGIN, y + SIZE / 3), SIZE, fill=INK),
        element("path", d=line, stroke=PRINCIPAL, stroke_width=2),
        *heads,
        element("circle", cx=scale.x(elo.value), cy=y, r=4, fill=PRINCIPAL),
    )


def _arrow_head(tip: float, y: float, direction: int) -> str:
    """A triangle that points away from `direction`: 1 is to the right."""
    back = tip + direction * 8
    return polygon([(tip, y), (back, y - 4), (back, y + 4)], fill=PRINCIPAL)
