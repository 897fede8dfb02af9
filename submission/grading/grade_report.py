"""A grade as tables for the terminal."""

from collections.abc import Sequence

from rich.console import Group as Lines
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from submission.grading.grade import Grade
from submission.grading.grade_cells import Cell, half_points, percent
from submission.grading.grade_notes import RULES, notes, title, where
from submission.grading.groups import Group, by_kind, by_ply
from submission.grading.mistakes import mistake_in_words, worst_mistakes
from submission.plain_table import plain_table

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
