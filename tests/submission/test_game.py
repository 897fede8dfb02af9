"""A game from its specification to its record."""

import platform
from pathlib import Path
from typing import Any

import pytest

from submission.arena.game_record import GameConfiguration, GameRecord, Result
from submission.arena.kaggle_referee import KaggleGame
from submission.arena.players import Pairing, Player, PlayerKind
from submission.kaggle import kaggle_environments
from submission.match.run import play_game
from submission.match.schedule import Arena, GameSpecification

RANDOM = Player("random", PlayerKind.BUILT_IN)
DEFAULT = GameConfiguration()


def submitted(source: str) -> Player:
    return Player("mine", PlayerKind.FILE, source.encode())


def always(column: object) -> Player:
    return submitted(f"def agent(observation, configuration): return {column}")


def play(
    player: Player,
    opponent: Player = RANDOM,
    *,
    game: int = 0,
    seed: int = 1,
    opening: tuple[int, ...] = (),
    configuration: GameConfiguration = DEFAULT,
    arena: Arena = Arena.KAGGLE,
) -> GameRecord:
    pairing = Pairing(player, opponent)
    return play_game(GameSpecification(pairing, game, seed, opening, configuration, arena))


@pytest.mark.parametrize("arena", Arena)
def test_four_in_a_column_wins_from_either_seat(arena: Arena) -> None:
    first = play(always(0), always(1), game=0, arena=arena)
    assert (first.seat, first.result, first.columns) == (1, Result.WIN, (0, 1, 0, 1, 0, 1, 0))
    second = play(always(0), always(1), game=1, arena=arena)
    assert (second.seat, second.result, second.columns) == (2, Result.LOSS, (1, 0, 1, 0, 1, 0, 1))
    assert second.rewards == (1, -1)
    assert second.statuses == ("DONE", "DONE")


def test_the_record_says_who_played_what_game() -> None:
    record = play(always(0), RANDOM, game=7, seed=11, opening=(2, 3))
    assert (record.player, record.opponent) == ("mine", "random")
    assert (record.game, record.seed, record.seat) == (7, 11, 2)
    assert record.opening == record.columns[:2] == (2, 3)


def test_a_full_board_without_a_line_is_a_draw() -> None:
    record = play(RANDOM, RANDOM, configuration=GameConfiguration(rows=1, columns=2, inarow=3))
    assert record.result is Result.DRAW
    assert record.rewards == (0, 0)


def test_every_move_of_each_seat_has_its_seconds() -> None:
    slow = submitted("import time\ndef agent(observation):\n    time.sleep(0.02)\n    return 0")
    record = play(slow, always(1))
    assert [len(seat) for seat in record.durations] == [4, 3]
    assert min(record.durations[0]) >= 0.02
    assert max(record.durations[1]) < 0.02


def test_recorded_columns_are_the_game_of_the_environment() -> None:
    """The board that the columns build, by the environment's own step, has the same outcome."""
    record = play(RANDOM, RANDOM, seed=5, opening=(3, 3))
    env = kaggle_environments().make("connectx")
    for column in record.columns:
        env.step([column, column])
    assert env.done
    assert (env.state[0].reward, env.state[1].reward) == record.rewards


@pytest.mark.parametrize(
    "opponent",
    [RANDOM, submitted("from random import randrange\ndef agent(o): return randrange(7)")],
    ids=["built-in", "file"],
)
def test_the_seed_decides_the_game(opponent: Player) -> None:
    games = {seed: play(RANDOM, opponent, seed=seed).columns for seed in range(5)}
    assert len(set(games.values())) == 5
    assert games == {seed: play(RANDOM, opponent, seed=seed).columns for seed in range(5)}


def test_a_player_s_random_numbers_do_not_depend_on_its_opponent() -> None:
    """Against an opponent that draws none, and one that draws many, the first columns agree."""
    talker = submitted(
        "import random\ndef agent(o):\n    [random.random() for _ in range(99)]\n    return 3"
    )
    silent = always(3)
    columns = {play(RANDOM, other, seed=3).columns[:6] for other in (talker, silent)}
    assert len(columns) == 1


FAILURES = {
    "exception": ("def agent(observation): raise KeyError('boom')", "ERROR", "KeyError: 'boom'"),
    "exception while loading": ("raise OSError('no weights')", "ERROR", "OSError: no weights"),
    "syntax error": (
        "def agent(:",
        "ERROR",
        "a syntax error: invalid syntax (main.py, line 1) "
        f"(read with Python {platform.python_version()})",
    ),
    "no callable": ("moves = 3", "ERROR", "there is no callable in the file"),
    "bool": (
        "def agent(o): return True",
        "INVALID",
        "the agent returned True, a bool, and Kaggle takes a plain int only",
    ),
    "text": (
        "def agent(observation): return '3\\n4'",
        "INVALID",
        "the agent returned '3\\n4', a str, and Kaggle takes a plain int only",
    ),
    "missing column": (
        "def agent(observation): return 7",
        "INVALID",
        "the agent returned column 7, which does not exist: columns run from 0 to 6",
    ),
    "float": (
        "def agent(observation): return 3.0",
        "ERROR",
        "the agent returned 3.0, a float, and Kaggle takes a plain int only",
    ),
    "exit": (
        "import sys\ndef agent(observation): sys.exit(0)",
        "ERROR",
        "the interpreter was left by sys.exit, exit or quit",
    ),
    "ctrl-c": (
        "def agent(observation): raise KeyboardInterrupt",
        "ERROR",
        "KeyboardInterrupt was raised",
    ),
    "crash": (
        "import os\ndef agent(observation): os.abort()",
        "ERROR",
        "the interpreter crashed (Aborted), as it does in native code, when memory runs out, or "
        "under a raised recursion limit",
    ),
}


@pytest.mark.parametrize("game", [0, 1])
@pytest.mark.parametrize(("source", "status", "cause"), FAILURES.values(), ids=FAILURES.keys())
def test_a_failure_is_the_players_own(source: str, status: str, cause: str, game: int) -> None:
    record = play(submitted(source), game=game)
    own, other = record.seat - 1, 1 - (record.seat - 1)
    assert record.result is Result.PLAYER_FAILED
    assert (record.statuses[own], record.statuses[other]) == (status, "DONE")
    assert (record.rewards[own], record.rewards[other]) == (None, 0)
    assert len(record.columns) == own, "only the opponent has moved, if anyone"
    assert record.cause == cause


def test_a_failure_of_the_opponent_is_the_opponents() -> None:
    record = play(RANDOM, always(7))
    assert record.result is Result.OPPONENT_FAILED
    assert record.statuses == ("DONE", "INVALID")


def test_moves_before_a_failure_are_kept() -> None:
    record = play(always(0), always(0))
    assert record.columns == (0,) * 6
    assert record.statuses == ("INVALID", "DONE")
    assert record.cause == "the agent returned column 0, which is full"


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
    hangs = submitted("def agent(observation):\n    while True: pass")
    record = play(hangs, configuration=GameConfiguration(act_timeout=0.1))
    assert record.statuses == ("TIMEOUT", "DONE")
    assert record.cause == (
        f"no end had come after {record.durations[0][0]:.1f} s (it was at line 2, in agent)"
    )
    assert record.columns == ()


def test_a_game_writes_nothing_into_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    play(submitted("open('notes', 'w').write('x')\ndef agent(o): return 3"))
    assert list(tmp_path.iterdir()) == []
