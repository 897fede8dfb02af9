"""Files of games, of the command line or dropped on the page: filtered, and as tables."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from agents.reporting.input_file import one_line
from submission.arena.game_record import Result
from submission.match.match import RULES, Match, match_notes, results_table
from submission.rating.ladder import ladder_notes, make_ladder
from submission.reports import PlayerTable, in_one_line
from submission.reviewing.replays import Replay, ReplayFile, replays_of

FAILED = (Result.PLAYER_FAILED, Result.OPPONENT_FAILED)
COUNTS_AS = {Result.PLAYER_FAILED: Result.LOSS, Result.OPPONENT_FAILED: Result.WIN}
Name = Annotated[str, Meta(max_length=1000)]  # of a player or a file
LONGEST_NAME = 100  # characters of a dropped file's name that are shown


class ReplayFilter(Struct):
    """The games that are wanted; None stands for any."""

    player: Name | None = None
    opponent: Name | None = None
    result: Result | None = None
    """From the view of `player`, or of the opponent's opponent; a player that fails has lost."""
    failed: bool | None = None  # whether a seat has failed


class OpenedFile:
    """A file of games."""

    def __init__(self, file: ReplayFile) -> None:
        self.file = file

    def form(self, number: int) -> dict[str, Any]:
        """The file as the page offers it."""
        return {
            "number": number,
            "name": self.file.name,
            "kind": self.file.kind,
            "games": len(self.file.replays),
            "players": self.players,
        }

    @cached_property
    def players(self) -> list[str]:
        """The players, in the order of their first games."""
        names = (name for replay in self.file.replays for name in (replay.player, replay.opponent))
        return list(dict.fromkeys(names))

    def replays(self, wanted: ReplayFilter, offset: int, count: int) -> dict[str, Any]:
        """Some of the wanted games, and how many there are."""
        chosen = [found for replay in self.file.replays for found in _seen(replay, wanted)]
        return {
            "total": len(chosen),
            "replays": [
                {**asdict(replay), "outcome": replay.outcome}
                for replay in chosen[offset : offset + count]
            ],
        }

    @cached_property
    def standings(self) -> dict[str, Any]:
        """The table of the players, as `connectx report` shows it; ratings need an extra."""
        match = self.file.match
        if match is None or not match.records:
            return {"title": self.file.name, "columns": [], "rows": [], "notes": [], "cross": None}
        return _ladder(match) if len({one for one, _ in match.pairings}) > 1 else _results(match)


def dropped_file(name: str, text: str) -> OpenedFile:
    """The games of a file that was dropped on the page or pasted; raises as `read_replays`."""
    shown = one_line(re.split(r"[/\\]", name)[-1].strip())[:LONGEST_NAME] or "dropped"
    return OpenedFile(replays_of(text.encode(errors="replace"), Path(shown)))


def _seen(replay: Replay, wanted: ReplayFilter) -> Iterator[Replay]:
    """The game from the view of the player that is wanted; nothing if it is not wanted."""
    turned = replace(
        replay,
        player=replay.opponent,
        opponent=replay.player,
        seat=3 - replay.seat,
        result=replay.result.for_opponent,
    )
    for view in (replay, turned):
        if (
            wanted.player in (None, view.player)
            and wanted.opponent in (None, view.opponent)
            and wanted.result in (None, view.result, COUNTS_AS.get(view.result))
            and wanted.failed in (None, view.result in FAILED)
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
