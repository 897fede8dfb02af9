"""Reports of a grade: tables for the terminal, and a page with charts and the worst mistakes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.console import Group as Renderables
from rich.console import RenderableType
from rich.text import Text

from agents.trace.pictures.nodes import CUT, EDGE, GRID, INK, PRINCIPAL
from envs.render import CELL, RADIUS, board_svg
from envs.svg import document, element, polyline, text
from submission.grading.grade_stats import (
    Group,
    Measured,
    Mistake,
    answer_stats,
    by_kind,
    by_ply,
    mistake_in_words,
    worst_mistakes,
)
from submission.grading.grading import Grade
from submission.grading.solved_positions import GAME, SolvedPosition
from submission.match.match import Completion
from submission.reports import NOTHING, PlayerTable, render_page

WORST, WORST_ON_PAGE = 5, 24
"""The most mistakes that are told in the terminal, and shown on the page."""


def render_grade(grade: Grade) -> RenderableType:
    """The statistics by kind of position, the rules, and the worst mistakes."""
    mistakes = worst_mistakes(grade.answers, WORST)
    told = [f"  {where(mistake.position)}: {mistake_in_words(mistake)}" for mistake in mistakes]
    return Renderables(
        _kinds_table(_title(grade), by_kind(grade.answers)),
        Text(RULES, "dim"),
        *map(Text, ["The worst mistakes, columns counted from 1:", *told] if told else []),
    )


def render_plies(grade: Grade) -> RenderableType:
    """The statistics by the plies played."""
    return _plies_table(by_ply(grade.answers))


def grade_pictures(grade: Grade) -> list[str]:
    """A chart of the statistics by ply, and the worst mistakes on their boards, as SVG."""
    plies = by_ply(grade.answers)
    chart = [ply_chart(plies)] if plies else []
    return [*chart, *map(mistake_svg, worst_mistakes(grade.answers, WORST))]


def grade_page(grade: Grade) -> str:
    """The statistics, a chart of them by ply, and the worst mistakes on their boards."""
    plies = by_ply(grade.answers)
    return render_page(
        "grade.html",
        title=_title(grade),
        notes=grade_notes(grade),
        headings=HEADINGS,
        cells=_page_cells,
        kinds=by_kind(grade.answers),
        plies=plies,
        chart=ply_chart(plies) if plies else "",
        mistakes=worst_mistakes(grade.answers, WORST_ON_PAGE),
        picture=mistake_svg,
        where=where,
        in_words=mistake_in_words,
        rules=RULES,
    )


def _kinds_table(title: str, groups: Sequence[Group]) -> PlayerTable:
    headings = ("positions\n/ at stake", "kept, %\n/ random", "best, %\n/ random")
    return PlayerTable(
        title,
        "",
        (*headings, "half points\nlost / random", "failed"),
        {
            group.name: (
                f"{group.stats.positions}\n/ {group.stats.at_stake}",
                _percent(group.stats.kept).in_two_lines,
                _percent(group.stats.best).in_two_lines,
                _half_points(group.stats.half_points_lost).in_two_lines,
                str(group.stats.failures),
            )
            for group in groups
        },
    )


def _plies_table(groups: Sequence[Group]) -> PlayerTable:
    return PlayerTable(
        "By plies played",
        "ply",
        ("at\nstake", "kept, %\n/ random", "all", "best, %\n/ random"),
        {
            group.name: (
                str(group.stats.at_stake),
                _percent(group.stats.kept).in_one_line,
                str(group.stats.positions),
                _percent(group.stats.best).in_one_line,
            )
            for group in groups
        },
    )


HEADINGS = (
    *("", "positions", "at stake", "kept, %", "random", "best, %", "random"),
    *("half points lost", "random", "failed"),
)
"""Of the page's tables."""


def _page_cells(group: Group) -> list[str]:
    """The cells of a row, in the order of `HEADINGS`."""
    stats = group.stats
    return [
        group.name,
        str(stats.positions),
        str(stats.at_stake),
        *_percent(stats.kept).in_two_columns,
        *_percent(stats.best).in_two_columns,
        *_half_points(stats.half_points_lost).in_two_columns,
        str(stats.failures),
    ]


class Cell(NamedTuple):
    """A player's mean with its interval, and that of random play."""

    value: str
    interval: str
    random: str

    @property
    def in_one_line(self) -> str:
        """As in "50.0 [40.0, 60.0] / 30.0"."""
        return f"{self.value} {self.interval} / {self.random}"

    @property
    def in_two_lines(self) -> str:
        """With the interval below."""
        return f"{self.value} / {self.random}\n{self.interval}"

    @property
    def in_two_columns(self) -> tuple[str, str]:
        """The player's, and random play's."""
        return f"{self.value} {self.interval}", self.random


def _percent(measured: Measured | None) -> Cell:
    return _cell(measured, unit=100, digits=1)


def _half_points(measured: Measured | None) -> Cell:
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


def _title(grade: Grade) -> str:
    return (
        f"{grade.player.name} in {len(grade.answers)} solved positions, "
        f"{grade.settings.act_timeout:g} s a move"
    )


RULES = (
    "Kept: the share of the moves that keep the win or the draw under best play, among the "
    "positions in which some move gives it away; a lost position has nothing to keep. Best: the "
    "share of the moves that no move scores more than, among all positions: the quickest win, the "
    "slowest loss. Half points lost: 2 where a win becomes a loss, 1 where it becomes a draw or a "
    "draw a loss. Hard: only one move keeps the result, and two plies of look-ahead do not show "
    "it. Tactical: they do, a win at once or the answer to a threat. Random: what a legal move, "
    "all equally often, gets on average. In brackets the 95 % interval (Wilson's). A failure "
    "counts as a loss."
)

EARLY_ENDINGS = {
    Completion.INTERRUPTED: "Interrupted: {answered} of {asked} positions were answered.",
    Completion.WORKER_DIED: (
        "A worker process died after {answered} of {asked} positions, perhaps for want of memory: "
        "run the command again with fewer --workers."
    ),
}


def grade_notes(grade: Grade) -> Iterator[str]:
    """An early end, the time taken, each kind of failure, and what Kaggle's competitors count."""
    if grade.completion in EARLY_ENDINGS:
        early_end = EARLY_ENDINGS[grade.completion]
        yield early_end.format(answered=len(grade.answers), asked=grade.asked)
    seconds = [answer.seconds for answer in grade.answers if answer.failure is None]
    if seconds:
        mean = sum(seconds) / len(seconds)
        yield f"Seconds for a move: {mean:.3f} on average, {max(seconds):.3f} at most."
    yield from _failures(grade)
    stats = answer_stats(grade.answers)
    if stats.good is not None and stats.best is not None:
        good, perfect = 100 * stats.good.player.value, 100 * stats.best.player.value
        yield (
            f"As Kaggle's competitors count, in all positions: good moves {good:.1f} %, perfect "
            f"moves {perfect:.1f} %."
        )


def _failures(grade: Grade) -> Iterator[str]:
    """A sentence for each status, with the first cause."""
    failures = [
        (answer.position, answer.failure) for answer in grade.answers if answer.failure is not None
    ]
    for status, count in Counter(failure.status for _, failure in failures).items():
        position, failure = next(pair for pair in failures if pair[1].status == status)
        yield f"{count} {status}, the first {where(position)}: {failure.cause}."


def where(position: SolvedPosition) -> str:
    """A position in words, as in "after 4453"."""
    return f"after {position.moves}" if position.moves else "on the empty board"


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
        groups: the statistics by ply; the name is the ply.
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
        (_x(int(group.name)), _y(group.stats.kept.random))
        for group in groups
        if group.stats.kept is not None
    ]
    return polyline(points, stroke=RANDOM, stroke_width=1.5)


def _points(groups: Sequence[Group]) -> Iterator[str]:
    for group in groups:
        if group.stats.kept is not None:
            x, share = _x(int(group.name)), group.stats.kept.player
            yield element("path", d=f"M{x} {_y(share.low)}V{_y(share.high)}", stroke=PLAYER)
            yield element("circle", cx=x, cy=_y(share.value), r=3.5, fill=PLAYER)


def _x(ply: int) -> float:
    return LEFT + STEP * ply


def _y(share: float) -> float:
    return TOP + HEIGHT * (1 - share)
