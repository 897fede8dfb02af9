from dataclasses import replace
from math import inf

import pytest

from submission.evaluating.statistics import score_estimate
from submission.evaluating.summary import MoveTimes, Tally, summarise
from tests.game_records import DRAW, LOSS, OPPONENT_FAILED, PLAYER_FAILED, WIN


def test_results_are_counted_by_seat() -> None:
    summary = summarise("rival", [WIN, LOSS, DRAW])
    assert summary.as_first == Tally(wins=1, draws=1, losses=0)
    assert summary.as_second == Tally(wins=0, draws=0, losses=1)
    assert summary.score == score_estimate(1.5, 3)


def test_games_against_others_are_left_out() -> None:
    assert summarise("rival", [WIN, replace(WIN, opponent="other")]).games == 1


def test_a_failure_of_the_player_scores_nothing() -> None:
    summary = summarise("rival", [WIN, PLAYER_FAILED])
    assert summary.player_failures == {"ERROR": 1}
    assert summary.as_first == Tally(1, 0, 0)
    assert summary.score == score_estimate(1, 2)


def test_a_failure_of_the_opponent_does_not_count() -> None:
    summary = summarise("rival", [WIN, OPPONENT_FAILED])
    assert summary.opponent_failures == {"INVALID": 1}
    assert summary.score == score_estimate(1, 1)


def test_failures_on_the_second_seat_have_that_seats_status() -> None:
    failed = replace(PLAYER_FAILED, seat=2, statuses=("DONE", "TIMEOUT"), rewards=(0, None))
    assert summarise("rival", [failed]).player_failures == {"TIMEOUT": 1}


def test_without_a_game_that_counts_there_is_no_score() -> None:
    summary = summarise("rival", [OPPONENT_FAILED])
    assert summary.score is None
    assert summary.elo is None


def test_a_perfect_score_is_infinitely_better() -> None:
    elo = summarise("rival", [WIN]).elo
    assert elo is not None
    assert elo.value == elo.high == inf
    assert elo.low < 0, "one game shows little"


def test_move_times_follow_the_player_to_its_seat() -> None:
    as_second = replace(LOSS, durations=((0.9,), (0.3, 0.6)))
    summary = summarise("rival", [WIN, as_second])
    assert summary.player_times.first == 0.5
    assert summary.player_times.longest == 0.6
    assert summary.player_times.mean == pytest.approx((0.5 + 0.1 * 3 + 0.3 + 0.6) / 6)
    assert summary.opponent_times.first == summary.opponent_times.longest == 0.9


def test_without_a_move_there_is_no_time() -> None:
    assert summarise("rival", []).player_times == MoveTimes(None, None, None)


def test_games_that_repeat_are_found() -> None:
    assert summarise("rival", [WIN, replace(WIN, game=2), LOSS]).distinct_games == 2
