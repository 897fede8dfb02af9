"""The content of a results file: lines of JSON, a header and then the games as they ended.

A further header follows where more games or pairings were requested; the last header counts. Each
game is replayed when it is read: its record must follow from its columns.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from agents.reporting.input_file import read_header, read_json, refused_line
from envs.board import BoardGame, state_after
from submission.arena.game_record import EPISODE_STEPS, GameConfiguration, GameRecord, Result
from submission.arena.own_referee import rewards_of
from submission.kaggle import DONE
from submission.match.match import MatchPlan
from submission.match.schedule import Settings, seat_in
from submission.records import record_of
from submission.sandbox.move import FAILING_STATUSES

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
    document = read_json(line, dict)
    if document is None:
        raise ValueError("it is not a JSON object")
    if document.pop("format", None) != FORMAT:
        return record_of(GameRecord, document)
    header = record_of(ResultsHeader, document)
    header.require_sound()
    return header


def _require_sound(games: Mapping[int, GameRecord], header: ResultsHeader, path: Path) -> None:
    rules = header.settings.configuration
    env, seen = rules.env, set[tuple[str, str, int]]()
    for number, game in games.items():
        with refused_line(path, number):
            if not header.announces(game):
                raise ValueError(f"the header does not announce {game}")
            if (*game.pairing, game.game) in seen:
                raise ValueError(f"the file has {game} twice")
            seen.add((*game.pairing, game.game))
            _require_played(game, rules, env)


# --- a game's record must follow from its columns


def _require_played(record: GameRecord, rules: GameConfiguration, env: BoardGame) -> None:
    """Replay a game, and raise ValueError if its record does not match."""
    try:
        state = state_after(env, record.columns)
    except ValueError:
        raise ValueError(f"no game has the columns {[*record.columns]}") from None
    failing = [place for place in (0, 1) if record.statuses[place] != DONE]
    is_open_spiel, seat = rules.referee.is_open_spiel, seat_in(record.game)
    rewards = _possible_rewards(is_open_spiel, env.winner(state), failing)
    is_longest = not is_open_spiel and len(record.columns) == EPISODE_STEPS - 1
    is_over = is_longest or not env.get_available_actions(state)
    # OpenSpiel's environments ask both seats before the first move, when either may fail.
    failed_before = is_open_spiel and not record.columns and bool(failing)
    fits = {
        "seat": record.seat == seat,
        "statuses": {*record.statuses} <= {DONE, *FAILING_STATUSES}
        and (failed_before or failing == ([] if is_over else [state.player - 1])),
        "opening": failed_before or record.columns[: len(record.opening)] == record.opening,
        "rewards": record.rewards in rewards,
        "result": record.result is Result.of(record.statuses, rewards[0], seat),
        "durations": all(_has_times(record, place, place in failing) for place in (0, 1)),
        "cause": (record.cause is not None) is bool(failing),
    }
    for name, fit in fits.items():
        if not fit:
            words = str(getattr(record, name))
            raise ValueError(f"{name} {words} does not fit the columns {[*record.columns]}")


def _possible_rewards(
    is_open_spiel: bool, winner: int | None, failing: Sequence[int]
) -> list[tuple[int | None, int | None]]:
    """The rewards that the referee may have given the seats, the most likely first."""
    if not failing:
        return [rewards_of(winner)]
    if len(failing) == 2:
        return [(None, None)]
    told: list[tuple[int | None, int]] = [(None, 1), (-1, 1)] if is_open_spiel else [(None, 0)]
    return [(failed, other) if failing == [0] else (other, failed) for failed, other in told]


def _has_times(record: GameRecord, place: int, failed: bool) -> bool:
    """Whether each move of a seat, including a failed one, has a time."""
    begin, seconds = len(record.opening), record.durations[place]
    moves = len(range(begin + (begin + place) % 2, len(record.columns), 2))
    return len(seconds) == moves + failed and all(0 <= each < inf for each in seconds)
