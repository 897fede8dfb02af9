import json
import os
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.reporting import output_file
from agents.reporting.input_file import quoted, record_of
from agents.reporting.output_file import LOCKED_BYTE
from submission.arena.game_record import GameConfiguration, GameRecord, Result
from submission.arena.players import Identity, Pairing, Player, PlayerKind
from submission.executors.work import Completion
from submission.kaggle import Referee
from submission.match.results_file import (
    FORMAT,
    ResultsHeader,
    new_results,
    read_results,
    resumed_results,
)
from submission.match.run import ARENAS, play_games
from submission.match.schedule import Arena, Settings, schedule
from submission.match.sprt import Sprt
from submission.sandbox.move import FAILING_STATUSES, Failure, Move
from tests.helpers.game_records import DRAW, LOSS, PLAYER_FAILED, WIN
from tests.helpers.refusals import is_sentence, nested

HERO = Player("hero", PlayerKind.FILE, b"def agent(observation): return 0")
RIVAL = Player("rival", PlayerKind.BUILT_IN)
SECOND_RIVAL = Player("second rival", PlayerKind.BUILT_IN)
SETTINGS = Settings(games=4, seed=1)
HEADER = ResultsHeader.of([Pairing(HERO, RIVAL)], SETTINGS)


def with_settings(**changes: Any) -> ResultsHeader:
    return replace(HEADER, settings=replace(SETTINGS, **changes))


any_text = st.text(st.characters(exclude_categories=()), max_size=10)


class AnySeat:
    """Plays a column with room, and now and then anything that a player may do."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def act(self, observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> Move:
        board, columns = observation["board"], configuration["columns"]
        column = self.random.choice([place for place in range(columns) if not board[place]])
        return self.random.choice(
            [Move(column, self.random.random())] * 20
            + [Move(column, 1e4), Move(99, 0.1), Move(-1, 0.1)]
            + [Move(full, 0.1) for full in range(columns) if board[full]][:1]
            + [Move(None, 0.1, Failure(status, "boom", ("boom",))) for status in FAILING_STATUSES]
        )


def played_by_anybody(pairings: list[Pairing], settings: Settings) -> tuple[GameRecord, ...]:
    """The games as the arena records them, of players who fail now and then."""
    rules = ARENAS[settings.arena]._replace(
        open_seat=lambda _, seed, **__: nullcontext(AnySeat(seed))
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ARENAS, settings.arena, rules)
        return tuple(play_games(schedule(pairings, settings), lambda _: True, None))


@st.composite
def matches(draw: st.DrawFn) -> tuple[ResultsHeader, list[GameRecord]]:
    """A header, and some of the games that it announces, in any order."""
    size = st.integers(2, 3)
    rules = GameConfiguration(draw(size), draw(size), draw(size), draw(st.floats(0.1, 9)))
    settings = Settings(
        games=2,
        seed=draw(st.integers(0)),
        opening_plies=draw(st.integers(0, 1)),
        configuration=rules,
        arena=Arena.OWN,
    )
    hero, rival = draw(st.sampled_from([(HERO, RIVAL), (replace(HERO, source=b"\xff"), RIVAL)]))
    pairings = [Pairing(hero, rival), Pairing(hero, SECOND_RIVAL), Pairing(rival, SECOND_RIVAL)]
    games = draw(st.permutations(played_by_anybody(pairings, settings)))
    told = [
        replace(game, cause=draw(any_text), stderr=(draw(any_text),)) if game.cause else game
        for game in games[: draw(st.integers(1, 4))]
    ]
    return ResultsHeader.of(pairings, settings), told


def write(path: Path, header: ResultsHeader, *played: GameRecord) -> bytes:
    with new_results(path, header) as results:
        for record in played:
            results.append(record)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.jsonl"


@given(matches(), st.data())
@settings(max_examples=30)
def test_a_report_reads_what_was_written_and_a_file_cut_short_keeps_its_whole_games(
    match: tuple[ResultsHeader, list[GameRecord]], data: st.DataObject
) -> None:
    header, played = match
    with TemporaryDirectory() as folder:
        path = Path(folder, "results.jsonl")
        content = write(path, header, *played)
        begin, end = content.index(b"\n") + 1, len(content)
        cuts = st.sampled_from([0, begin, end]) | st.integers(0, begin) | st.integers(begin, end)
        cut = data.draw(cuts)
        path.write_bytes(content[:cut])
        whole_games = max(0, content[:cut].count(b"\n") - 1)
        with resumed_results(path, header) as results:
            assert list(results.played) == played[:whole_games]
            assert results.was_torn == (cut > 0 and content[cut - 1 : cut] != b"\n")
            for record in played[whole_games:]:
                results.append(record)
        assert path.read_bytes() == content
        report = read_results(path)
    of_file = (report.players, report.pairings, report.settings, report.versions)
    assert of_file == (header.players, header.pairings, header.settings, header.versions)
    assert report.completion is Completion.UNFINISHED
    places = {names: place for place, names in enumerate(header.pairings)}
    assert list(report.records) == sorted(
        played, key=lambda record: (places[record.pairing], record.game)
    )


def test_a_line_is_there_as_soon_as_its_game_has_ended(path: Path) -> None:
    with new_results(path, HEADER) as results:
        assert path.read_bytes() == b""
        for ended, record in enumerate([WIN, LOSS, DRAW], start=1):
            results.append(record)
            assert len(read_results(path).records) == ended


def test_a_last_line_of_what_nobody_wrote_is_torn(path: Path) -> None:
    content = write(path, HEADER, WIN)
    path.write_bytes(content + b"\0\0\n")
    assert read_results(path).records == (WIN,)
    assert path.read_bytes() == content + b"\0\0\n", "a report leaves it as it is"
    with resumed_results(path, HEADER) as results:
        assert results.was_torn
    assert path.read_bytes() == content


def assert_not_resumed(path: Path, asked: ResultsHeader, message: str) -> None:
    """--resume refuses it, and it is left unchanged."""
    content = path.read_bytes()
    with pytest.raises(ValueError, match=message) as refusal, resumed_results(path, asked):
        pass
    assert is_sentence(refusal.value)
    assert path.read_bytes() == content


# --- files that are no results files


def assert_refused(path: Path, content: bytes, message: str) -> None:
    """Neither `report` nor --resume takes it, and it is left unchanged."""
    path.write_bytes(content)
    assert_not_resumed(path, HEADER, message)
    with pytest.raises(ValueError, match=message) as refusal:
        read_results(path)
    assert is_sentence(refusal.value)


def edited(line: bytes, change: Mapping[str, object]) -> bytes:
    return json.dumps(json.loads(line) | change).encode()


@pytest.mark.parametrize("line", [1, 2])
@pytest.mark.parametrize("damage", [b"\0", b"[]", b'{"game": 0}', b'{"format": "other"}'])
def test_a_damaged_line_is_refused(path: Path, line: int, damage: bytes) -> None:
    lines = write(path, HEADER, WIN, LOSS, DRAW).splitlines()
    lines[line] = damage
    assert_refused(path, b"\n".join([*lines, b""]), f"line {line + 1} is damaged")


FORMATS = ['"connectx results, version 2"', f'"{chr(127) * 100_000}"', nested(100_000)]


@pytest.mark.parametrize(
    "first", ["\0", "[]", '{"game": 0}', *(f'{{"format": {each}}}' for each in FORMATS)], ids=quoted
)
def test_other_files_are_refused(path: Path, first: str) -> None:
    _, *games = write(path, HEADER, WIN).splitlines()
    content = b"\n".join([first.encode(), *games, b""])
    assert_refused(path, content, f"must begin with the format '{FORMAT}'")


CONTRADICTIONS: list[dict[str, Any]] = [
    {"result": "draw"},
    {"result": "loss"},
    {"result": "abandoned"},
    {"seat": 2},
    {"seat": 7},
    {"seat": "1"},
    {"seat": 2, "result": "loss"},  # of game 0, in which the player is first
    {"game": 1.0},
    {"game": True},
    {"seed": None},
    {"columns": [99]},
    {"columns": [-1]},
    {"columns": "abc"},
    {"columns": [0, 1, 0, 1, 0, 1, 0, 2]},  # on after the end
    {"columns": [0, 1, 0, 1, 0, 1], "durations": [[0.1] * 3, [0.1] * 3]},  # not to the end
    {"columns": [0, 1, 0, 1, 0, 1, False]},
    {"columns": [1, 0, 1, 0, 1, 0, 1, 0]},
    {"opening": [3]},
    {"opening": [0]},  # whose move has a time
    {"opening": "0"},
    {"statuses": ["DONE", "FINE"]},
    {"statuses": ["DONE", "ERROR"]},
    {"statuses": ["ERROR", "ERROR"], "rewards": [None, None], "result": "player failed"},
    {"statuses": "DONE"},
    {"rewards": [-1, 1]},
    {"rewards": [float("nan"), 1]},
    {"rewards": [None, 0]},
    {"rewards": [True, -1]},
    {"durations": [[0.1] * 4, [0.1] * 4]},
    {"durations": [[0.1, 0.1, 0.1, -0.1], [0.1] * 3]},
    {"durations": [[0.1, 0.1, 0.1, float("nan")], [0.1] * 3]},
    {"durations": [[0.1, 0.1, 0.1, float("inf")], [0.1] * 3]},
    {"durations": [[0.1, 0.1, 0.1, "0.1"], [0.1] * 3]},
    {"cause": "ValueError: boom"},
    {"cause": 5, "statuses": ["DONE", "DONE"]},
    {"stderr": [5]},
    {"stderr": ["\x1b"] * 100_000, "cause": 5},
    {"result": "\x1b" * 100_000},
    {"seed": "\x1b" * 100_000},
    {"\x1b\n" * 100_000: 1},
    {"player": "\x1b\n" * 100_000},
]


FAILURE_CONTRADICTIONS: list[dict[str, Any]] = [
    {"rewards": [-1, 0]},
    {"rewards": [0, 0]},
    {"statuses": ["DONE", "ERROR"], "rewards": [0, None], "result": "opponent failed"},
    {"statuses": ["INVALID", "DONE"], "result": "opponent failed"},
    {"statuses": ["ERROR", "ERROR"], "rewards": [None, None]},
    {"statuses": ["LATE", "DONE"]},
    {"durations": [[0.5], [0.4]]},
    {"cause": None},
]


@pytest.mark.parametrize(
    ("game", "change"),
    [
        *((WIN, change) for change in CONTRADICTIONS),
        *((PLAYER_FAILED, change) for change in FAILURE_CONTRADICTIONS),
    ],
    ids=quoted,
)
def test_a_game_that_contradicts_itself_is_refused(
    path: Path, game: GameRecord, change: dict[str, Any]
) -> None:
    header, line, last = write(path, with_settings(games=8), game, LOSS).splitlines()
    assert len(read_results(path).records) == 2
    content = b"\n".join([header, last, edited(line, change), b""])
    assert_refused(path, content, r"results\.jsonl, line 3 is damaged \(.*\): del")


def test_however_deep_a_line_is_it_is_refused_in_a_sentence(path: Path) -> None:
    content, limit = write(path, HEADER, WIN, LOSS), sys.getrecursionlimit()
    for depth in (*range(limit - 150, limit), 100 * limit):
        deep = content.replace(b'"seed": 11', b'"seed": ' + nested(depth).encode(), 1)
        assert_refused(path, deep, "line 2 is damaged")


OPEN_SPIEL = replace(
    PLAYER_FAILED, rewards=(None, 1), columns=(0, 1), opening=(0, 1), durations=((0.1,), ())
)


@pytest.mark.parametrize(
    "failed",
    [
        OPEN_SPIEL,
        replace(OPEN_SPIEL, statuses=("INVALID", "DONE"), rewards=(-1, 1)),
        replace(OPEN_SPIEL, columns=()),
        replace(
            OPEN_SPIEL,
            columns=(),
            statuses=("ERROR", "TIMEOUT"),
            rewards=(None, None),
            durations=((0.1,), (15.0,)),
        ),
        replace(
            OPEN_SPIEL,
            columns=(),
            statuses=("DONE", "TIMEOUT"),
            rewards=(1, None),
            result=Result.OPPONENT_FAILED,
            durations=((), (15.0,)),
        ),
    ],
)
def test_failures_as_open_spiels_environments_end_them(path: Path, failed: GameRecord) -> None:
    rules = GameConfiguration.of(Referee.OPEN_SPIEL_CONNECT_FOUR)
    write(path, with_settings(games=8, configuration=rules), failed)
    assert read_results(path).records == (failed,)
    other = path.with_name("other")
    assert_refused(other, write(other, with_settings(games=8), failed), "line 2 is damaged")


def test_a_long_game_on_a_large_board_ends_as_a_draw(path: Path) -> None:
    """Kaggle's environment counts 1000 steps, the empty board among them."""
    header = with_settings(games=8, configuration=GameConfiguration(32, 32, 33))
    columns = tuple(ply // 32 for ply in range(999))
    longest = replace(DRAW, columns=columns, durations=((0.0,) * 500, (0.0,) * 499))
    write(path, header, longest)
    assert read_results(path).records == (longest,)
    shorter = replace(longest, columns=columns[:-1], durations=((0.0,) * 499, (0.0,) * 499))
    other = path.with_name("other")
    assert_refused(other, write(other, header, shorter), "line 2 is damaged")


@pytest.mark.parametrize("arena", Arena)
def test_whatever_an_arena_records_is_read_back(path: Path, arena: Arena) -> None:
    pairings = [Pairing(RIVAL, SECOND_RIVAL)]
    endings = Counter[Any]()
    for number, board in enumerate([(6, 7, 4), (2, 3, 2), (3, 3, 4)]):
        rules = GameConfiguration(*board)
        settings = Settings(games=10, opening_plies=0, configuration=rules, arena=arena)
        played, file = played_by_anybody(pairings, settings), path.with_name(f"{number}")
        write(file, ResultsHeader.of(pairings, settings), *played)
        assert read_results(file).records == played
        endings.update((game.statuses, game.result) for game in played)
    assert {status for statuses, _ in endings for status in statuses} == {"DONE", *FAILING_STATUSES}
    assert {result for _, result in endings} == {*Result}


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("games", "4"),
        ("games", float("inf")),
        ("seed", 1.5),
        ("opening_plies", True),
        ("configuration", []),
        ("configuration", {"rows": 10**9}),
        ("configuration", {"columns": 7.0}),
        ("configuration", {"act_timeout": float("nan")}),
        ("sprt", 5),
        ("arena", "moon"),
    ],
    ids=str,
)
def test_a_header_that_cannot_be_is_refused(path: Path, setting: str, value: object) -> None:
    header, game = write(path, HEADER, WIN).splitlines()
    changed = edited(header, {"settings": json.loads(header)["settings"] | {setting: value}})
    message = r"line 1 is damaged \(.*\): choose another file"
    assert_refused(path, b"\n".join([changed, game, b""]), message)


def test_lines_that_do_not_belong_together_are_refused(path: Path) -> None:
    further = write(path.with_name("other"), with_settings(seed=2), LOSS)
    content = write(path, HEADER, WIN, LOSS)
    header, game, _ = content.splitlines(keepends=True)
    unpaired = edited(header, {"pairings": []}) + b"\n"
    doubled = edited(header, {"players": json.loads(header)["players"] * 2}) + b"\n"
    begun_otherwise = r"line 4 is damaged \(it was begun with seed 1, not 2\)"
    assert_refused(path, unpaired + header, "it has no pairings")
    assert_refused(path, doubled + header, "two of its players have the same name")
    assert_refused(path, content + further, begun_otherwise)
    assert_refused(path, content + game, r"line 4 .* has game 1 of hero against rival twice")
    for change in ({"game": 4}, {"player": "rival"}, {"player": "\x1b[2J"}):
        other = edited(game, change) + b"\n"
        assert_refused(path, header + other, r"line 2 .* does not announce game")


# --- runs that follow one another


def test_an_earlier_run_is_not_overwritten(path: Path) -> None:
    content = write(path, HEADER, WIN)
    with pytest.raises(FileExistsError, match="--resume"), new_results(path, HEADER):
        pass
    assert path.read_bytes() == content


def test_more_games_and_pairings_may_be_added(path: Path) -> None:
    write(path, HEADER, WIN)
    more = ResultsHeader.of(
        [Pairing(HERO, SECOND_RIVAL), Pairing(HERO, RIVAL)], replace(SETTINGS, games=9)
    )
    further = replace(WIN, opponent="second rival", game=8)
    with resumed_results(path, more) as results:
        assert results.played == (WIN,)
        results.append(further)
    with resumed_results(path, more) as results:
        assert results.played == (WIN, further)
        results.append(LOSS)
    assert sum(b"format" in line for line in path.read_bytes().splitlines()) == 2
    match = read_results(path)
    assert match.settings.games == 9
    assert match.records == (further, WIN, LOSS)


def test_fewer_games_may_be_asked_for_than_were_planned(path: Path) -> None:
    write(path, HEADER, WIN, LOSS)
    with resumed_results(path, with_settings(games=2)) as results:
        assert results.played == (WIN, LOSS)
    assert_not_resumed(path, with_settings(games=1), "it has game 2 of hero against rival")


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (with_settings(seed=2), "begun with seed 1, not 2"),
        (
            with_settings(sprt=Sprt(alpha=0.1)),
            r"begun with sprt none, not 0,50 with alpha 0\.1 and beta 0\.05",
        ),
        (
            with_settings(configuration=GameConfiguration(act_timeout=0.5)),
            r"begun with act_timeout 2, not 0\.5",
        ),
        (
            replace(HEADER, versions=replace(HEADER.versions, kaggle_environments="9")),
            r"begun with kaggle_environments 1\.\S+, not 9",
        ),
        (
            ResultsHeader.of([Pairing(replace(HERO, source=b"new"), RIVAL)], SETTINGS),
            "the content of hero has changed",
        ),
        (
            ResultsHeader.of([Pairing(HERO, SECOND_RIVAL)], SETTINGS),
            "it has game 1 of hero against rival",
        ),
    ],
)
def test_other_conditions_are_never_mixed(path: Path, asked: ResultsHeader, reason: str) -> None:
    write(path, HEADER, WIN)
    assert_not_resumed(path, asked, reason)


@pytest.mark.parametrize("name", ["\x1b[2J", "name\n" * 100_000])
def test_names_of_a_file_do_not_steer_the_terminal(path: Path, name: str) -> None:
    header = ResultsHeader.of([Pairing(HERO, replace(RIVAL, name=name))], SETTINGS)
    write(path, header, replace(WIN, opponent=name))
    assert_not_resumed(path, HEADER, "it has game 1")


def test_every_setting_but_the_number_of_games_is_compared() -> None:
    other = Settings(5, 2, 1, GameConfiguration(7, 8, 5, 1), Arena.OWN, Sprt())
    rules = replace(SETTINGS.configuration, referee=Referee.OPEN_SPIEL_CONNECT_FOUR)
    differences = replace(HEADER, settings=other).differences(with_settings(configuration=rules))
    compared = {key for key in asdict(SETTINGS) if key not in ("games", "configuration")}
    assert len([*differences]) == len(compared | asdict(SETTINGS.configuration).keys())


def test_what_is_not_there_cannot_be_resumed_or_read(path: Path) -> None:
    with (
        pytest.raises(FileNotFoundError, match="leave --resume out"),
        resumed_results(path, HEADER),
    ):
        pass
    with pytest.raises(OSError, match="name a file that --results has written"):
        read_results(path)


def test_the_header_says_who_played(path: Path) -> None:
    first, *_ = write(path, HEADER, WIN).splitlines()
    header = json.loads(first)
    assert header["format"] == FORMAT
    assert header["players"] == [
        {"name": "hero", "kind": "file", "sha256": HERO.sha256},
        {"name": "rival", "kind": "built-in", "sha256": None},
    ]
    assert header["pairings"] == [["hero", "rival"]]
    assert record_of(Identity, header["players"][0]) == Identity.of(HERO)


def test_games_reach_the_disk_now_and_then(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[object] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    monkeypatch.setattr(output_file, "SYNC_SECONDS", 0)
    with new_results(path, HEADER) as results:
        results.append(WIN)
        assert len(synced) == 1
        monkeypatch.setattr(output_file, "SYNC_SECONDS", 1000)
        results.append(LOSS)
        assert len(synced) == 1
    assert len(synced) == 2


def test_on_windows_a_byte_is_locked_that_nobody_reads(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It locks a byte of the file, from where it is read or written next."""
    locked = set[int]()

    def locking(file: int, mode: int, count: int) -> None:
        place = os.lseek(file, 0, os.SEEK_CUR)
        if place in locked:
            raise PermissionError(13, "Permission denied")
        locked.update(range(place, place + count))

    msvcrt = SimpleNamespace(locking=locking, LK_NBLCK=2)
    monkeypatch.setattr(output_file, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.setattr(output_file, "msvcrt", msvcrt, raising=False)
    content = write(path, HEADER, WIN)
    assert locked == {LOCKED_BYTE}
    assert len(content) < LOCKED_BYTE
    assert read_results(path).records == (WIN,)
    with pytest.raises(BlockingIOError, match="another run"), resumed_results(path, HEADER):
        pass
