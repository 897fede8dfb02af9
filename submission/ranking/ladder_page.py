"""A ladder as one self-contained page of HTML."""

from collections.abc import Iterable, Iterator
from html import escape
from string import Template

from envs.svg import element
from submission.evaluating.game_record import GameConfiguration
from submission.html_page import html_page
from submission.ranking.ladder import Ladder, Rung
from submission.ranking.ladder_cells import (
    RESULT_HEADINGS,
    TIME_HEADINGS,
    percent,
    result_cells,
    time_cells,
    wins_draws_losses,
)
from submission.ranking.ladder_notes import ladder_notes, ladder_title
from submission.ranking.lost_games import LostGames, lost_games
from submission.ranking.rating_chart import rating_chart
from submission.ranking.replay_figure import REPLAY_SCRIPT, REPLAY_STYLE, replay_figure
from submission.ranking.standing import Standing

SHOWN = 2
"""How many lost games of a player against each opponent are shown."""

WON_HUE, LOST_HUE = 145, 10
"""Colours of the scores above and below one half."""

STYLE = f"""\
td {{ white-space: pre; }}
th:nth-child(2), td:nth-child(2) {{ text-align: left; white-space: normal; min-width: 12rem;
  overflow-wrap: anywhere; }}
.games {{ display: flex; flex-wrap: wrap; gap: 1.5rem; }}
summary {{ cursor: pointer; font-weight: 600; overflow-wrap: anywhere; }}
{REPLAY_STYLE}"""

BODY = Template("""\
<div class="wide">$chart</div>
<p>Elo points above $anchor with 95 % intervals; an arrow where the games set no limit.</p>
<div class="wide">$figures</div>
$notes
<h2>Who took points from whom</h2>
<p>Points of the row's player against the column's in percent, and its wins, draws and losses.</p>
<div class="wide">$scores</div>
<h2>Lost games</h2>
<p>Of each player, failures first, then the quickest losses; at most $shown to an opponent.</p>
$lost
<script>$script</script>
""")


def ladder_page(ladder: Ladder) -> str:
    """The ratings as a picture, the tables, and lost games to step through."""
    body = BODY.substitute(
        chart=rating_chart(ladder),
        anchor=escape(ladder.anchor),
        figures=_figures(ladder),
        notes="\n".join(element("p", escape(note)) for note in ladder_notes(ladder)),
        scores=_page_scores(ladder),
        shown=SHOWN,
        lost="\n".join(_losses_of_each(ladder)),
        script=REPLAY_SCRIPT,
    )
    return html_page(ladder_title(ladder), STYLE, body)


def _figures(ladder: Ladder) -> str:
    seconds = [f"{heading} move, s" for heading in TIME_HEADINGS]
    cells = (
        [*result_cells(rung, ladder.anchor), *time_cells(rung.standing)] for rung in ladder.rungs
    )
    rows = ([_cell("td", words) for words in row] for row in cells)
    return _page_table(ladder, [*RESULT_HEADINGS, *seconds], rows)


def _page_scores(ladder: Ladder) -> str:
    ranks = map(str, range(1, len(ladder.rungs) + 1))
    return _page_table(ladder, ranks, ([*map(_score, rung.against)] for rung in ladder.rungs))


def _page_table(ladder: Ladder, headings: Iterable[str], rows: Iterable[list[str]]) -> str:
    """A table with a row of cells for each player."""
    head = element("tr", *(_cell("th", heading) for heading in ("", "player", *headings)))
    body = (
        element("tr", _cell("td", str(rank)), _cell("td", rung.player), *cells)
        for rank, (rung, cells) in enumerate(zip(ladder.rungs, rows, strict=True), start=1)
    )
    return element("table", "\n".join([head, *body]))


def _cell(name: str, words: str) -> str:
    return element(name, escape(words))


def _score(standing: Standing) -> str:
    """The cell of a meeting, the more colourful the farther the score is from one half."""
    if standing.score is None:
        return element("td", "")
    hue = WON_HUE if standing.score > 0.5 else LOST_HUE
    lightness = 100 - 50 * abs(standing.score - 0.5)
    words = f"{percent(standing.score)}\n{wins_draws_losses(standing)}"
    return element("td", words, style=f"background: hsl({hue} 60% {lightness:.0f}%)")


def _losses_of_each(ladder: Ladder) -> Iterator[str]:
    configuration = ladder.evaluation.settings.configuration
    for rung in ladder.rungs:
        lost = lost_games(rung.player, ladder.evaluation.records, SHOWN)
        if lost:
            yield _losses(rung, lost, configuration)


def _losses(rung: Rung, lost: Iterable[LostGames], configuration: GameConfiguration) -> str:
    """The lost games of a player, folded away until they are asked for."""
    summary = element("summary", escape(f"{rung.player}: {rung.standing.losses} lost"))
    return element("details", summary, *(_to_opponent(games, configuration) for games in lost))


def _to_opponent(lost: LostGames, configuration: GameConfiguration) -> str:
    left_out = f", {lost.left_out} more left out" if lost.left_out else ""
    heading = element("h3", escape(f"to {lost.opponent}{left_out}"))
    figures = (replay_figure(record, configuration) for record in lost.shown)
    return heading + element("div", *figures, class_="games")
