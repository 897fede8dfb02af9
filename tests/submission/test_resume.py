"""A run that is broken off and gone on with has the games of one that is not."""

from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from submission.arena.game_record import GameConfiguration, GameRecord
from submission.arena.players import Pairing, against_each, find_player
from submission.executors.work import Completion
from submission.match.results_file import ResultsHeader, new_results, read_results, resumed_results
from submission.match.run import play_match
from submission.match.schedule import Arena, Settings
from submission.match.sprt import Sprt
from tests.helpers.arena_games import RANDOM
from tests.helpers.game_records import without_durations

GAMES = 6
SETTINGS = Settings(
    games=GAMES, seed=5, configuration=GameConfiguration(rows=4, columns=5), arena=Arena.OWN
)
NEVER = 10**6
ENDS_BY_TEST = replace(SETTINGS, games=200, sprt=Sprt(elo0=0, elo1=400, alpha=0.2, beta=0.2))


@cache
def pairings() -> list[Pairing]:
    ours = find_player("random:")
    return against_each(ours, [RANDOM, ours])


@cache
def uninterrupted(settings: Settings) -> list[GameRecord]:
    match = play_match(pairings(), settings)
    assert match.completion is Completion.COMPLETE
    is_decided = len(match.records) < settings.games * len(pairings())
    assert is_decided is (settings.sprt is not None)
    return without_durations(match)


def run(path: Path, settings: Settings, stop_after: int, executor: Executor | None = None) -> bool:
    """A run that goes on from an earlier one, or begins; whether it came to its end."""
    header = ResultsHeader.of(pairings(), settings)
    left = count(stop_after - 1, -1)
    with (resumed_results if path.exists() else new_results)(path, header) as results:

        def keep(record: GameRecord) -> None:
            results.append(record)
            if next(left) == 0:
                raise KeyboardInterrupt

        match = play_match(
            pairings(), settings, executor=executor, played=results.played, on_game=keep
        )
    is_complete = match.completion is Completion.COMPLETE
    if is_complete:
        assert without_durations(match) == uninterrupted(settings)
    return is_complete


def assert_all_games_are_there(path: Path, settings: Settings) -> None:
    stored = read_results(path)
    assert stored.completion is Completion.COMPLETE
    assert without_durations(stored) == uninterrupted(settings)


def tear(path: Path, size: int) -> None:
    """Cut bytes off the end, as a power cut may do; the header stays."""
    header, *lines = path.read_bytes().splitlines(keepends=True)
    games = b"".join(lines)
    path.write_bytes(header + games[: max(0, len(games) - size)])


@settings(max_examples=20)
@given(
    st.sampled_from([SETTINGS, ENDS_BY_TEST]),
    st.lists(st.tuples(st.integers(1, 5), st.integers(0, 700)), max_size=4),
)
def test_a_run_broken_off_anywhere_loses_nothing(
    chosen: Settings, breaks: list[tuple[int, int]]
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "results.jsonl")
        for games, torn_bytes in breaks:
            run(path, chosen, games)
            tear(path, torn_bytes)
        assert run(path, chosen, NEVER)
        assert_all_games_are_there(path, chosen)


def test_any_workers_go_on_from_any_others(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    assert not run(path, ENDS_BY_TEST, 5)
    with ThreadPoolExecutor(2) as executor:
        assert not run(path, ENDS_BY_TEST, 5, executor)
        assert run(path, ENDS_BY_TEST, NEVER, executor)
    assert_all_games_are_there(path, ENDS_BY_TEST)


def test_more_games_join_those_of_a_shorter_run_and_then_nothing_is_played(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    assert run(path, replace(SETTINGS, games=2), NEVER)
    assert run(path, SETTINGS, NEVER)
    assert_all_games_are_there(path, SETTINGS)
    content = path.read_bytes()
    assert run(path, SETTINGS, 1), "a game was played again"
    assert path.read_bytes() == content
