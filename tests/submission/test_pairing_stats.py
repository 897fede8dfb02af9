from dataclasses import replace
from math import inf

import pytest

from agents.reporting.stats import paired_score_estimate
from submission.arena.game_record import Result
from submission.match.pairing_stats import MoveTimes, Tally, pairing_stats
from tests.helpers.game_records import DRAW, LOSS, OPPONENT_FAILED, PLAYER_FAILED, WIN

NAMES = ("hero", "rival")
SECOND_WIN = replace(LOSS, game=5, result=Result.WIN)
"""The partner of `PLAYER_FAILED`."""


def test_results_are_counted_by_seat() -> None:
    stats = pairing_stats(NAMES, [WIN, LOSS, DRAW])
    assert stats.as_first == Tally(wins=1, draws=1, losses=0)
    assert stats.as_second == Tally(wins=0, draws=0, losses=1)
    assert stats.score == paired_score_estimate([1.0]), "the draw lacks its partner"


def test_a_failure_of_the_player_scores_nothing() -> None:
    stats = pairing_stats(NAMES, [PLAYER_FAILED, SECOND_WIN])
    assert stats.player_failures == {"ERROR": 1}
    assert stats.as_first == Tally(0, 0, 0)
    assert stats.as_second == Tally(1, 0, 0)
    assert stats.score == paired_score_estimate([1.0])


def test_a_pair_in_which_the_opponent_failed_does_not_count() -> None:
    second_win = replace(SECOND_WIN, game=OPPONENT_FAILED.game + 1)
    stats = pairing_stats(NAMES, [WIN, LOSS, OPPONENT_FAILED, second_win])
    assert stats.opponent_failures == {"INVALID": 1}
    assert stats.score == paired_score_estimate([1.0])


def test_failures_on_the_second_seat_have_that_seats_status() -> None:
    failed = replace(PLAYER_FAILED, seat=2, statuses=("DONE", "TIMEOUT"), rewards=(0, None))
    assert pairing_stats(NAMES, [failed]).player_failures == {"TIMEOUT": 1}


def test_without_a_game_that_counts_there_is_no_score() -> None:
    stats = pairing_stats(NAMES, [OPPONENT_FAILED])
    assert stats.score is None
    assert stats.elo is None


def test_a_perfect_score_is_infinitely_better() -> None:
    elo = pairing_stats(NAMES, [WIN, replace(SECOND_WIN, game=1)]).elo
    assert elo is not None
    assert elo.value == elo.high == inf
    assert elo.low < 0, "one pair shows little"


def test_move_times_follow_the_player_to_its_seat() -> None:
    as_second = replace(LOSS, durations=((0.9,), (0.3, 0.6)))
    stats = pairing_stats(NAMES, [WIN, as_second])
    assert stats.player_times.first == 0.5
    assert stats.player_times.longest == 0.6
    assert stats.player_times.mean == pytest.approx((0.5 + 0.1 * 3 + 0.3 + 0.6) / 6)
    assert stats.opponent_times.first == stats.opponent_times.longest == 0.9


def test_without_a_move_there_is_no_time() -> None:
    assert pairing_stats(NAMES, []).player_times == MoveTimes(None, None, None)


def test_games_that_repeat_are_found() -> None:
    assert pairing_stats(NAMES, [WIN, replace(WIN, game=2), LOSS]).distinct_games == 2
