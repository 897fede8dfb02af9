"""Results by opening: what moving first was worth, and which player made more of it."""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from agents.book.opening_book import shipped_book_of
from envs.connectx import ConnectX
from envs.notation import moves_text
from submission.evaluating.evaluation import Evaluation
from submission.evaluating.game_record import GameRecord
from submission.evaluating.openings import Opening
from submission.evaluating.summary import Tally, summarise
from submission.plain_table import plain_table

OPENING_RULES = (
    "An opening is the columns, from 1, that were played before the players were asked. W-D-L: "
    "wins, draws and losses of the player where it moved first and where it moved second, and of "
    "whoever moved first; games in which somebody failed are left out. Theory: what the opening is "
    "worth to whoever moved first, as far as the opening book knows it."
)

THEORY = {1: "won", 0: "drawn", -1: "lost", None: "-"}
"""Names of the outcomes of perfect play for whoever moved first, in the table's order."""

TOTAL = "all"


def render_openings(evaluation: Evaluation) -> RenderableType:
    """A table for each pairing, with a row for each opening that was played."""
    configuration = evaluation.settings.configuration
    env = ConnectX(configuration.rows, configuration.columns, configuration.inarow)
    tables = [
        _pairing_table(env, names, [game for game in evaluation.records if game.pairing == names])
        for names in evaluation.pairings
    ]
    return Group(*tables, Text(OPENING_RULES))


def _pairing_table(env: ConnectX, names: tuple[str, str], games: Sequence[GameRecord]) -> Table:
    """The openings grouped by their theoretical outcome, each group and the whole with a total."""
    table = plain_table(f"{names[0]} against {names[1]}, by opening")
    table.add_column("opening", overflow="fold")
    table.add_column("theory")
    for heading in ("W-D-L\nfirst", "W-D-L\nsecond", "W-D-L of\nfirst mover"):
        table.add_column(heading, justify="right", no_wrap=True)
    of_opening = _by_opening(games)
    outcomes = {opening: _outcome(env, opening) for opening in of_opening}
    for outcome, theory in THEORY.items():
        group = [opening for opening in of_opening if outcomes[opening] == outcome]
        for opening in group:
            results = _results(names, of_opening[opening])
            table.add_row(moves_text(opening) or "none", theory, *results)
        if group:
            results = _results(names, [game for opening in group for game in of_opening[opening]])
            table.add_row(TOTAL, theory, *results, style="bold", end_section=True)
    table.add_row(TOTAL, "", *_results(names, games), style="bold")
    return table


def _by_opening(games: Sequence[GameRecord]) -> dict[Opening, list[GameRecord]]:
    """The games of each opening, the openings in ascending order."""
    opening = attrgetter("opening")
    return {key: list(group) for key, group in groupby(sorted(games, key=opening), key=opening)}


def _outcome(env: ConnectX, opening: Opening) -> int | None:
    """1, 0 or -1: by perfect play whoever moved first wins, draws or loses; None if unknown."""
    book = shipped_book_of(env)
    state = env.initial_state()
    for column in opening:
        state = env.get_next_state(state, column)
    score = book.score(state) if book else None
    if score is None:
        return None
    sign = (score > 0) - (score < 0)
    return sign if state.player == 1 else -sign


def _results(names: tuple[str, str], games: Sequence[GameRecord]) -> tuple[str, str, str]:
    """W-D-L of the player moving first and second, and of whoever moved first."""
    summary = summarise(names, games)
    first, second = summary.as_first, summary.as_second
    first_mover = Tally(
        wins=first.wins + second.losses,
        draws=first.draws + second.draws,
        losses=first.losses + second.wins,
    )
    return str(first), str(second), str(first_mover)
