"""What is in a results file: lines of JSON, a header and then the games as they ended.

A further header stands where more games or pairings were asked for; the last one counts.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from submission.evaluating.game_record import GameRecord
from submission.evaluating.results.results_header import FORMAT, ResultsHeader


class ResultsContent(NamedTuple):
    """What a results file holds."""

    header: ResultsHeader
    records: tuple[GameRecord, ...]
    """In the order in which the games ended."""
    torn: bytes
    """What there is of a last line that is not whole."""


def parse_results(content: bytes, path: Path) -> ResultsContent:
    """Read what a results file holds, also where its last line was torn off.

    Args:
        content: the file's bytes.
        path: the file, for the messages.

    Raises:
        ValueError: it is no results file, one of another version, or a line is damaged.
    """
    lines, torn = _whole_lines(content)
    if not lines:
        raise ValueError(f"{path} has no games yet, or is no results file: wait for the first one")
    _require_format(lines[0], path)
    entries = [_entry(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1)]
    header = [entry for entry in entries if isinstance(entry, ResultsHeader)][-1]
    records = [entry for entry in entries if isinstance(entry, GameRecord)]
    _require_announced(records, header, path)
    _require_distinct(records, path)
    return ResultsContent(header, tuple(records), torn)


def title(record: GameRecord) -> str:
    """What a game is called in a sentence."""
    return f"game {record.game} of {record.player} against {record.opponent}"


def _whole_lines(content: bytes) -> tuple[Sequence[bytes], bytes]:
    """The lines, and apart from them what a last write has left undone.

    After a power cut a file may also end in bytes that nobody wrote, a line feed among them.
    """
    *lines, torn = content.split(b"\n")
    if len(lines) > 1 and _json_object(lines[-1]) is None:
        torn = b"\n".join((lines.pop(), torn))
    return lines, torn


def _require_format(line: bytes, path: Path) -> None:
    found = (_json_object(line) or {}).get("format")
    if found != FORMAT:
        raise ValueError(
            f"{path} must begin with the format {FORMAT!r}, not {found!r}: choose another file"
        )


def _entry(line: bytes, place: str) -> ResultsHeader | GameRecord:
    """The header or the game that a line stands for."""
    document = _json_object(line)
    if document is None:
        raise ValueError(f"{place} is damaged (it is no JSON object): delete this line")
    is_header = document.pop("format", None) == FORMAT
    kind = ResultsHeader if is_header else GameRecord
    try:
        return kind.from_dict(document)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{place} is damaged ({error!r}): delete this line") from error


def _json_object(line: bytes) -> dict[str, Any] | None:
    """What a line says; None where it is no JSON object."""
    try:
        document = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _require_announced(records: Sequence[GameRecord], header: ResultsHeader, path: Path) -> None:
    for record in records:
        if not header.announces(record):
            raise ValueError(
                f"{path} is damaged: its header does not announce {title(record)}; delete its line"
            )


def _require_distinct(records: Sequence[GameRecord], path: Path) -> None:
    games = set[tuple[str, str, int]]()
    for record in records:
        game = (record.player, record.opponent, record.game)
        if game in games:
            raise ValueError(f"{path} has {title(record)} twice: delete one of its lines")
        games.add(game)
