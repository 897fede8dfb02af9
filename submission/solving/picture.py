"""An analysis as a picture for the terminal: the board, the scores below it, and in words."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from envs.render import SYMBOLS
from submission.solving.analysis import Analysis
from submission.solving.words import SCALE, in_words, score_text

STONE_STYLES = ("dim", "bold red", "bold yellow")
BEST_STYLE = "bold green"


def render_analysis(analysis: Analysis) -> RenderableType:
    """The board with the score of each column; the best columns are marked."""
    return Group(_board(analysis), "", _verdict(analysis), _columns(analysis), "", Text(SCALE))


def _board(analysis: Analysis) -> Table:
    """Stones, column numbers and scores, one below the other."""
    env = analysis.position.env
    board = env.to_board(analysis.position.state)
    grid = Table.grid(padding=(0, 1))
    for _ in range(env.columns):
        grid.add_column(justify="right")
    for start in range(0, len(board), env.columns):
        row = board[start : start + env.columns]
        grid.add_row(*(Text(SYMBOLS[cell], STONE_STYLES[cell]) for cell in row))
    grid.add_row(*(str(column + 1) for column in range(env.columns)))
    grid.add_row(*(_score(analysis, column) for column in range(env.columns)))
    return grid


def _score(analysis: Analysis, column: int) -> Text:
    """What stands below a column: its score, `?` if it is not known, nothing if it is full."""
    bounds = analysis.columns.get(column)
    if bounds is None:
        return Text("")
    style = BEST_STYLE if column in analysis.best else ""
    return Text(str(bounds.lower) if bounds.exact else "?", style)


def _verdict(analysis: Analysis) -> Text:
    player = analysis.position.state.player
    meaning = in_words(analysis.position, analysis.bounds)
    return Text(f"Player {player} ({SYMBOLS[player]}) is to move: {meaning}.", "bold")


def _columns(analysis: Analysis) -> Table:
    """A line for each legal column."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right")
    grid.add_column(justify="right")
    for column, bounds in analysis.columns.items():
        is_best = column in analysis.best
        grid.add_row(
            f"column {column + 1}",
            score_text(bounds),
            in_words(analysis.position, bounds),
            "best" if is_best else "",
            style=BEST_STYLE if is_best else "",
        )
    return grid
