import random
import sys
from collections.abc import Iterator
from itertools import count

import pytest

from submission.evaluating.game import GameSpecification, play_game
from submission.evaluating.game_record import GameConfiguration, GameRecord, Result
from submission.evaluating.players import Player, PlayerKind
from submission.kaggle import kaggle_environments

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
    configuration: GameConfiguration = DEFAULT,
) -> GameRecord:
    return play_game(GameSpecification(player, opponent, game, seed, configuration))


def test_four_in_a_column_wins_from_either_seat() -> None:
    first = play(always(0), always(1), game=0)
    assert (first.seat, first.result, first.columns) == (1, Result.WIN, (0, 1, 0, 1, 0, 1, 0))
    second = play(always(0), always(1), game=1)
    assert (second.seat, second.result, second.columns) == (2, Result.LOSS, (1, 0, 1, 0, 1, 0, 1))
    assert second.rewards == (1, -1)
    assert second.statuses == ("DONE", "DONE")


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
    record = play(RANDOM, RANDOM, seed=5)
    env = kaggle_environments().make("connectx")
    for column in record.columns:
        env.step([column, column])
    assert env.done
    assert (env.state[0].reward, env.state[1].reward) == record.rewards


def test_the_seed_decides_the_game() -> None:
    games = {seed: play(RANDOM, RANDOM, seed=seed).columns for seed in range(5)}
    assert len(set(games.values())) == 5
    assert games == {seed: play(RANDOM, RANDOM, seed=seed).columns for seed in range(5)}


FAILURES = {
    "exception": ("def agent(observation): raise KeyError('boom')", "ERROR", "KeyError: 'boom'"),
    "message with a blank line": (
        "def agent(observation): raise ValueError('boom\\n')",
        "ERROR",
        "ValueError: boom",
    ),
    "exception while loading": ("raise OSError('no weights')", "ERROR", "no weights"),
    "syntax error": ("def agent(:", "ERROR", "SyntaxError"),
    "no callable": ("moves = 3", "ERROR", "IndexError"),
    "numpy int": ("import numpy\ndef agent(o): return numpy.int64(3)", "INVALID", "plain int"),
    "text": ("def agent(observation): return '3'", "INVALID", "plain int"),
    "negative": ("def agent(observation): return -1", "INVALID", "plain int"),
    "missing column": ("def agent(observation): return 7", "INVALID", "column 7"),
    "float": ("def agent(observation): return 3.0", "ERROR", "TypeError"),
    "exit": ("import sys\ndef agent(observation): sys.exit(0)", "ERROR", "SystemExit"),
    "exit while loading": ("raise SystemExit(2)", "ERROR", "SystemExit"),
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
    assert record.cause is not None
    assert cause in record.cause
    assert "\n" not in record.cause


def test_a_failure_of_the_opponent_is_the_opponents() -> None:
    record = play(RANDOM, always(7))
    assert record.result is Result.OPPONENT_FAILED
    assert record.statuses == ("DONE", "INVALID")


def test_moves_before_a_failure_are_kept() -> None:
    record = play(always(0), always(0))
    assert record.columns == (0,) * 6
    assert record.statuses == ("INVALID", "DONE")
    assert record.cause == "played column 0, which is full or not on the board"


def test_the_last_words_of_a_failing_seat_are_kept() -> None:
    talker = (
        "import sys\ndef agent(observation):\n    print('I give up', file=sys.stderr)\n    return 7"
    )
    assert play(submitted(talker)).stderr == ("I give up",)
    assert play(always(0), always(1)).stderr == ()


def test_an_empty_bank_is_a_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kaggle's stopwatch is made to tell 100 s a move: more than the limit and the bank of 60 s."""
    seconds: Iterator[float] = (100.0 * tick for tick in count())
    monkeypatch.setattr(kaggle_environments().agent, "perf_counter", lambda: next(seconds))
    record = play(always(0))
    assert record.statuses == ("TIMEOUT", "DONE")
    assert record.cause == "a move took 100.0 s: over 2 s and over its bank"


def test_a_game_leaves_the_process_as_it_was() -> None:
    generator_state, search_path = random.getstate(), list(sys.path)
    play(submitted("raise ValueError"))
    assert random.getstate() == generator_state
    assert sys.path == search_path


def test_ctrl_c_goes_through() -> None:
    with pytest.raises(KeyboardInterrupt):
        play(submitted("def agent(observation): raise KeyboardInterrupt"))
