"""The page of a ladder: the ratings as a picture, the tables, and lost games to step through."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from envs.board import moves_text
from envs.render import COLOURS, board_svg
from submission.arena.game_record import GameConfiguration, GameRecord, Result
from submission.play.game_history import History, placed_cells
from submission.rating.ladder import Ladder, ladder_notes, ladder_title
from submission.reports import percent, render_page

SHOWN = 2  # the most lost games of a player against each opponent that the page shows


def ladder_page(ladder: Ladder) -> str:
    """The ratings as a picture, the tables, and lost games to step through."""
    match = ladder.match
    return render_page(
        "ladder.html",
        title=ladder_title(ladder),
        ladder=ladder,
        chart=ladder.pictures()[0],
        tables=[ladder.results_table(), ladder.times_table()],
        notes=ladder_notes(ladder),
        percent=percent,
        colour=_colour,
        most_shown=SHOWN,
        lost_games=lambda rung: lost_games(rung.player, match.records, SHOWN),
        replay=lambda record: _replay(record, match.settings.configuration),
    )


class LostGames(NamedTuple):
    """The games that a player has lost to one opponent."""

    opponent: str
    shown: tuple[GameRecord, ...]
    left_out: int  # the number of lost games that are not shown


def lost_games(player: str, records: Iterable[GameRecord], most: int) -> list[LostGames]:
    """List a player's lost games by opponent: its failures first, then the quickest losses."""
    by_opponent: dict[str, list[GameRecord]] = defaultdict(list)
    for record in records:
        if player in record.pairing:
            seen = record.seen_by(player)
            if seen.result.outcome is Result.LOSS:
                by_opponent[seen.opponent].append(record)
    found = []
    for opponent, games in by_opponent.items():
        games.sort(key=lambda game: (not game.failures, len(game.columns)))
        found.append(LostGames(opponent, tuple(games[:most]), max(0, len(games) - most)))
    return found


WON_HUE, LOST_HUE = 145, 10  # hues of the scores above and below one half


def _colour(score: float) -> str:
    hue = WON_HUE if score > 0.5 else LOST_HUE
    return f"hsl({hue} 60% {100 - 50 * abs(score - 0.5):.0f}%)"


def _replay(record: GameRecord, configuration: GameConfiguration) -> dict[str, Any]:
    """A game to step through, as the template `replay.html` takes it."""
    env = configuration.env
    states = History(env, record.columns).states
    free, *stones = COLOURS
    return {
        "board": board_svg(env, states[-1]),
        "cells": placed_cells(env, states),
        "free": free,
        "players": list(zip(stones, record.in_seats, strict=True)),
        "course": f"Opening {moves_text(record.opening) or 'none'}. {_end_of(record)}",
    }


def _end_of(record: GameRecord) -> str:
    plies = len(record.columns)
    failed = [f"{status} of {name}" for name, status in record.failures.items()]
    if not failed:
        return f"Over after ply {plies}."
    return f"{' and '.join(failed)} after ply {plies}: {record.cause}."
