"""Files of games, named on the command line or dropped on the page: filtered, and as tables."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from agents.reporting.input_file import one_line
from envs.board import moves_text
from envs.games import game_id
from submission.arena.game_record import GameRecord, Result
from submission.match.match import RULES, Match, match_notes, results_table
from submission.rating.ladder import ladder_notes, make_ladder
from submission.reports import PlayerTable, in_one_line
from submission.reviewing.replays import ReplayFile, replays_of

Name = Annotated[str, Meta(max_length=1000)]  # of a player or a file
LONGEST_NAME = 100  # characters of a dropped file's name that are shown


class ReplayFilter(Struct):
    """Which games are wanted; None means any."""

    player: Name | None = None
    opponent: Name | None = None
    result: Result | None = None
    """From the view of `player`, or else of the one that meets `opponent`; a failure is a loss."""
    failed: bool | None = None  # whether a seat has failed


class OpenedFile:
    """A file of games."""

    def __init__(self, file: ReplayFile) -> None:
        self.file = file

    def form(self, number: int) -> dict[str, Any]:
        """The file as JSON for the page's list of files."""
        return {
            "number": number,
            "name": self.file.name,
            "kind": "episode" if self.file.match is None else "results",
            "games": len(self.file.records),
            "players": self.players,
        }

    @cached_property
    def players(self) -> list[str]:
        """The players, in the order of their first games."""
        return list(dict.fromkeys(name for record in self.file.records for name in record.pairing))

    def replays(self, wanted: ReplayFilter, offset: int, count: int) -> dict[str, Any]:
        """Up to `count` of the wanted games from `offset` on, and how many there are in all."""
        chosen = [
            (number, found)
            for number, record in enumerate(self.file.records)
            for found in _seen(record, wanted)
        ]
        game = game_id(self.file.configuration.env)
        return {
            "total": len(chosen),
            "replays": [_form(*found, game) for found in chosen[offset : offset + count]],
        }

    @cached_property
    def standings(self) -> dict[str, Any]:
        """The table of the players, as `connectx report` shows it; ratings need an extra."""
        match = self.file.match
        if match is None or not match.records:
            return {"title": self.file.name, "columns": [], "rows": [], "notes": [], "cross": None}
        return _ladder(match) if match.is_ladder else _results(match)


def dropped_file(name: str, text: str) -> OpenedFile:
    """The games of a file that was dropped on the page or pasted; raises like `replays_of`."""
    shown = one_line(re.split(r"[/\\]", name)[-1].strip())[:LONGEST_NAME] or "dropped"
    return OpenedFile(replays_of(text.encode(errors="replace"), Path(shown)))


def _form(number: int, record: GameRecord, game: str) -> dict[str, Any]:
    """A game of a file as JSON for the page's list."""
    return {
        "number": number,
        "game": game,
        "moves": moves_text(record.columns),
        "players": record.in_seats,
        "player": record.player,
        "opponent": record.opponent,
        "seat": record.seat,
        "result": record.result,
        "outcome": record.ending,
        "plies": len(record.columns),
        "cause": record.cause,
        "opening_plies": len(record.opening),
    }


def _seen(record: GameRecord, wanted: ReplayFilter) -> Iterator[GameRecord]:
    """The game from the wanted player's view; nothing if the filter excludes it."""
    for view in (record, record.turned):
        if (
            wanted.player in (None, view.player)
            and wanted.opponent in (None, view.opponent)
            and wanted.result in (None, view.result, view.result.outcome)
            and wanted.failed in (None, view.result is not view.result.outcome)
        ):
            yield view
            return
        if wanted.player is wanted.opponent is None:
            return


def _results(match: Match) -> dict[str, Any]:
    notes = [*match_notes(match), RULES]
    return {**_table(results_table(match.stats())), "notes": notes, "cross": None}


def _ladder(match: Match) -> dict[str, Any]:
    ladder = make_ladder(match, None)
    scores = [[meeting.score for meeting in rung.against] for rung in ladder.rungs]
    return {
        **_table(ladder.results_table()),
        "notes": ladder_notes(ladder),
        "cross": {
            "players": [rung.player for rung in ladder.rungs],
            "rows": [[None if s is None else round(100 * s, 1) for s in row] for row in scores],
        },
    }


def _table(table: PlayerTable) -> Mapping[str, Any]:
    rows: list[Sequence[str]] = [[name, *cells] for name, cells in table.rows.items()]
    return {
        "title": table.title,
        "columns": [in_one_line(text) for text in (table.label, *table.headings)],
        "rows": [[in_one_line(text) for text in row] for row in rows],
    }
