"""The page of a ladder: the ratings as a picture, the tables, and lost games to step through."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from envs.board import moves_text
from envs.render import COLOURS, board_svg
from submission.arena.game_record import GameConfiguration, GameRecord
from submission.figures import percent
from submission.rating.ladder import Ladder, ladder_notes, ladder_title
from submission.rating.round_robin import LOST, result_of
from submission.reports import render_page

SHOWN = 2
"""The most lost games of a player against each opponent that the page shows."""


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


@dataclass(frozen=True, slots=True)
class LostGames:
    """The games that a player has lost to one opponent."""

    opponent: str
    shown: tuple[GameRecord, ...]
    left_out: int
    """The number of the others."""


def lost_games(player: str, records: Iterable[GameRecord], most: int) -> list[LostGames]:
    """List what a player has lost, by opponent: its failures first, then the quickest losses."""
    by_opponent: dict[str, list[GameRecord]] = defaultdict(list)
    for record in records:
        if player in record.pairing and result_of(player, record) in LOST:
            first, second = record.pairing
            by_opponent[second if player == first else first].append(record)
    return [_chosen(opponent, games, most) for opponent, games in by_opponent.items()]


def _chosen(opponent: str, games: Sequence[GameRecord], most: int) -> LostGames:
    told = sorted(games, key=lambda game: (not game.failing_players, len(game.columns)))
    return LostGames(opponent, tuple(told[:most]), max(0, len(told) - most))


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
