"""Reports of a grade: tables for the terminal, and a page of HTML with the worst mistakes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.console import Group as Renderables
from rich.console import RenderableType
from rich.text import Text

from submission.grading.grade_pictures import mistake_svg, ply_chart
from submission.grading.grade_stats import (
    Group,
    Measured,
    answer_stats,
    by_kind,
    by_ply,
    mistake_in_words,
    worst_mistakes,
)
from submission.grading.grading import Grade
from submission.grading.solved_positions import SolvedPosition
from submission.match.match import Completion
from submission.match.player_table import PlayerTable
from submission.pages import render_page
from submission.terminal import NOTHING

WORST, WORST_ON_PAGE = 5, 24
"""The most mistakes that are told in the terminal, and shown on the page."""


def render_grade(grade: Grade) -> RenderableType:
    """The statistics by kind of position and by ply, the worst mistakes, and the rules."""
    mistakes = worst_mistakes(grade.answers, WORST)
    told = [f"  {_where(mistake.position)}: {mistake_in_words(mistake)}" for mistake in mistakes]
    return Renderables(
        _kinds_table(_title(grade), by_kind(grade.answers)),
        _plies_table(by_ply(grade.answers)),
        *map(Text, _notes(grade)),
        *map(Text, ["The worst mistakes, columns counted from 1:", *told] if told else []),
        Text(RULES, "dim"),
    )


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
        notes=_notes(grade),
        headings=HEADINGS,
        cells=_page_cells,
        kinds=by_kind(grade.answers),
        plies=plies,
        chart=ply_chart(plies) if plies else "",
        mistakes=worst_mistakes(grade.answers, WORST_ON_PAGE),
        picture=mistake_svg,
        where=_where,
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


def _notes(grade: Grade) -> Iterator[str]:
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
        yield f"{count} {status}, the first {_where(position)}: {failure.cause}."


def _where(position: SolvedPosition) -> str:
    return f"after {position.moves}" if position.moves else "on the empty board"
