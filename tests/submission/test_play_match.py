import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from math import inf, nan
from random import Random
from typing import Any
from unittest.mock import Mock

import pytest

from submission.arena.game_record import GameConfiguration, GameRecord, Result
from submission.arena.kaggle_referee import KaggleGame
from submission.arena.players import Pairing, Player, PlayerKind, against_each, find_player
from submission.executors.work import Completion
from submission.grading.solved_positions import drawn
from submission.kaggle import Referee
from submission.match.match import Match
from submission.match.run import play_match
from submission.match.schedule import Arena, Settings, require_pairs, schedule
from submission.match.sprt import Sprt
from tests.helpers.arena_games import RANDOM, play, submitted

NEGAMAX = Player("negamax", PlayerKind.BUILT_IN)
SMALL = GameConfiguration(rows=4, columns=5, inarow=3)
RANDOM_TWICE = [Pairing(RANDOM, RANDOM)]


UNSEEDED = submitted(
    """
    import random
    def agent(observation, configuration):
        board = observation["board"]
        return random.choice([c for c in range(configuration.columns) if not board[c]])
    """,
    "unseeded",
)


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Executor]:
    """Threads, which start at once."""
    with ThreadPoolExecutor(2) as executor:
        yield executor


def small(games: int, seed: Any = 0) -> Settings:
    """Games on a small board."""
    return Settings(games, seed, configuration=SMALL)


def moves(match: Match) -> list[tuple[str, str, int, int, int, tuple[int, ...]]]:
    """All of the games but their durations."""
    return [
        (record.player, record.opponent, record.game, record.seat, record.seed, record.columns)
        for record in match.records
    ]


def test_negamax_beats_random_from_either_seat_and_from_openings_in_pairs() -> None:
    match = play_match([Pairing(NEGAMAX, RANDOM)], small(8, seed=1))
    games = match.records
    assert sum(record.result is Result.WIN for record in games) >= 6
    assert match.completion is Completion.COMPLETE
    assert [record.seat for record in games] == [1, 2] * 4
    assert len({record.seed for record in games}) == 8
    openings = [record.opening for record in games[::2]]
    assert [record.opening for record in games[1::2]] == openings
    assert len(set(openings)) == 4
    assert all(record.columns[:2] == record.opening for record in games)


def test_the_seed_and_neither_further_opponents_nor_workers_change_games(
    two_workers: Executor,
) -> None:
    alone, other = (play_match([Pairing(UNSEEDED, RANDOM)], small(3, seed)) for seed in (0, 1))
    played, others = ([record.columns[2:] for record in match.records] for match in (alone, other))
    assert played != others, "the openings, which differ anyway, are the first two plies"
    reported, output = list[GameRecord](), sys.stdout
    pairings = against_each(UNSEEDED, [UNSEEDED, RANDOM])
    together = play_match(pairings, small(3), executor=two_workers, on_game=reported.append)
    assert [game for game in moves(together) if game[1] == "random"] == moves(alone)
    assert sys.stdout is output, "threads that catch the output take turns"
    places = [(record.opponent, record.game) for record in together.records]
    assert places == [(name, game) for name in ("unseeded", "random") for game in range(3)]
    assert sorted(reported, key=together.records.index) == [*together.records]


def test_ctrl_c_keeps_what_was_played(two_workers: Executor) -> None:
    started = time.perf_counter()
    dawdler = "import time\ndef agent(observation):\n    time.sleep(0.1)\n    return 0"
    pairings = [Pairing(submitted(dawdler), RANDOM)]
    ctrl_c = Mock(side_effect=[None, KeyboardInterrupt])
    match = play_match(pairings, small(500), executor=two_workers, on_game=ctrl_c)
    assert match.completion is Completion.INTERRUPTED
    assert len(match.records) == 2
    assert two_workers.submit(abs, -1).result() == 1
    assert time.perf_counter() - started < 10, "what had not begun should have been cancelled"


def test_a_broken_executor_keeps_what_was_played() -> None:
    """Its only worker dies after a game."""
    dead = Future[Any]()
    dead.set_exception(BrokenExecutor("the worker died"))
    with ThreadPoolExecutor(1) as thread:
        submit: Mock = Mock(
            side_effect=lambda w: thread.submit(w) if submit.call_count == 1 else dead
        )
        match = play_match(RANDOM_TWICE, small(4), executor=Mock(submit=submit))
    assert match.completion is Completion.WORKER_DIED
    assert len(match.records) <= 1


def test_a_game_of_other_players_is_no_game_of_these() -> None:
    played = play_match(RANDOM_TWICE, small(1)).records
    with pytest.raises(ValueError, match="random against random is not among the pairings"):
        play_match([Pairing(RANDOM, NEGAMAX)], small(1), played=played)


def test_a_test_ends_a_pairing_as_soon_as_it_is_decided(two_workers: Executor) -> None:
    settings = replace(small(10_000), sprt=Sprt(0, 100), arena=Arena.OWN)
    pairings = [Pairing(find_player("greedy"), find_player("random:seed=1"))]
    decided = play_match(pairings, settings)
    assert decided.completion is Completion.COMPLETE
    assert 0 < len(decided.records) < 100
    played: list[GameRecord] = []
    elsewhere = play_match(pairings, settings, executor=two_workers, on_game=played.append)
    assert len(played) < settings.games / 2, "games in the queue are called off"
    assert moves(elsewhere) == moves(decided)


def test_a_test_of_players_who_repeat_their_games_ends_with_the_distinct_ones(
    two_workers: Executor,
) -> None:
    """All 25 openings from both seats, too few for a verdict between hypotheses so close."""
    settings = replace(small(10_000), sprt=Sprt(0, 20), arena=Arena.OWN)
    pairings = [Pairing(find_player("minimax:depth=2"), find_player("minimax:depth=1"))]
    ended = play_match(pairings, settings)
    assert ended.completion is Completion.COMPLETE
    assert [record.game for record in ended.records] == list(range(2 * 25))
    assert len({record.opening for record in ended.records}) == 25
    assert moves(play_match(pairings, settings, executor=two_workers)) == moves(ended)


def test_a_schedule_of_any_length_begins_at_once() -> None:
    assert next(schedule(against_each(RANDOM, [NEGAMAX]), small(10**18))).game == 0


def test_a_name_that_is_no_utf8_has_a_seed_and_others_keep_theirs() -> None:
    seeds = [
        next(schedule(against_each(replace(RANDOM, name=name), [RANDOM]), small(2))).seed
        for name in ("ä.py", "\ud800\udcff.py")
    ]
    assert seeds[0] == Random("0/ä.py/random/0").getrandbits(32)
    assert 0 <= seeds[1] < 2**32


@pytest.mark.parametrize(
    ("impossible", "message"),
    [
        (lambda: play_match([], small(1)), "at least one opponent"),
        (
            lambda: play_match(against_each(RANDOM, [RANDOM, NEGAMAX, RANDOM]), small(1)),
            "'random' against 'random' is named twice",
        ),
        (lambda: small(0), "at least 1, not 0"),
        (lambda: small(-1), "at least 1, not -1"),
        (lambda: small(1, seed=-1), "seed must be at least 0, not -1"),
        (lambda: small(1, seed=1.5), "seed must be a whole number, not 1.5"),
        (lambda: Settings(1, opening_plies=-1), "at least 0, not -1"),
        (lambda: require_pairs(2.0), "even number of games, at least 2, not 2.0"),  # type: ignore[arg-type]
        (lambda: GameConfiguration(rows=0), "rows must be from 1 to 100, not 0"),
        (lambda: GameConfiguration(columns=-1), "columns must be from 1 to 100, not -1"),
        (lambda: GameConfiguration(inarow=0), "inarow must be from 1 to 100, not 0"),
        (lambda: GameConfiguration(rows="6"), "rows must be from 1 to 100, not '6'"),  # type: ignore[arg-type]
        (lambda: GameConfiguration(act_timeout="2"), "above 0 and finite, not '2'"),  # type: ignore[arg-type]
        (lambda: Referee("chess"), "unknown referee 'chess': choose one of connectx, open_spiel_"),
        (lambda: Arena("moon"), "unknown arena 'moon': choose one of kaggle, own"),
        (lambda: drawn("ab", count=2.0, seed=0), "of 1 to 2 positions, not of 2.0"),  # type: ignore[arg-type]
        (lambda: GameConfiguration(rows=10**400), "rows must be from 1 to 100, not 1000"),
        (lambda: GameConfiguration(act_timeout=10**400), "above 0 and finite, not 1000"),
        (lambda: GameConfiguration(act_timeout=0), "above 0"),
        (lambda: GameConfiguration(act_timeout=nan), "above 0"),
        (lambda: GameConfiguration(act_timeout=inf), "above 0"),
    ],
)
def test_what_cannot_be_played_is_refused(impossible: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        impossible()


# --- a game from its specification to its record


def always(column: object) -> Player:
    return submitted(f"def agent(observation, configuration): return {column}")


@pytest.mark.parametrize("arena", Arena)
def test_the_record_is_from_the_players_view_on_either_seat(arena: Arena) -> None:
    first = play(always(0), always(1), game=0, arena=arena)
    assert (first.seat, first.result, first.columns) == (1, Result.WIN, (0, 1, 0, 1, 0, 1, 0))
    second = play(always(0), always(1), game=7, seed=11, opening=(2, 3), arena=arena)
    assert (second.player, second.opponent) == ("mine", "mine")
    assert (second.game, second.seed, second.seat) == (7, 11, 2)
    assert (second.result, second.opening) == (Result.LOSS, (2, 3))
    assert second.columns == (2, 3, 1, 0, 1, 0, 1, 0, 1)
    assert (second.rewards, second.statuses) == ((1, -1), ("DONE", "DONE"))
    tiny = GameConfiguration(rows=1, columns=2, inarow=3)
    drawn = play(RANDOM, RANDOM, configuration=tiny, arena=arena)
    assert (drawn.result, drawn.rewards) == (Result.DRAW, (0, 0))


def test_the_last_words_of_a_failing_seat_are_kept() -> None:
    talker = (
        "import sys\ndef agent(observation):\n    print('I give up', file=sys.stderr)\n    return "
    )
    assert play(submitted(talker + "'x'")).stderr == ("I give up",)
    assert play(submitted(talker + "7")).stderr == ("I give up",)
    assert play(always(0), always(1)).stderr == ()


def test_a_player_that_hangs_is_a_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a bank of 0.2 s, so that this test need not wait for Kaggle's 60 s."""
    make = KaggleGame.__init__

    def short_of_time(game: KaggleGame, env: Any) -> None:
        make(game, env)
        env.state[0].observation.remainingOverageTime = 0.2

    monkeypatch.setattr(KaggleGame, "__init__", short_of_time)
    hangs = submitted("def agent(observation):\n    import time; time.sleep(60)")
    record = play(hangs, configuration=GameConfiguration(act_timeout=0.1))
    assert record.statuses == ("TIMEOUT", "DONE")
    assert record.cause == (
        f"it had not finished after {record.durations[0][0]:.1f} s (it was at line 2, in agent)"
    )
    assert record.columns == ()
