"""The games of a match on disk, added as they end, so that nothing played is lost.

`submission.match.results_content` describes the file.
"""

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from io import FileIO
from pathlib import Path
from time import monotonic
from typing import Any

from agents.reporting.output_file import unwritable
from submission.arena.game_record import GameRecord
from submission.match.match import Completion, Match, ScoreBoard
from submission.match.results_content import ResultsContent, ResultsHeader, parse_results

if sys.platform == "win32":
    import msvcrt
else:
    try:
        import fcntl
    except ModuleNotFoundError:
        fcntl = None  # type: ignore[assignment]

SYNC_SECONDS = 1.0
"""A power cut costs the games of at most so long; the death of a process costs none."""

LOCKED_BYTE = 2**31 - 2
"""Nobody else can read what is locked on Windows, so it lies where there is nothing to read."""


@dataclass(slots=True)
class ResultsFile:
    """A results file to which nobody else appends."""

    path: Path
    file: FileIO
    """The file, open to append."""
    untold: ResultsHeader | None
    """A header that goes ahead of the next game."""
    played: tuple[GameRecord, ...] = ()
    """The games of earlier runs, for `play_match`."""
    was_torn: bool = False
    """Whether the last line was not whole: it is gone, and its game will be played again."""
    synced: float = field(default_factory=monotonic)
    """When the file was last brought to the disk, in seconds of the monotonic clock."""

    def append(self, record: GameRecord) -> None:
        """Add a game.

        Raises:
            OSError: it cannot be written.
        """
        header = b"" if self.untold is None else _line(self.untold.to_dict())
        try:
            self._write(header + _line(asdict(record)))
        except OSError as error:
            raise OSError(
                f"cannot write {self.path} ({error.strerror}): mend that and go on with --resume"
            ) from error
        self.untold = None

    def _write(self, lines: bytes) -> None:
        """Hand lines to the system in one piece, and to the disk every now and then."""
        while lines:
            lines = lines[self.file.write(lines) :]
        if monotonic() - self.synced >= SYNC_SECONDS:
            os.fsync(self.file)
            self.synced = monotonic()


@contextmanager
def new_results(path: Path, header: ResultsHeader) -> Iterator[ResultsFile]:
    """A new results file until the `with` block ends; it is empty until the first game.

    Raises:
        FileExistsError: there is something in the file.
        OSError: it cannot be written, or another run writes it.
    """
    with _opened(path) as file:
        if file.read(1):
            raise FileExistsError(
                f"{path} has something in it already: go on from it with --resume, or choose "
                "another file"
            )
        yield ResultsFile(path, file, header)


@contextmanager
def resumed_results(path: Path, header: ResultsHeader) -> Iterator[ResultsFile]:
    """The results file of an earlier run until the `with` block ends.

    Args:
        path: the file.
        header: of the games that are asked for now; there may be more than before.

    Raises:
        ValueError: it is no results file, it is damaged, or its games were others.
        OSError: there is no such file, it cannot be written, or another run writes it.
    """
    if not path.exists():
        raise FileNotFoundError(f"there is no {path} to go on from: leave --resume out to begin")
    with _opened(path) as file:
        before = file.readall()
        whole = _line(header.to_dict())
        if whole.startswith(before):  # no game yet
            file.truncate(0)
            yield ResultsFile(path, file, header, was_torn=before not in (b"", whole))
            return
        content = parse_results(before, path)
        _require_continued(content, header, path)
        file.truncate(len(before) - len(content.torn))
        untold = None if header == content.header else header
        yield ResultsFile(path, file, untold, content.records, bool(content.torn))


def read_results(path: Path) -> Match:
    """Read the match in a results file, which is left as it is.

    It counts as unfinished where games are missing.

    Raises:
        ValueError: it is no results file, one of another version, or it is damaged.
        OSError: it cannot be read.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise OSError(
            f"cannot read {path} ({error.strerror}): name a file that --results has written"
        ) from error
    header, records, _ = parse_results(content, path)
    score_board = ScoreBoard(header.pairings, header.settings.sprt)
    for record in records:
        score_board.add(record)
    played = Counter(record.pairing for record in records)
    is_complete = all(
        played[names] == header.settings.games or names in score_board.decisions
        for names in header.pairings
    )
    return Match(
        players=header.players,
        pairings=header.pairings,
        settings=header.settings,
        versions=header.versions,
        completion=Completion.COMPLETE if is_complete else Completion.UNFINISHED,
        records=score_board.records,
    )


def _require_continued(content: ResultsContent, header: ResultsHeader, path: Path) -> None:
    """Refuse games that are not among those asked for now, or of other conditions."""
    reasons = [
        *header.differences(content.header),
        *(f"it has {game}" for game in content.records if not header.announces(game)),
    ]
    if reasons:
        raise ValueError(
            f"{path} does not go with what is asked for ({reasons[0]}): ask for at least what it "
            "has, or choose another file"
        )


@contextmanager
def _opened(path: Path) -> Iterator[FileIO]:
    """The file, locked, to read from its beginning and to append; on the disk afterwards."""
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is no plain file: choose another one for the results")
    try:
        file = path.open("ab+", buffering=0)
    except OSError as error:
        raise unwritable(path, error) from error
    with file:
        _lock(file, path)
        file.seek(0)
        yield file
        os.fsync(file)


def _lock(file: FileIO, path: Path) -> None:
    """Keep other runs out, where the file system can."""
    try:
        _take_lock(file)
    except (BlockingIOError, PermissionError) as error:
        raise BlockingIOError(
            f"another run is writing {path}: wait until it ends, or choose another file"
        ) from error
    except OSError:  # some network file systems know no locks
        return


def _take_lock(file: FileIO) -> None:
    """Lock the file until it is closed.

    Raises:
        BlockingIOError, or PermissionError on Windows: it is locked already.
        OSError: it cannot be locked.
    """
    if sys.platform == "win32":
        file.seek(LOCKED_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    elif fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _line(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, allow_nan=False).encode("ascii") + b"\n"
