"""A grade as tables for the terminal, and as a page of HTML."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from string import Template
from typing import NamedTuple

from rich.console import Group as Lines
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from submission.grade.figures import (
    Group,
    Measured,
    Mistake,
    by_kind,
    by_ply,
    mistake_in_words,
    worst_mistakes,
)
from submission.grade.grade_pictures import mistake_svg, ply_chart
from submission.grade.grading import Grade
from submission.grade.solved_positions import SolvedPosition
from submission.html_page import html_page
from submission.match.match import Ending
from submission.terminal import plain_table

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
    Ending.INTERRUPTED: "Interrupted: {answered} of {asked} positions were answered.",
    Ending.WORKER_DIED: (
        "A worker process died after {answered} of {asked} positions, perhaps for want of memory: "
        "run the command again with fewer --workers."
    ),
}


def title(grade: Grade) -> str:
    """Who was graded, and how."""
    return (
        f"{grade.player.name} in {len(grade.answers)} solved positions, "
        f"{grade.settings.act_timeout:g} s a move"
    )


def notes(grade: Grade) -> Iterator[str]:
    """An early end, the time taken, and a sentence for each kind of failure."""
    if grade.ending in EARLY_ENDINGS:
        yield EARLY_ENDINGS[grade.ending].format(answered=len(grade.answers), asked=grade.asked)
    seconds = [answer.seconds for answer in grade.answers if answer.failure is None]
    if seconds:
        mean = sum(seconds) / len(seconds)
        yield f"Seconds for a move: {mean:.3f} on average, {max(seconds):.3f} at most."
    yield from _failures(grade)


def where(position: SolvedPosition) -> str:
    """Where something happened."""
    return f"after {position.moves}" if position.moves else "on the empty board"


def _failures(grade: Grade) -> Iterator[str]:
    """A sentence for each status, with the first cause."""
    failures = [
        (answer.position, answer.failure) for answer in grade.answers if answer.failure is not None
    ]
    for status, count in Counter(failure.status for _, failure in failures).items():
        position, failure = next(pair for pair in failures if pair[1].status == status)
        yield f"{count} {status}, the first {where(position)}: {failure.cause}."


WORST = 5
"""How many mistakes are told."""


def render_grade(grade: Grade) -> RenderableType:
    """The figures by kind of position and by ply, the worst mistakes, and what they mean."""
    mistakes = worst_mistakes(grade.answers, WORST)
    told = [f"  {where(mistake.position)}: {mistake_in_words(mistake)}" for mistake in mistakes]
    return Lines(
        _kinds_table(title(grade), by_kind(grade.answers)),
        _plies_table(by_ply(grade.answers)),
        *map(Text, notes(grade)),
        *map(Text, ["The worst mistakes, columns counted from 1:", *told] if told else []),
        Text(RULES, "dim"),
    )


def _kinds_table(heading: str, groups: Sequence[Group]) -> Table:
    headings = ("", "positions\nat stake", "kept, %\n/ random", "best, %\n/ random")
    table = _table(heading, (*headings, "half points\nlost / random", "failed"))
    for group in groups:
        figures = group.figures
        table.add_row(
            group.name,
            f"{figures.positions}\n{figures.at_stake}",
            _two_lines(percent(figures.kept)),
            _two_lines(percent(figures.best)),
            _two_lines(half_points(figures.half_points_lost)),
            str(figures.failures),
        )
    return table


def _plies_table(groups: Sequence[Group]) -> Table:
    headings = ("ply", "at\nstake", "kept, %\n/ random", "all", "best, %\n/ random")
    table = _table("By plies played", headings)
    for group in groups:
        figures = group.figures
        table.add_row(
            group.name,
            str(figures.at_stake),
            _one_line(percent(figures.kept)),
            str(figures.positions),
            _one_line(percent(figures.best)),
        )
    return table


def _two_lines(cell: Cell) -> str:
    return f"{cell.value} / {cell.random}\n{cell.interval}"


def _one_line(cell: Cell) -> str:
    return f"{cell.value} {cell.interval} / {cell.random}"


def _table(heading: str, headings: Sequence[str]) -> Table:
    table = plain_table(heading)
    for number, text in enumerate(headings):
        table.add_column(text, justify="right" if number else "left", no_wrap=True)
    return table


WORST_ON_PAGE = 24
"""How many mistakes are shown."""

HEADINGS = (
    *("", "positions", "at stake", "kept, %", "random", "best, %", "random"),
    *("half points lost", "random", "failed"),
)

STYLE = """\
th:first-child, td:first-child { text-align: left; }
.mistakes { display: grid; grid-template-columns: repeat(auto-fill, minmax(21rem, 1fr));
  gap: 1.5rem; }
figure { margin: 0; }
figure svg { max-width: 100%; height: auto; }
figcaption { overflow-wrap: anywhere; }
"""

BODY = Template("""\
$notes
<div class="wide">$kinds</div>
<div class="wide">$chart</div>
<h2>The worst mistakes</h2>
<p>Player 1 has the red stones. A cross: the move that was played. A ring: a best one. Below the
board the score of each column for the player to move: above 0 it wins, below 0 it loses, more for a
quicker win or a slower loss.</p>
<div class="mistakes">
$mistakes
</div>
<h2>By plies played</h2>
<div class="wide">$plies</div>
<p>$rules</p>
""")


def grade_page(grade: Grade) -> str:
    """The figures, a chart of them by ply, and the worst mistakes on their boards."""
    mistakes = worst_mistakes(grade.answers, WORST_ON_PAGE)
    by_plies = by_ply(grade.answers)
    body = BODY.substitute(
        notes="\n".join(f"<p>{escape(note)}</p>" for note in notes(grade)),
        kinds=_page_table(by_kind(grade.answers)),
        chart=ply_chart(by_plies) if by_plies else "",
        mistakes="\n".join(map(_figure, mistakes)) if mistakes else "<p>None.</p>",
        plies=_page_table(by_plies),
        rules=escape(RULES),
    )
    return html_page(title(grade), STYLE, body)


def _page_table(groups: Iterable[Group]) -> str:
    rows = [_row("td", _cells(group)) for group in groups]
    return "\n".join(["<table>", _row("th", HEADINGS), *rows, "</table>"])


def _cells(group: Group) -> list[str]:
    figures = group.figures
    return [
        group.name,
        str(figures.positions),
        str(figures.at_stake),
        *_two_columns(percent(figures.kept)),
        *_two_columns(percent(figures.best)),
        *_two_columns(half_points(figures.half_points_lost)),
        str(figures.failures),
    ]


def _two_columns(cell: Cell) -> tuple[str, str]:
    return f"{cell.value} {cell.interval}", cell.random


def _row(cell: str, texts: Sequence[str]) -> str:
    return "".join(["<tr>", *(f"<{cell}>{escape(text)}</{cell}>" for text in texts), "</tr>"])


def _figure(mistake: Mistake) -> str:
    player = mistake.position.state.player
    caption = f"Player {player} is to move {where(mistake.position)}: {mistake_in_words(mistake)}."
    return f"<figure>{mistake_svg(mistake)}<figcaption>{escape(caption)}</figcaption></figure>"
