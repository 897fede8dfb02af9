"""A game from its specification to its record."""

from typing import Any

import pytest

from submission.arena.game_record import GameConfiguration, Result
from submission.arena.kaggle_referee import KaggleGame
from submission.arena.players import Player
from submission.match.schedule import Arena
from tests.helpers.arena_games import RANDOM, play, submitted


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


def test_every_move_of_each_seat_has_its_seconds() -> None:
    slow = submitted("import time\ndef agent(observation):\n    time.sleep(0.02)\n    return 0")
    record = play(slow, always(1))
    assert [len(seat) for seat in record.durations] == [4, 3]
    assert min(record.durations[0]) >= 0.02
    assert max(record.durations[1]) < 0.02


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
