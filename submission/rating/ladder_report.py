"""Reports of a ladder: tables for the terminal, and a page with a chart and lost games."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor, isfinite
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.text import Text

from agents.reporting.stats import Estimate
from agents.trace.pictures.nodes import FAINT_INK, GRID, INK, PRINCIPAL
from envs.board import moves_text
from envs.render import COLOURS, board_svg
from envs.svg import document, element, polygon, text, text_width, title
from submission.arena.game_record import GameConfiguration, GameRecord
from submission.match.match import Match
from submission.match.match_report import early_end, failures, repetitions
from submission.match.schedule import Arena
from submission.rating.ladder import Ladder, PlayerStats, Rung, lost_games
from submission.reports import NOTHING, PlayerTable, render_page


def render_ladder(ladder: Ladder) -> RenderableType:
    """Ratings and results, the scores of each against each, move times, and the rules."""
    tables = (
        ladder_table(ladder),
        _table(
            "Points of the row's player against the column's, %",
            [str(rank) for rank in range(1, len(ladder.rungs) + 1)],
            {
                rung.player: [_percent(meeting.score, digits=0) for meeting in rung.against]
                for rung in ladder.rungs
            },
        ),
        _table(
            "Seconds for a move",
            TIME_HEADINGS,
            {rung.player: _time_cells(rung.stats) for rung in ladder.rungs},
        ),
    )
    return Group(*tables, *map(Text, _rules(ladder)))


def ladder_table(ladder: Ladder) -> PlayerTable:
    """Ratings and results, the strongest player first."""
    return _table(
        _title(ladder),
        RESULT_HEADINGS,
        {rung.player: _result_cells(rung, ladder.anchor) for rung in ladder.rungs},
    )


SHOWN = 2
"""The most lost games of a player against each opponent that the page shows."""


def ladder_page(ladder: Ladder) -> str:
    """The ratings as a picture, the tables, and lost games to step through."""
    match = ladder.match
    return render_page(
        "ladder.html",
        title=_title(ladder),
        ladder=ladder,
        chart=rating_chart(ladder),
        headings=[*RESULT_HEADINGS, *(f"{heading} move, s" for heading in TIME_HEADINGS)],
        cells=lambda rung: [*_result_cells(rung, ladder.anchor), *_time_cells(rung.stats)],
        notes=ladder_notes(ladder),
        percent=_percent,
        colour=_colour,
        most_shown=SHOWN,
        lost_games=lambda rung: lost_games(rung.player, match.records, SHOWN),
        replay=lambda record: _replay(record, match.settings.configuration),
    )


RESULT_HEADINGS = ("games", "points, %", "W-D-L", "failed", "Elo", "above\nnext, %")
TIME_HEADINGS = ("mean", "longest")
ANCHOR = "anchor"
NEARLY_SURE = 0.999
"""More is not told from certainty by a limited number of replicas."""


def _result_cells(rung: Rung, anchor: str) -> tuple[str, ...]:
    """A player's results, in the order of `RESULT_HEADINGS`."""
    stats, above_next = rung.stats, rung.above_next
    is_nearly_sure = above_next is not None and above_next > NEARLY_SURE
    return (
        str(stats.games),
        _percent(stats.score),
        str(stats),
        "\n".join(f"{count} {status}" for status, count in stats.failures.items()) or "0",
        f"{rung.elo.value:+.0f}\n{ANCHOR if rung.player == anchor else interval(rung.elo)}",
        f">{_percent(NEARLY_SURE)}" if is_nearly_sure else _percent(above_next),
    )


def _time_cells(stats: PlayerStats) -> tuple[str, ...]:
    """Seconds for a move, in the order of `TIME_HEADINGS`."""
    times = stats.times.mean, stats.times.longest
    return tuple(NOTHING if number is None else f"{number:.3f}" for number in times)


def _percent(share: float | None, digits: int = 1) -> str:
    return NOTHING if share is None else f"{100 * share:.{digits}f}"


def _table(title: str, headings: Sequence[str], rows: Mapping[str, Sequence[str]]) -> PlayerTable:
    """A table with the cells of each player, the strongest first."""
    return PlayerTable(title, "player", headings, rows, is_ranking=True)


def _title(ladder: Ladder) -> str:
    settings = ladder.match.settings
    configuration = settings.configuration
    referee = "Kaggle's environment" if settings.arena is Arena.KAGGLE else "the own arena"
    if configuration.referee.is_open_spiel:
        referee = configuration.referee
    return (
        f"Ladder of {len(ladder.rungs)} players: {len(ladder.match.records)} games on "
        f"{configuration.rows}x{configuration.columns}, {configuration.inarow} in a row, "
        f"{configuration.act_timeout:g} s a move, {referee}"
    )


RULES = (
    "W-D-L: wins, draws and losses; who fails has lost. Elo: the likeliest ratings of the "
    "Bradley-Terry model, in which a draw is half a game won; points above {anchor}. The interval "
    "is the Bayesian bootstrap's over pairs of games, one opening from both seats; it is open on a "
    "side where the games set no limit. For both, each player counts one game won and one lost "
    "that were not played, spread over its opponents. Above next: how probable it is that the "
    "player is stronger than the one below."
)


def ladder_notes(ladder: Ladder) -> list[str]:
    """The warnings, the meaning of the columns, and the conditions."""
    return [*ladder_warnings(ladder.match), *_rules(ladder)]


def ladder_warnings(match: Match) -> list[str]:
    """An early end, and all that went wrong."""
    return [*early_end(match), *repetitions(match), *failures(match), *_few_games(match)]


def _rules(ladder: Ladder) -> list[str]:
    return [RULES.format(anchor=ladder.anchor), _conditions(ladder.match)]


ENOUGH_GAMES = 20
"""Of each two players, for intervals that hold the true rating about as often as they say."""


def _few_games(match: Match) -> Iterator[str]:
    """Warn of the ratings where some pairing has played little."""
    fewest = min(pairing.games for pairing in match.stats())
    if fewest < ENOUGH_GAMES:
        yield (
            f"The fewest games of two players are {fewest}: with less than {ENOUGH_GAMES} of each "
            "two the intervals are too narrow, and ratings that lie far apart too close."
        )


def _conditions(match: Match) -> str:
    """All that it takes to play the same games again."""
    settings, versions = match.settings, match.versions
    return (
        f"Seed {settings.seed}, openings of {settings.opening_plies} plies, at most "
        f"{settings.games} games of each two; connectx-agents {versions.package}, "
        f"kaggle-environments {versions.kaggle_environments or 'not installed'}, "
        f"Python {versions.python}."
    )


WON_HUE, LOST_HUE = 145, 10
"""Hues of the scores above and below one half."""


def _colour(score: float) -> str:
    """The ground of a meeting's cell, the more colourful the farther its score is from one half."""
    hue = WON_HUE if score > 0.5 else LOST_HUE
    return f"hsl({hue} 60% {100 - 50 * abs(score - 0.5):.0f}%)"


class Replay(NamedTuple):
    """A game that a reader steps through."""

    board: str
    """The last position, as a picture."""
    cells: list[int]
    """The cells of the stones in the order of play, by their places on Kaggle's board."""
    free: str
    """The colour of a free cell."""
    players: list[tuple[str, str]]
    """Colour and name of each seat."""
    course: str
    """The opening, and how the game ended, in words."""


def _replay(record: GameRecord, configuration: GameConfiguration) -> Replay:
    env = configuration.env
    state = env.initial_state()
    cells: list[int] = []
    for action in record.columns:
        before, state = env.to_board(state), env.get_next_state(state, action)
        changed = zip(before, env.to_board(state), strict=True)
        cells.append(next(cell for cell, (old, new) in enumerate(changed) if old != new))
    free, *stones = COLOURS
    names = record.pairing if record.seat == 1 else record.pairing[::-1]
    return Replay(
        board=board_svg(env, state),
        cells=cells,
        free=free,
        players=list(zip(stones, names, strict=True)),
        course=f"Opening {moves_text(record.opening) or 'none'}. {_end_of(record)}",
    )


def _end_of(record: GameRecord) -> str:
    plies = len(record.columns)
    failed = [f"{record.status_of(name)} of {name}" for name in record.failing_players]
    if not failed:
        return f"Over after {plies} plies."
    return f"{' and '.join(failed)} after {plies} plies: {record.cause}."


WIDTH = 560.0
"""Pixels of the scale."""
ROW = 26.0
MARGIN, ARROW = 18.0, 14.0
SIZE = 12.0
LONGEST_NAME = 42
STEPS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
"""Elo points from one line of the scale to the next."""
MOST_LINES = 8
OPEN = "open"


def interval(elo: Estimate) -> str:
    """The limits of an interval."""
    low, high = (f"{limit:+.0f}" if isfinite(limit) else OPEN for limit in (elo.low, elo.high))
    return f"[{low}, {high}]"


def rating_chart(ladder: Ladder) -> str:
    """The ratings with their 95 % intervals, the strongest on top; an arrow where one is open."""
    names = [_shortened(rung.player) for rung in ladder.rungs]
    scale = Scale(ladder.rungs, left=MARGIN + max(text_width(name, SIZE) for name in names))
    bottom = MARGIN + ROW * len(names)
    rows = [
        _row(rung, name, MARGIN + ROW * (rank + 0.5), scale)
        for rank, (rung, name) in enumerate(zip(ladder.rungs, names, strict=True))
    ]
    return document(
        (scale.right + MARGIN, bottom + 3 * SIZE),
        "Elo ratings with 95 % intervals",
        f"Points above {ladder.anchor}. An arrow: the games set no limit on this side.",
        [*_grid(scale, bottom), *rows],
    )


class Scale:
    """Where a rating is drawn.

    Args:
        rungs: the players, all of whose ratings and limits find room.
        left: where the names end, in pixels.
    """

    def __init__(self, rungs: tuple[Rung, ...], left: float) -> None:
        numbers = [number for rung in rungs for number in (rung.elo.value, *_limits(rung))]
        spread = max(numbers) - min(numbers)
        self._step = next((step for step in STEPS if spread <= MOST_LINES * step), STEPS[-1])
        self._first = floor(min(numbers) / self._step)
        self._last = max(ceil(max(numbers) / self._step), self._first + 1)
        self.left = left + ARROW + SIZE
        self.right = self.left + WIDTH + ARROW

    @property
    def lines(self) -> range:
        """The ratings at which there is a line."""
        return range(self._first * self._step, self._last * self._step + 1, self._step)

    def x(self, elo: float) -> float:
        """The place of a rating, in pixels."""
        share = (elo / self._step - self._first) / (self._last - self._first)
        return self.left + share * WIDTH


def _limits(rung: Rung) -> list[float]:
    """The limits of the interval that the games set."""
    return [limit for limit in (rung.elo.low, rung.elo.high) if isfinite(limit)]


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _grid(scale: Scale, bottom: float) -> Iterator[str]:
    for elo in scale.lines:
        x = scale.x(elo)
        colour = FAINT_INK if elo == 0 else GRID
        yield element("path", d=f"M{x:.1f} {MARGIN}V{bottom:.1f}", stroke=colour)
        label = f"{elo:+d}" if elo else "0"
        yield text(label, (x, bottom + 1.5 * SIZE), SIZE, fill=FAINT_INK, text_anchor="middle")


def _row(rung: Rung, name: str, y: float, scale: Scale) -> str:
    low, high = rung.elo.low, rung.elo.high
    start = scale.x(low) if isfinite(low) else scale.left - ARROW
    end = scale.x(high) if isfinite(high) else scale.right
    heads = [
        _arrow_head(tip, y, direction)
        for limit, tip, direction in ((low, start, 1), (high, end, -1))
        if not isfinite(limit)
    ]
    line = f"M{start:.1f} {y:.1f}H{end:.1f}"
    return element(
        "g",
        title(f"{rung.player}: {rung.elo.value:+.0f} {interval(rung.elo)}"),
        text(name, (MARGIN, y + SIZE / 3), SIZE, fill=INK),
        element("path", d=line, stroke=PRINCIPAL, stroke_width=2),
        *heads,
        element("circle", cx=scale.x(rung.elo.value), cy=y, r=4, fill=PRINCIPAL),
    )


def _arrow_head(tip: float, y: float, direction: int) -> str:
    """A triangle that points away from `direction`: 1 is to the right."""
    back = tip + direction * 8
    return polygon([(tip, y), (back, y - 4), (back, y + 4)], fill=PRINCIPAL)
