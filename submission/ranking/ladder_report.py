"""A ladder as tables for the terminal."""

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from submission.plain_table import plain_table
from submission.ranking.ladder import Ladder, Rung
from submission.ranking.ladder_cells import (
    RESULT_HEADINGS,
    TIME_HEADINGS,
    percent,
    result_cells,
    time_cells,
)
from submission.ranking.ladder_notes import ladder_notes, ladder_title


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
