"""The results of each opening, beside the opening's value under perfect play."""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from agents.book.opening_book import shipped_book_of
from agents.solver.position_bounds import sign
from envs.board import BoardGame, moves_text, state_after
from submission.arena.game_record import GameRecord
from submission.match.match import Match
from submission.match.pairing_stats import tally_of
from submission.match.schedule import Opening
from submission.reports import add_figures, plain_table

OPENING_RULES = (
    "An opening is the columns, in tic-tac-toe the cells, from 1, that were played before the "
    "players were asked. W-D-L: wins, draws and losses of the player where it moved first and "
    "where it moved second, and of whoever moved first; games in which somebody failed are left "
    "out. Theory: what the opening is worth to whoever moved first, as far as the opening book "
    "knows it."
)

THEORY = {1: "won", 0: "drawn", -1: "lost", None: "-"}
"""Names of the outcomes of perfect play for the first mover, in the table's order."""

TOTAL = "all"


def render_openings(match: Match) -> RenderableType:
    """A table for each pairing, with a row for each opening that was played."""
    env = match.settings.configuration.env
    tables = [_openings_table(env, names, match.games_of(names)) for names in match.pairings]
    return Group(*tables, Text(OPENING_RULES))


def _openings_table(env: BoardGame, names: tuple[str, str], games: Sequence[GameRecord]) -> Table:
    """The openings grouped by their theoretical outcome, with totals."""
    table = plain_table(f"{names[0]} against {names[1]}, by opening", "opening", "theory")
    add_figures(table, "W-D-L\nfirst", "W-D-L\nsecond", "W-D-L of\nfirst mover")
    by_opening = attrgetter("opening")
    groups = groupby(sorted(games, key=by_opening), key=by_opening)
    of_opening = {opening: list(group) for opening, group in groups}
    outcomes = {opening: _outcome(env, opening) for opening in of_opening}
    for outcome, theory in THEORY.items():
        group = [opening for opening in of_opening if outcomes[opening] == outcome]
        for opening in group:
            table.add_row(moves_text(opening) or "none", theory, *_results(of_opening[opening]))
        if group:
            results = _results([game for opening in group for game in of_opening[opening]])
            table.add_row(TOTAL, theory, *results, style="bold", end_section=True)
    table.add_row(TOTAL, "", *_results(games), style="bold")
    return table


def _outcome(env: BoardGame, opening: Opening) -> int | None:
    """1, 0 or -1: with perfect play the first mover wins, draws or loses; None if unknown."""
    book = shipped_book_of(env)
    state = state_after(env, opening)
    score = book.score(state) if book else None
    if score is None:
        return None
    return sign(score) if state.player == 1 else -sign(score)


def _results(games: Sequence[GameRecord]) -> list[str]:
    """W-D-L of the player when it moves first and second, and of the first mover in all games."""
    first, second = ([game for game in games if game.seat == seat] for seat in (1, 2))
    of_first_mover = [*first, *(game.turned for game in second)]
    return [str(tally_of(each)) for each in (first, second, of_first_mover)]
