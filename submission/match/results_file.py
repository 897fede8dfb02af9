"""The results file of a match, to which each game is added as it ends, so that none is lost.

`submission.match.results_content` describes the file.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agents.reporting.input_file import one_line, read_content
from agents.reporting.output_file import GrowingFile, growing_file
from submission.arena.game_record import GameRecord
from submission.match.completion import Completion
from submission.match.match import Match, ScoreBoard
from submission.match.results_content import ResultsContent, ResultsHeader, parse_results


@dataclass(slots=True)
class ResultsFile:
    """A results file that is open for appending, by this process alone."""

    file: GrowingFile
    untold: ResultsHeader | None  # a header to write before the next game
    played: tuple[GameRecord, ...] = ()  # the games of earlier runs, for `play_match`
    was_torn: bool = False
    """Whether the last line was incomplete; it was removed, and its game is played again."""

    def append(self, record: GameRecord) -> None:
        """Add a game."""
        header = b"" if self.untold is None else _line(self.untold.to_dict())
        self.file.append(header + _line(asdict(record)))
        self.untold = None


@contextmanager
def new_results(path: Path, header: ResultsHeader) -> Iterator[ResultsFile]:
    """A new results file until the `with` block ends; it is empty until the first game.

    Raises:
        OSError: it is not empty or cannot be written, or another run is writing it.
    """
    with growing_file(path) as file:
        if file.read():
            raise FileExistsError(
                f"{path} is not empty: go on from it with --resume, or choose another file"
            )
        yield ResultsFile(file, header)


@contextmanager
def resumed_results(path: Path, header: ResultsHeader) -> Iterator[ResultsFile]:
    """The results file of an earlier run until the `with` block ends.

    The header describes the games requested now, which may be more than before.

    Raises:
        ValueError: it is no results file, it is damaged, or its games do not match the header.
        OSError: it does not exist or cannot be written, or another run is writing it.
    """
    if not path.exists():
        raise FileNotFoundError(f"there is no {path} to go on from: leave --resume out to begin")
    with growing_file(path) as file:
        before = file.read()
        whole = _line(header.to_dict())
        if whole.startswith(before):  # no game yet
            file.cut(0)
            yield ResultsFile(file, header, was_torn=before not in (b"", whole))
            return
        content = parse_results(before, path)
        _require_continued(content, header, path)
        file.cut(len(before) - len(content.torn))
        untold = None if header == content.header else header
        yield ResultsFile(file, untold, content.records, bool(content.torn))


def read_results(path: Path) -> Match:
    """Read the match in a results file, which is not changed.

    Raises:
        ValueError: it is no results file or one of another version, or it is damaged.
        OSError: it cannot be read.
    """
    return match_of(read_content(path, "name a file that --results has written"), path)


def match_of(content: bytes, path: Path) -> Match:
    """The match in the content of a results file; it is UNFINISHED if games are missing."""
    header, records, _ = parse_results(content, path)
    score_board = ScoreBoard(header.pairings, header.settings.sprt)
    for record in records:
        score_board.add(record)
    is_complete = score_board.is_complete(header.settings.games)
    return Match(
        players=header.players,
        pairings=header.pairings,
        settings=header.settings,
        versions=header.versions,
        completion=Completion.COMPLETE if is_complete else Completion.UNFINISHED,
        records=score_board.records,
    )


def _require_continued(content: ResultsContent, header: ResultsHeader, path: Path) -> None:
    reasons = [
        *header.differences(content.header),
        *(f"it has {game}" for game in content.records if not header.announces(game)),
    ]
    for reason in map(one_line, reasons):
        raise ValueError(
            f"{path} does not fit the games requested ({reason}): request at least those that it "
            "has, or choose another file"
        )


def _line(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, allow_nan=False).encode("ascii") + b"\n"
