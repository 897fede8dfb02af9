import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from itertools import count, product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.reporting.input_file import quoted
from agents.reporting.output_file import LOCKED_BYTE
from submission.arena.game_record import GameConfiguration, GameRecord, Result
from submission.arena.players import Identity, Pairing, Player, PlayerKind
from submission.executors.local_workers import Versions
from submission.kaggle import Referee
from submission.match.completion import Completion
from submission.match.results_content import FORMAT, ResultsHeader
from submission.match.results_file import new_results, read_results, resumed_results
from submission.match.run import ARENAS, play_match
from submission.match.schedule import Arena, Settings
from submission.match.sprt import Sprt
from submission.records import record_of
from submission.sandbox.move import FAILING_STATUSES, Failure, Move
from tests.helpers.game_records import DRAW, LOSS, PLAYER_FAILED, WIN
from tests.helpers.refusals import is_sentence, nested

HERO = Player("hero", PlayerKind.FILE, b"def agent(observation): return 0")
RIVAL = Player("rival", PlayerKind.BUILT_IN)
SECOND_RIVAL = Player("second rival", PlayerKind.BUILT_IN)
SETTINGS = Settings(games=4, seed=1)
HEADER = ResultsHeader.of([Pairing(HERO, RIVAL)], SETTINGS)

PAIRINGS = (("hero", "rival"), ("hero", "second rival"), ("rival", "second rival"))
MOST_GAMES = 20

any_text = st.text(st.characters(exclude_categories=()), max_size=10)


@st.composite
def records(draw: st.DrawFn, rules: GameConfiguration) -> GameRecord:
    """A game to its end, or to the failure of the seat that is to move."""
    player, opponent = draw(st.sampled_from(PAIRINGS))
    game = draw(st.integers(0, MOST_GAMES - 1))
    env, columns = rules.env, list[int]()
    state = env.initial_state()
    failing, opening = draw(st.none() | st.integers(0, 9)), draw(st.integers(0, 2))
    while (legal := env.get_available_actions(state)) and len(columns) != failing:
        columns.append(draw(st.sampled_from(legal)))
        state = env.get_next_state(state, columns[-1])
    opening = min(opening, len(columns))
    time = draw(st.floats(0, 1e4))
    times = [[time] * len(columns[opening + (opening + place) % 2 :: 2]) for place in (0, 1)]
    statuses, rewards = ["DONE", "DONE"], [0, 0] if env.winner(state) is None else [1, -1]
    results = {0: Result.DRAW, 1: Result.WIN, -1: Result.LOSS}
    seat = 1 + game % 2
    if env.winner(state) == 2:
        rewards.reverse()
    result, cause = results[rewards[seat - 1]], None
    told: list[int | None] = [*rewards]
    if legal:
        failed = len(columns) % 2
        statuses[failed], told[failed] = draw(st.sampled_from(FAILING_STATUSES)), None
        result = [Result.OPPONENT_FAILED, Result.PLAYER_FAILED][failed == seat - 1]
        times[failed].append(0.0)
        cause = draw(any_text)
    return GameRecord(
        player=player,
        opponent=opponent,
        game=game,
        seed=draw(st.integers(0)),
        seat=seat,
        opening=tuple(columns[:opening]),
        columns=tuple(columns),
        statuses=(statuses[0], statuses[1]),
        rewards=(told[0], told[1]),
        result=result,
        durations=(tuple(times[0]), tuple(times[1])),
        cause=cause,
        stderr=draw(st.lists(any_text, max_size=3).map(tuple)),
    )


identities = st.sampled_from(
    [(HERO, RIVAL), (replace(HERO, source=b"\xff"), RIVAL), (HERO, replace(RIVAL, source=b""))]
)


@st.composite
def matches(draw: st.DrawFn, least: int = 0) -> tuple[ResultsHeader, list[GameRecord]]:
    """A header, and games that it announces."""
    hero, rival = draw(identities)
    sizes = st.integers(1, 3)
    rules = GameConfiguration(draw(sizes), draw(sizes), draw(sizes), draw(st.floats(0.1, 9)))
    settings = Settings(
        games=MOST_GAMES,
        seed=draw(st.integers(0)),
        opening_plies=draw(st.integers(0, 9)),
        configuration=rules,
        arena=draw(st.sampled_from(Arena)),
        sprt=draw(st.none() | st.builds(Sprt, st.floats(-9, 0), st.floats(1, 9))),
    )
    pairings = [Pairing(hero, rival), Pairing(hero, SECOND_RIVAL), Pairing(rival, SECOND_RIVAL)]
    games = st.lists(
        records(rules),
        min_size=least,
        max_size=3,
        unique_by=lambda record: (record.pairing, record.game),
    )
    return ResultsHeader.of(pairings, settings), draw(games)


@contextmanager
def new_path() -> Iterator[Path]:
    """A path in a folder of its own; Hypothesis runs many examples in one test's folder."""
    with TemporaryDirectory() as folder:
        yield Path(folder, "results.jsonl")


def write(path: Path, header: ResultsHeader, *played: GameRecord) -> bytes:
    with new_results(path, header) as results:
        for record in played:
            results.append(record)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.jsonl"


@given(matches())
def test_every_game_comes_back(match: tuple[ResultsHeader, list[GameRecord]]) -> None:
    header, played = match
    with new_path() as path:
        content = write(path, header, *played)
        with resumed_results(path, header) as results:
            assert list(results.played) == played
            assert not results.was_torn
        assert path.read_bytes() == content


@given(matches(1))
def test_a_report_reads_what_was_written(made: tuple[ResultsHeader, list[GameRecord]]) -> None:
    header, played = made
    header = replace(header, settings=replace(header.settings, sprt=None))
    with new_path() as path:
        write(path, header, *played)
        match = read_results(path)
    assert match.players == header.players
    assert match.pairings == header.pairings
    assert match.settings == header.settings
    assert match.versions == header.versions
    assert match.completion is Completion.UNFINISHED
    places = {names: place for place, names in enumerate(header.pairings)}
    assert list(match.records) == sorted(
        played, key=lambda record: (places[record.pairing], record.game)
    )


@given(matches(1))
def test_a_file_cut_after_its_header_is_not_torn(
    match: tuple[ResultsHeader, list[GameRecord]],
) -> None:
    header, played = match
    with new_path() as path:
        content = write(path, header, *played)
        path.write_bytes(content[: content.index(b"\n") + 1])
        with resumed_results(path, header) as results:
            assert (results.played, results.was_torn) == ((), False)


@given(matches(1), st.data())
def test_a_file_cut_short_anywhere_keeps_its_whole_games(
    match: tuple[ResultsHeader, list[GameRecord]], data: st.DataObject
) -> None:
    header, played = match
    with new_path() as path:
        content = write(path, header, *played)
        cut = data.draw(st.integers(0, len(content)))
        path.write_bytes(content[:cut])
        whole_lines = content[:cut].count(b"\n")
        whole_games = max(0, whole_lines - 1)
        with resumed_results(path, header) as results:
            assert list(results.played) == played[:whole_games]
            assert results.was_torn == (cut > 0 and content[cut - 1 : cut] != b"\n")
            for record in played[whole_games:]:
                results.append(record)
        assert path.read_bytes() == content


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
    with resumed_results(path, HEADER) as results:
        assert results.was_torn
    assert path.read_bytes() == content


def test_a_report_leaves_a_torn_file_as_it_is(path: Path) -> None:
    torn = write(path, HEADER, WIN, LOSS)[:-5]
    path.write_bytes(torn)
    assert read_results(path).records == (WIN,)
    assert path.read_bytes() == torn


@pytest.mark.parametrize("line", [0, 1, 2])
@pytest.mark.parametrize("damage", [b"\0", b"[]", b'{"game": 0}', b'{"format": "other"}'])
def test_a_damaged_line_is_refused(path: Path, line: int, damage: bytes) -> None:
    lines = write(path, HEADER, WIN, LOSS, DRAW).splitlines()
    lines[line] = damage
    damaged = b"\n".join(lines) + b"\n"
    path.write_bytes(damaged)
    place = f"line {line + 1} is damaged" if line else f"must begin with the format '{FORMAT}'"
    with pytest.raises(ValueError, match=place), resumed_results(path, HEADER):
        pass
    with pytest.raises(ValueError, match=place):
        read_results(path)
    assert path.read_bytes() == damaged


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


@pytest.mark.parametrize("change", CONTRADICTIONS, ids=quoted)
def test_a_game_that_contradicts_itself_is_refused(path: Path, change: dict[str, Any]) -> None:
    header, game, last = write(path, HEADER, WIN, LOSS).splitlines()
    edited = b"\n".join([header, last, json.dumps(json.loads(game) | change).encode(), b""])
    path.write_bytes(edited)
    for read in (read_results, lambda path: resumed_results(path, HEADER).__enter__()):
        with pytest.raises(ValueError, match=r"results\.jsonl, line 3 is damaged \(.*\): del") as e:
            read(path)
        assert is_sentence(e.value)
    assert path.read_bytes() == edited


@pytest.mark.parametrize(
    "change",
    [
        {"rewards": [-1, 0]},
        {"rewards": [0, 0]},
        {"statuses": ["DONE", "ERROR"], "rewards": [0, None], "result": "opponent failed"},
        {"statuses": ["INVALID", "DONE"], "result": "opponent failed"},
        {"statuses": ["ERROR", "ERROR"], "rewards": [None, None]},
        {"statuses": ["LATE", "DONE"]},
        {"durations": [[0.5], [0.4]]},
        {"cause": None},
    ],
    ids=str,
)
def test_a_failure_that_contradicts_itself_is_refused(path: Path, change: dict[str, Any]) -> None:
    header = replace(HEADER, settings=replace(SETTINGS, games=8))
    first, game = write(path, header, PLAYER_FAILED).splitlines()
    assert read_results(path).records == (PLAYER_FAILED,)
    path.write_bytes(b"\n".join([first, json.dumps(json.loads(game) | change).encode(), b""]))
    with pytest.raises(ValueError, match="line 2 is damaged"):
        read_results(path)


def test_however_deep_a_line_is_it_is_refused_in_a_sentence(path: Path) -> None:
    content, limit = write(path, HEADER, WIN, LOSS), sys.getrecursionlimit()
    for depth in (*range(limit - 150, limit), 100 * limit):
        path.write_bytes(content.replace(b'"seed": 11', b'"seed": ' + nested(depth).encode(), 1))
        with pytest.raises(ValueError, match="line 2 is damaged") as refusal:
            read_results(path)
        assert is_sentence(refusal.value)


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
    header = replace(HEADER, settings=Settings(games=8, configuration=rules))
    write(path, header, failed)
    assert read_results(path).records == (failed,)
    write(path.with_name("other"), replace(HEADER, settings=Settings(games=8)), failed)
    with pytest.raises(ValueError, match="line 2 is damaged"):
        read_results(path.with_name("other"))


def test_a_long_game_on_a_large_board_ends_as_a_draw(path: Path) -> None:
    """Kaggle's environment counts 1000 steps, the empty board among them."""
    rules = GameConfiguration(rows=32, columns=32, inarow=33)
    header = replace(HEADER, settings=Settings(games=8, configuration=rules))
    columns = tuple(ply // 32 for ply in range(999))
    durations = ((0.0,) * 500, (0.0,) * 499)
    longest = replace(DRAW, columns=columns, durations=durations)
    write(path, header, longest)
    assert read_results(path).records == (longest,)
    shorter = replace(longest, columns=columns[:-1], durations=((0.0,) * 499, (0.0,) * 499))
    write(path.with_name("shorter"), header, shorter)
    with pytest.raises(ValueError, match="line 2 is damaged"):
        read_results(path.with_name("shorter"))


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


@pytest.mark.parametrize("arena", Arena)
def test_whatever_an_arena_records_is_read_back(
    path: Path, monkeypatch: pytest.MonkeyPatch, arena: Arena
) -> None:
    rules = ARENAS[arena]._replace(open_seat=lambda _, seed, **__: nullcontext(AnySeat(seed)))
    monkeypatch.setitem(ARENAS, arena, rules)
    endings = Counter[Any]()
    for number, board in enumerate([(6, 7, 4), (2, 3, 2), (3, 3, 4)]):
        file = path.with_name(f"{number}")
        settings = Settings(
            games=30, opening_plies=0, configuration=GameConfiguration(*board), arena=arena
        )
        pairings = [Pairing(replace(RIVAL, name="random"), replace(RIVAL, name="negamax"))]
        with new_results(file, ResultsHeader.of(pairings, settings)) as results:
            played = play_match(pairings, settings, on_game=results.append)
        assert read_results(file).records == played.records
        endings.update((game.statuses, game.result) for game in played.records)
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
    first, game = write(path, HEADER, WIN).splitlines()
    header = json.loads(first)
    header["settings"][setting] = value
    path.write_bytes(b"\n".join([json.dumps(header).encode(), game, b""]))
    with pytest.raises(ValueError, match=r"line 1 is damaged \(.*\): delete this line"):
        read_results(path)


def test_a_further_header_of_other_conditions_is_refused(path: Path) -> None:
    other = replace(HEADER, settings=replace(SETTINGS, seed=2))
    further = write(path.with_name("other"), other, LOSS)
    path.write_bytes(write(path, HEADER, WIN) + further)
    with pytest.raises(ValueError, match=r"line 3 is damaged \(it was begun with seed 1, not 2\)"):
        read_results(path)


@pytest.mark.parametrize(
    "content",
    [
        b"no results\n",
        b'{"format": "connectx results, version 2"}\n',
        b'{"format": "%s"}\n' % (b"\x7f" * 100_000),
        b'{"format": %s}\n' % nested(100_000).encode(),
    ],
    ids=quoted,
)
def test_other_files_are_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(ValueError, match="must begin with the format") as refusal:
        read_results(path)
    assert is_sentence(refusal.value)


def test_a_game_that_stands_there_twice_is_refused(path: Path) -> None:
    content = write(path, HEADER, WIN, LOSS)
    path.write_bytes(content + content.splitlines(keepends=True)[1])
    with pytest.raises(ValueError, match=r"line 4 .* has game 1 of hero against rival twice"):
        read_results(path)


@pytest.mark.parametrize(
    "strange", [replace(WIN, game=4), *(replace(WIN, player=name) for name in ("rival", "\x1b[2J"))]
)
def test_a_game_that_the_header_does_not_announce_is_refused(
    path: Path, strange: GameRecord
) -> None:
    write(path, HEADER, strange)
    with pytest.raises(ValueError, match=r"line 2 .* does not announce game") as refusal:
        read_results(path)
    assert is_sentence(refusal.value)


def won_pair(pair: int, opening: tuple[int, ...]) -> list[GameRecord]:
    """Two games that the player wins in column 0, from an opening of two plies elsewhere."""
    first = replace(
        WIN,
        game=2 * pair,
        opening=opening,
        columns=(*opening, 0, 1, 0, 1, 0, 2, 0),
        durations=((0.1,) * 4, (0.1,) * 3),
    )
    second = replace(
        first,
        game=2 * pair + 1,
        seat=2,
        columns=(*opening, 1, 0, 1, 0, 2, 0, 2, 0),
        rewards=(-1, 1),
        durations=((0.1,) * 4, (0.1,) * 4),
    )
    return [first, second]


def test_the_sequential_test_decides_what_counts(path: Path) -> None:
    """Each pair has an opening of its own, for a pair that is played again is nothing new."""
    sprt = Sprt(elo0=0, elo1=300)
    openings = enumerate(product(range(1, 7), repeat=2))
    wins = [record for pair, opening in openings for record in won_pair(pair, opening)]
    write(path, replace(HEADER, settings=Settings(games=400, sprt=sprt)), *reversed(wins))
    enough = next(n for n in count() if sprt.verdict(sprt.log_likelihood_ratio((0, 0, 0, 0, n))))
    match = read_results(path)
    assert match.completion is Completion.COMPLETE
    assert match.records == tuple(wins[: 2 * enough])
    assert 2 < len(match.records) < len(wins)


def test_a_file_with_all_games_is_complete(path: Path) -> None:
    write(path, replace(HEADER, settings=replace(SETTINGS, games=3)), WIN, LOSS, DRAW)
    assert read_results(path).completion is Completion.COMPLETE


def test_an_earlier_run_is_not_overwritten(path: Path) -> None:
    content = write(path, HEADER, WIN)
    with pytest.raises(FileExistsError, match="--resume"), new_results(path, HEADER):
        pass
    assert path.read_bytes() == content


def test_a_run_without_a_game_leaves_nothing_to_resume(path: Path) -> None:
    assert write(path, HEADER) == b""
    with resumed_results(path, HEADER) as results:
        assert results.played == ()
        results.append(WIN)
    assert read_results(path).records == (WIN,)


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
    fewer = replace(HEADER, settings=replace(SETTINGS, games=2))
    with resumed_results(path, fewer) as results:
        assert results.played == (WIN, LOSS)
    too_few = replace(HEADER, settings=replace(SETTINGS, games=1))
    with (
        pytest.raises(ValueError, match="it has game 2 of hero against rival"),
        resumed_results(path, too_few),
    ):
        pass


def with_settings(**changes: object) -> ResultsHeader:
    return replace(HEADER, settings=Settings(**{"games": 4, "seed": 1, **changes}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (with_settings(seed=2), "begun with seed 1, not 2"),
        (with_settings(opening_plies=3), "begun with opening_plies 2, not 3"),
        (with_settings(arena=Arena.OWN), "begun with arena kaggle, not own"),
        (
            with_settings(sprt=Sprt(alpha=0.1)),
            r"begun with sprt none, not 0,50 with alpha 0\.1 and beta 0\.05",
        ),
        (with_settings(configuration=GameConfiguration(rows=5)), "begun with rows 6, not 5"),
        (
            with_settings(configuration=GameConfiguration(act_timeout=0.5)),
            r"begun with act_timeout 2, not 0\.5",
        ),
        (
            replace(HEADER, versions=replace(HEADER.versions, kaggle_environments="9")),
            r"begun with kaggle_environments 1\.\S+, not 9",
        ),
        (replace(HEADER, versions=Versions("9", "1", "3")), r"begun with package \S+, not 9"),
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
    content = write(path, HEADER, WIN)
    with pytest.raises(ValueError, match=reason) as refusal, resumed_results(path, asked):
        pass
    assert is_sentence(refusal.value)
    assert path.read_bytes() == content


@pytest.mark.parametrize("name", ["\x1b[2J", "name\n" * 100_000])
def test_names_of_a_file_do_not_steer_the_terminal(path: Path, name: str) -> None:
    player = replace(RIVAL, name=name)
    write(path, ResultsHeader.of([Pairing(HERO, player)], SETTINGS), replace(WIN, opponent=name))
    with pytest.raises(ValueError, match="it has game 1") as refusal, resumed_results(path, HEADER):
        pass
    assert is_sentence(refusal.value)


def test_every_setting_but_the_number_of_games_is_compared() -> None:
    changed = Settings(
        games=5,
        seed=2,
        opening_plies=1,
        configuration=GameConfiguration(7, 8, 5, 1),
        arena=Arena.OWN,
        sprt=Sprt(),
    )
    rules = replace(SETTINGS.configuration, referee=Referee.OPEN_SPIEL_CONNECT_FOUR)
    before = replace(HEADER, settings=replace(SETTINGS, configuration=rules))
    differences = list(replace(HEADER, settings=changed).differences(before))
    compared = {key for key in asdict(SETTINGS) if key not in ("games", "configuration")}
    assert len(differences) == len(compared | asdict(SETTINGS.configuration).keys())


def test_two_runs_cannot_write_one_file(path: Path) -> None:
    with new_results(path, HEADER) as results:
        for opened in (new_results, resumed_results):
            with pytest.raises(BlockingIOError, match="another run"), opened(path, HEADER):
                pass
        results.append(WIN)
    with resumed_results(path, HEADER) as results:
        assert results.played == (WIN,)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", r"cannot write .* \(Is a directory\): choose"),
        ("missing/results.jsonl", "cannot write"),
        ("/dev/null", r"cannot write /dev/null \(it is no plain file\): choose"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(OSError, match=message), new_results(tmp_path / name, HEADER):
        pass


def test_what_is_not_there_cannot_be_resumed_or_read(path: Path) -> None:
    with (
        pytest.raises(FileNotFoundError, match="leave --resume out"),
        resumed_results(path, HEADER),
    ):
        pass
    with pytest.raises(OSError, match="name a file that --results has written"):
        read_results(path)


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """As if the disk were full beyond so many bytes."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_costs_one_game(path: Path) -> None:
    whole = len(write(path, HEADER, WIN))
    with (
        pytest.raises(OSError, match=r"cannot write .* go on with --resume"),
        resumed_results(path, HEADER) as results,
        largest_file(whole + 10),
    ):
        results.append(LOSS)
    assert path.stat().st_size == whole + 10
    with resumed_results(path, HEADER) as results:
        assert results.played == (WIN,)
        assert results.was_torn
        results.append(LOSS)
    assert read_results(path).records == (WIN, LOSS)


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
    monkeypatch.setattr("agents.reporting.output_file.SYNC_SECONDS", 0)
    with new_results(path, HEADER) as results:
        results.append(WIN)
        assert len(synced) == 1
        monkeypatch.setattr("agents.reporting.output_file.SYNC_SECONDS", 1000)
        results.append(LOSS)
        assert len(synced) == 1
    assert len(synced) == 2


@pytest.fixture
def windows_locks(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Windows' way to lock: a byte of the file, from where it is read or written next."""
    locked = set[int]()

    def locking(file: int, mode: int, count: int) -> None:
        place = os.lseek(file, 0, os.SEEK_CUR)
        if place in locked:
            raise PermissionError(13, "Permission denied")
        locked.update(range(place, place + count))

    module = "agents.reporting.output_file"
    monkeypatch.setattr(f"{module}.sys", SimpleNamespace(platform="win32"))
    msvcrt = SimpleNamespace(locking=locking, LK_NBLCK=2)
    monkeypatch.setattr(f"{module}.msvcrt", msvcrt, raising=False)
    return locked


def test_on_windows_a_byte_is_locked_that_nobody_reads(
    tmp_path: Path, windows_locks: set[int]
) -> None:
    path = tmp_path / "games.jsonl"
    content = write(path, HEADER, WIN)
    assert windows_locks == {LOCKED_BYTE}
    assert len(content) < LOCKED_BYTE
    assert read_results(path).records == (WIN,)
    with pytest.raises(BlockingIOError, match="another run"), resumed_results(path, HEADER):
        pass
