"""A ladder as tables for the terminal, and as a page of HTML."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from string import Template

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from envs.svg import element
from submission.html_page import html_page
from submission.ladder.ladder import Ladder, LostGames, Rung, Standing, lost_games
from submission.ladder.ladder_pictures import (
    REPLAY_SCRIPT,
    REPLAY_STYLE,
    interval,
    rating_chart,
    replay_figure,
)
from submission.match.game_record import GameConfiguration
from submission.match.match import Evaluation
from submission.match.match_report import early_end, failures, repetitions
from submission.match.schedule import Arena
from submission.terminal import plain_table

NOTHING = "-"
ANCHOR = "anchor"
NEARLY_SURE = 0.999

RESULT_HEADINGS = ("games", "points, %", "W-D-L", "failed", "Elo", "above\nnext, %")
TIME_HEADINGS = ("mean", "longest")


def result_cells(rung: Rung, anchor: str) -> tuple[str, ...]:
    """A player's results, in the order of `RESULT_HEADINGS`."""
    standing = rung.standing
    sure = ANCHOR if rung.player == anchor else interval(rung.elo)
    return (
        str(standing.games),
        percent(standing.score),
        wins_draws_losses(standing),
        "\n".join(f"{count} {status}" for status, count in standing.failures.items()) or "0",
        f"{rung.elo.value:+.0f}\n{sure}",
        probability(rung.above_next),
    )


def time_cells(standing: Standing) -> tuple[str, ...]:
    """Seconds for a move, in the order of `TIME_HEADINGS`."""
    times = standing.mean_seconds, standing.longest_seconds
    return tuple(NOTHING if number is None else f"{number:.3f}" for number in times)


def percent(share: float | None, digits: int = 1) -> str:
    """A share in percent."""
    return NOTHING if share is None else f"{100 * share:.{digits}f}"


def probability(share: float | None) -> str:
    """A probability in percent, which a limited number of replicas cannot tell from certainty."""
    return f">{100 * NEARLY_SURE:.1f}" if share and share > NEARLY_SURE else percent(share)


def wins_draws_losses(standing: Standing) -> str:
    """The results, as in 12-1-7."""
    return f"{standing.wins}-{standing.draws}-{standing.losses}"


RULES = (
    "W-D-L: wins, draws and losses; who fails has lost. Elo: the likeliest ratings of the "
    "Bradley-Terry model, in which a draw is half a game won; points above {anchor}. The interval "
    "is the Bayesian bootstrap's over pairs of games, one opening from both seats; it is open on a "
    "side where the games set no limit. For both, each player counts one game won and one lost "
    "that were not played, spread over its opponents. Above next: how probable it is that the "
    "player is stronger than the one below."
)

ENOUGH_GAMES = 20
"""Of each two players, for intervals that hold the true rating about as often as they say."""


def ladder_title(ladder: Ladder) -> str:
    """What was played."""
    settings = ladder.evaluation.settings
    configuration = settings.configuration
    referee = "Kaggle's environment" if settings.arena is Arena.KAGGLE else "the own arena"
    return (
        f"Ladder of {len(ladder.rungs)} players: {len(ladder.evaluation.records)} games on "
        f"{configuration.rows}x{configuration.columns}, {configuration.inarow} in a row, "
        f"{configuration.act_timeout:g} s a move, {referee}"
    )


def ladder_notes(ladder: Ladder) -> list[str]:
    """How the games ended, what went wrong, and what the columns mean."""
    return [
        *early_end(ladder.evaluation),
        *repetitions(ladder.evaluation),
        *failures(ladder.evaluation),
        *few_games(ladder.evaluation),
        RULES.format(anchor=ladder.anchor),
        _conditions(ladder.evaluation),
    ]


def few_games(evaluation: Evaluation) -> Iterator[str]:
    """What to think of the ratings where some pairing has played little."""
    fewest = min(summary.games for summary in evaluation.summaries())
    if fewest < ENOUGH_GAMES:
        yield (
            f"The fewest games of two players are {fewest}: with less than {ENOUGH_GAMES} of each "
            "two the intervals are too narrow, and ratings that lie far apart too close."
        )


def _conditions(evaluation: Evaluation) -> str:
    """What it takes to play the same games again."""
    settings, versions = evaluation.settings, evaluation.versions
    return (
        f"Seed {settings.seed}, openings of {settings.opening_plies} plies, at most "
        f"{settings.games} games of each two; connectx-agents {versions.package}, "
        f"kaggle-environments {versions.kaggle_environments or 'not installed'}, "
        f"Python {versions.python}."
    )


def render_ladder(ladder: Ladder) -> RenderableType:
    """Ratings and results, the scores of each against each, move times, and notes."""
    ranks = [str(rank) for rank in range(1, len(ladder.rungs) + 1)]
    tables = (
        _table(
            ladder_title(ladder),
            RESULT_HEADINGS,
            {rung.player: result_cells(rung, ladder.anchor) for rung in ladder.rungs},
        ),
        _table(
            "Points of the row's player against the column's, %",
            ranks,
            {rung.player: _scores(rung) for rung in ladder.rungs},
        ),
        _table(
            "Seconds for a move",
            TIME_HEADINGS,
            {rung.player: time_cells(rung.standing) for rung in ladder.rungs},
        ),
    )
    return Group(*tables, *map(Text, ladder_notes(ladder)))


def _scores(rung: Rung) -> list[str]:
    return [percent(standing.score, digits=0) for standing in rung.against]


def _table(title: str, headings: Sequence[str], rows: Mapping[str, Sequence[str]]) -> Table:
    """A table with the cells of each player, the strongest first."""
    table = plain_table(title)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("player", overflow="fold")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for rank, (player, cells) in enumerate(rows.items(), start=1):
        table.add_row(str(rank), Text(player), *map(Text, cells))
    return table


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
