"""Positions to solve, from move strings, and solved ones as text, JSON and tables.

Scores are from the view of the player to move; `agents.solver.score_words` explains the scale.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from agents.reporting.board_text import STONE_STYLES
from agents.reporting.display import shows_itself
from agents.reporting.input_file import one_line
from agents.reporting.rich_html import html_of, text_of
from agents.solver.exact_moves import bounds_of_best, proven_best
from agents.solver.score_words import SCALE, in_words, plies_left, score_text
from agents.solver.solver import ScoreBounds, Solver
from envs.board import BoardState, state_from_moves
from envs.connectx import ConnectX
from envs.render import SYMBOLS
from envs.shown_position import show

BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


class ReachedPosition(NamedTuple):
    """An unfinished position, with the moves that lead to it."""

    env: ConnectX
    moves: str
    """A move string for `state_from_moves`, without blanks."""
    state: BoardState


def read_position(env: ConnectX, moves: str) -> ReachedPosition:
    """The position after a move string; a ValueError if it is invalid or ends the game."""
    state = state_from_moves(env, moves)
    if not env.get_available_actions(state):
        winner = env.winner(state)
        ending = "in a draw" if winner is None else f"and won by player {winner}"
        raise ValueError(f"after {moves!r} the game is over, {ending}: give fewer moves to solve")
    return ReachedPosition(env, re.sub(r"[\s,]+", ",", moves.strip()), state)


def read_positions(env: ConnectX, lines: Iterable[str]) -> Iterator[ReachedPosition]:
    """The positions of lines with one move string each, in a lazy iterator.

    Blank lines are skipped, and a byte order mark, which some editors put at the start of a file.
    The ValueError for an invalid line names it.
    """
    for number, line in enumerate(lines, start=1):
        if moves := line.removeprefix(BYTE_ORDER_MARK if number == 1 else "").strip():
            try:
                yield read_position(env, moves)
            except ValueError as error:
                raise ValueError(f"line {number}: {one_line(error)}") from None


@dataclass(frozen=True)
class Analysis:
    """A position with its score, or with bounds of it if the time limit ended the search.

    Scores are from the view of the player to move in the position.
    """

    position: ReachedPosition
    bounds: ScoreBounds
    """The score of the position."""
    columns: Mapping[int, ScoreBounds] = field(default_factory=dict)
    """The score of each legal column, counted from 0; empty if only the position was solved."""

    @property
    def best(self) -> list[int]:
        """The columns proven to be at least as good as every other."""
        return proven_best(self.columns)

    @property
    def last_move(self) -> int | None:
        """The number of the move that ends the game under best play; None without an exact score.

        The moves of both players are counted, from 1 at the beginning of the game.
        """
        if not self.bounds.exact:
            return None
        env, plies = self.position.env, self.position.state.ply
        return plies + plies_left(env.rows * env.columns, plies, self.bounds.lower)

    def __str__(self) -> str:
        """The board with the scores, as `connectx solve` prints it."""
        return text_of(render_analysis(self))


OnAnalysis = Callable[[Analysis], None]  # takes the analysis so far
WatchedAnalyse = Callable[[Solver, ReachedPosition, float | None, OnAnalysis], Analysis]
"""Solves a position, with a time limit in seconds, and reports the analysis so far repeatedly."""


def analyse(
    solver: Solver,
    position: ReachedPosition,
    time_limit: float | None = None,
    on_progress: OnAnalysis | None = None,
) -> Analysis:
    """Solve every column of a position, and thereby the position, with one time limit in total."""

    def of_columns(columns: Mapping[int, ScoreBounds]) -> Analysis:
        nodes = sum(bounds.nodes for bounds in columns.values())
        return Analysis(position, replace(bounds_of_best(columns), nodes=nodes), dict(columns))

    tell = None if on_progress is None else (lambda found: on_progress(of_columns(found)))
    return of_columns(solver.scores(position.state, time_limit, tell))


def analyse_score(
    solver: Solver,
    position: ReachedPosition,
    time_limit: float | None = None,
    on_progress: OnAnalysis | None = None,
) -> Analysis:
    """Solve a position without its columns: several times as fast as `analyse`."""
    tell = None if on_progress is None else (lambda found: on_progress(Analysis(position, found)))
    return Analysis(position, solver.bounds(position.state, time_limit, on_progress=tell))


FULL_COLUMN = "-"


def as_plain_line(analysis: Analysis) -> str:
    """The moves and the score, then the columns' scores from the left if they were solved."""
    columns = [
        score_text(analysis.columns[column]) if column in analysis.columns else FULL_COLUMN
        for column in range(analysis.position.env.columns if analysis.columns else 0)
    ]
    return " ".join([analysis.position.moves, score_text(analysis.bounds), *columns])


def as_json_line(analysis: Analysis) -> str:
    """The analysis as a JSON object, with columns counted from 1; an unknown score is null."""
    record: dict[str, object] = {
        "moves": analysis.position.moves,
        **_bounds(analysis.bounds),
        "last_move": analysis.last_move,
    }
    if analysis.columns:
        record["best"] = [column + 1 for column in analysis.best]
        record["columns"] = [
            {"column": column + 1, **_bounds(bounds)} for column, bounds in analysis.columns.items()
        ]
    return json.dumps(record)


def _bounds(bounds: ScoreBounds) -> dict[str, int | None]:
    return {
        "score": bounds.lower if bounds.exact else None,
        "lower": bounds.lower,
        "upper": bounds.upper,
    }


BEST_STYLE = "bold green"


def render_analysis(analysis: Analysis) -> RenderableType:
    """The board with the score of each column; the best columns are marked."""
    return Group(_board(analysis), "", *_findings(analysis), "", Text(SCALE))


def _html(analysis: Analysis) -> str:
    position = analysis.position
    board = show(position.env, position.state)
    return board.as_html() + html_of(Group(*_findings(analysis), Text(SCALE, "dim")))


shows_itself(Analysis, _html)


def _board(analysis: Analysis) -> Table:
    """The board, with column numbers and scores below it."""
    env = analysis.position.env
    board = env.to_board(analysis.position.state)
    grid = Table.grid(padding=(0, 1))
    for _ in range(env.columns):
        grid.add_column(justify="right")
    for start in range(0, len(board), env.columns):
        row = board[start : start + env.columns]
        grid.add_row(*(Text(SYMBOLS[cell], STONE_STYLES[cell]) for cell in row))
    grid.add_row(*(str(column + 1) for column in range(env.columns)))
    if analysis.columns:
        grid.add_row(*(_score(analysis, column) for column in range(env.columns)))
    return grid


def _score(analysis: Analysis, column: int) -> Text:
    """The score below a column: `?` if it is not known, empty if the column is full."""
    bounds = analysis.columns.get(column)
    if bounds is None:
        return Text("")
    style = BEST_STYLE if column in analysis.best else ""
    return Text(str(bounds.lower) if bounds.exact else "?", style)


def _findings(analysis: Analysis) -> Iterator[RenderableType]:
    """The result and the last move, then the columns' scores or, without them, the position's."""
    yield from render_result(analysis)
    yield _columns(analysis) if analysis.columns else Text(f"Score: {score_text(analysis.bounds)}")


def render_result(analysis: Analysis) -> Iterator[Text]:
    """Two lines: the result for the player to move and, if it is known, the last move."""
    env, _, state = analysis.position
    player, meaning = state.player, in_words(env, state, analysis.bounds)
    yield Text(f"Player {player} ({SYMBOLS[player]}) is to move: {meaning}.", "bold")
    if analysis.last_move is not None:
        yield Text(f"Under best play the game ends with move {analysis.last_move}.")


def _columns(analysis: Analysis) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right")
    grid.add_column(justify="right")
    env, _, state = analysis.position
    for column, bounds in analysis.columns.items():
        is_best = column in analysis.best
        grid.add_row(
            f"column {column + 1}",
            score_text(bounds),
            in_words(env, state, bounds),
            "best" if is_best else "",
            style=BEST_STYLE if is_best else "",
        )
    return grid
