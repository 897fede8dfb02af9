"""The results file of a match, to which each game is added as it ends, so that none is lost.

It consists of lines of JSON, a header and then the games as they ended. A further header follows
where more games or pairings were requested; the last header counts. Each game is replayed when it
is read: its record must follow from its columns.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from agents.reporting.input_file import (
    one_line,
    read_content,
    read_header,
    read_json,
    record_of,
    refused_line,
)
from agents.reporting.output_file import GrowingFile, growing_file
from submission.arena.game_record import GameRecord
from submission.arena.own_referee import require_played
from submission.executors.work import Completion
from submission.match.match import Match, MatchPlan, ScoreBoard
from submission.match.schedule import Settings, seat_in

FORMAT = "connectx results, version 1"


class ResultsHeader(MatchPlan):
    """The conditions that games must share to be counted together."""

    def to_dict(self) -> dict[str, Any]:
        """The header for JSON."""
        return {"format": FORMAT, **asdict(self)}

    def require_sound(self) -> None:
        """Raise ValueError for no pairings, unknown players, or two players with the same name."""
        if not self.pairings:
            raise ValueError("it has no pairings")
        names = {player.name for player in self.players}
        if len(names) < len(self.players):
            raise ValueError("two of its players have the same name")
        if unknown := {name for pairing in self.pairings for name in pairing} - names:
            raise ValueError(f"{unknown.pop()!r} is not among its players")

    def announces(self, record: GameRecord) -> bool:
        """Whether a game is among those requested."""
        return record.pairing in self.pairings and record.game in range(self.settings.games)

    def differences(self, earlier: "ResultsHeader") -> Iterator[str]:
        """Clauses that say why games of this and an earlier header cannot be counted together.

        Another number of games or other pairings are not a reason.
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
        """The conditions that must be the same for all games, by name."""
        conditions = {field.name: getattr(self.settings, field.name) for field in fields(Settings)}
        del conditions["games"]
        configuration = conditions.pop("configuration")
        return {**conditions, **asdict(configuration), **asdict(self.versions)}


def _shown(condition: object) -> str:
    if condition is None:
        return "none"
    return f"{condition:g}" if isinstance(condition, float) else str(condition)


class ResultsContent(NamedTuple):
    """The parsed content of a results file."""

    header: ResultsHeader
    records: tuple[GameRecord, ...]  # in the order in which the games ended
    torn: bytes  # the beginning of an incomplete last line


def parse_results(content: bytes, path: Path) -> ResultsContent:
    """Parse the content of a results file, whose last line may be incomplete.

    Raises:
        ValueError: it is no results file or one of another version, or a line is damaged.
    """
    lines, torn = _whole_lines(content)
    if not lines:
        raise ValueError(
            f"{path} has no games yet, or is not a results file: wait for the first game"
        )
    other_file = "choose another file"
    read_header(lines[0], FORMAT, path, other_file)
    headers = list[ResultsHeader]()
    games = dict[int, GameRecord]()
    for number, line in enumerate(lines, start=1):
        with refused_line(path, number, "delete this line" if number > 1 else other_file):
            entry = _entry(line)
            if isinstance(entry, GameRecord):
                games[number] = entry
            else:
                for reason in entry.differences(headers[-1]) if headers else ():
                    raise ValueError(reason)
                headers.append(entry)
    _require_sound(games, headers[-1], path)
    return ResultsContent(headers[-1], tuple(games.values()), torn)


def _whole_lines(content: bytes) -> tuple[list[bytes], bytes]:
    """The complete lines, and the incomplete rest.

    After a power cut a file may also end in bytes that nobody wrote, including a line feed.
    """
    *lines, torn = content.split(b"\n")
    if len(lines) > 1 and read_json(lines[-1], dict) is None:
        torn = b"\n".join((lines.pop(), torn))
    return lines, torn


def _entry(line: bytes) -> ResultsHeader | GameRecord:
    """The header or the game in a line."""
    document = read_json(line, dict)
    if document is None:
        raise ValueError("it is not a JSON object")
    if document.pop("format", None) != FORMAT:
        return record_of(GameRecord, document)
    header = record_of(ResultsHeader, document)
    header.require_sound()
    return header


def _require_sound(games: Mapping[int, GameRecord], header: ResultsHeader, path: Path) -> None:
    """Refuse games, given by line number, that are impossible or listed twice."""
    rules = header.settings.configuration
    env, seen = rules.env, set[tuple[str, str, int]]()
    for number, game in games.items():
        with refused_line(path, number):
            if not header.announces(game):
                raise ValueError(f"the header does not announce {game}")
            if (*game.pairing, game.game) in seen:
                raise ValueError(f"the file has {game} twice")
            seen.add((*game.pairing, game.game))
            require_played(game, rules, env, seat_in(game.game))


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
    completion = Completion.COMPLETE if is_complete else Completion.UNFINISHED
    plan = header.players, header.pairings, header.settings, header.versions
    return Match(*plan, completion, score_board.records)


def _require_continued(content: ResultsContent, header: ResultsHeader, path: Path) -> None:
    """Refuse a file with games that are not requested now, or were played differently."""
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
