"""The content of a results file: lines of JSON, a header and then the games as they ended.

A further header stands where more games or pairings were asked for; the last one counts.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from submission.arena.game_record import GameRecord
from submission.arena.players import Identity, Pairing, players_of
from submission.match.match import Versions
from submission.match.schedule import Settings

FORMAT = "connectx results, version 1"


@dataclass(frozen=True, slots=True)
class ResultsHeader:
    """All that games must have in common to be counted together."""

    players: tuple[Identity, ...]
    """Everybody who plays, each once."""
    pairings: tuple[tuple[str, str], ...]
    """The names of the player and the opponent of each."""
    settings: Settings
    versions: Versions

    @classmethod
    def of(cls, pairings: Sequence[Pairing], settings: Settings) -> "ResultsHeader":
        """The header of the games that `play_match` plays with these arguments."""
        return cls(
            players=tuple(map(Identity.of, players_of(pairings))),
            pairings=tuple(pairing.names for pairing in pairings),
            settings=settings,
            versions=Versions.current(),
        )

    def to_dict(self) -> dict[str, Any]:
        """The header for JSON."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "ResultsHeader":
        """The header whose `to_dict` went through JSON.

        Raises:
            KeyError, TypeError, ValueError: a field is missing, or of another type.
        """
        return cls(
            players=tuple(map(Identity.from_dict, document["players"])),
            pairings=tuple((player, opponent) for player, opponent in document["pairings"]),
            settings=Settings.from_dict(document["settings"]),
            versions=Versions(**document["versions"]),
        )

    def announces(self, record: GameRecord) -> bool:
        """Whether a game is one of those that were asked for."""
        return record.pairing in self.pairings and record.game in range(self.settings.games)

    def differences(self, earlier: "ResultsHeader") -> Iterator[str]:
        """Say why games of this header cannot be counted with those of an earlier one, in clauses.

        Another number of games and other pairings are no reason.
        """
        now = self._conditions()
        for name, before in earlier._conditions().items():
            if now[name] != before:
                yield f"it was begun with {name} {_shown(before)}, not {_shown(now[name])}"
        identities = {player.name: player for player in self.players}
        for player in earlier.players:
            if player != identities.get(player.name, player):
                yield f"the content of {player.name} has changed"

    def _conditions(self) -> dict[str, object]:
        """All that must be the same for all games, by name."""
        conditions = {field.name: getattr(self.settings, field.name) for field in fields(Settings)}
        del conditions["games"]
        configuration = conditions.pop("configuration")
        return {**conditions, **asdict(configuration), **asdict(self.versions)}


def _shown(condition: object) -> str:
    return "none" if condition is None else str(condition)


class ResultsContent(NamedTuple):
    """A results file, read."""

    header: ResultsHeader
    records: tuple[GameRecord, ...]
    """In the order in which the games ended."""
    torn: bytes
    """The beginning of a last line that is not whole."""


def parse_results(content: bytes, path: Path) -> ResultsContent:
    """Read the content of a results file, also where its last line was torn off.

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
    """The JSON object of a line; None where it is something else."""
    try:
        document = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _require_announced(records: Sequence[GameRecord], header: ResultsHeader, path: Path) -> None:
    for record in records:
        if not header.announces(record):
            raise ValueError(
                f"{path} is damaged: its header does not announce {record}; delete its line"
            )


def _require_distinct(records: Sequence[GameRecord], path: Path) -> None:
    games = set[tuple[str, str, int]]()
    for record in records:
        game = (record.player, record.opponent, record.game)
        if game in games:
            raise ValueError(f"{path} has {record} twice: delete one of its lines")
        games.add(game)
