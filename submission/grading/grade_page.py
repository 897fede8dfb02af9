"""A grade as one self-contained page of HTML."""

from collections.abc import Iterable, Sequence
from html import escape
from string import Template

from submission.grading.grade import Grade
from submission.grading.grade_cells import Cell, half_points, percent
from submission.grading.grade_notes import RULES, notes, title, where
from submission.grading.groups import Group, by_kind, by_ply
from submission.grading.mistake_picture import mistake_svg
from submission.grading.mistakes import Mistake, mistake_in_words, worst_mistakes
from submission.grading.ply_chart import ply_chart
from submission.html_page import html_page

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
