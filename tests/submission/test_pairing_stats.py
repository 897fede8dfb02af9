"""The figures of a pairing: the points of its pairs, its results by seat, failures and times."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.reporting.stats import paired_score_estimate
from submission.arena.game_record import GameRecord, Result
from submission.match.pairing_stats import (
    MoveTimes,
    Tally,
    pair_points,
    pairing_stats,
    points_of_pairs,
)
from tests.helpers.game_records import (
    DRAW,
    LOSS,
    OPPONENT_FAILED,
    PLAYER_FAILED,
    WIN,
    games,
    match_of,
)

NAMES = ("hero", "rival")
SECOND_WIN = replace(LOSS, game=5, result=Result.WIN)
"""The partner of `PLAYER_FAILED`."""


@pytest.mark.parametrize(
    ("first", "second", "points"),
    [
        (PLAYER_FAILED, WIN, 1),
        (OPPONENT_FAILED, WIN, None),
        (PLAYER_FAILED, OPPONENT_FAILED, None),
    ],
)
def test_a_players_failure_is_a_loss_and_the_opponents_leaves_the_pair_out(
    first: GameRecord, second: GameRecord, points: float | None
) -> None:
    assert pair_points(first, second) == pair_points(second, first) == points


@given(st.permutations(games(WIN, LOSS, DRAW, WIN, LOSS, LOSS, WIN)))
def test_games_belong_together_by_number_and_half_a_pair_does_not_count(
    played: Iterable[GameRecord],
) -> None:
    assert points_of_pairs(played) == [1, 1.5, 0]


@given(st.lists(st.sampled_from([WIN, DRAW, LOSS]), max_size=30))
def test_points_are_kaggles_rewards_from_0_to_1(played: list[GameRecord]) -> None:
    whole_pairs = games(*played[: len(played) // 2 * 2])
    rewards = [game.rewards[game.seat - 1] or 0 for game in whole_pairs]
    assert sum(points_of_pairs(whole_pairs)) == sum((1 + reward) / 2 for reward in rewards)


def test_a_failure_of_the_player_scores_nothing() -> None:
    stats = pairing_stats(NAMES, [PLAYER_FAILED, SECOND_WIN])
    assert stats.player_failures == {"ERROR": 1}
    assert (stats.as_first, stats.as_second) == (Tally(0, 0, 0), Tally(1, 0, 0))
    assert stats.score == paired_score_estimate([1.0])
    failed = replace(PLAYER_FAILED, seat=2, statuses=("DONE", "TIMEOUT"), rewards=(0, None))
    assert pairing_stats(NAMES, [failed]).player_failures == {"TIMEOUT": 1}


def test_one_who_plays_himself_fails_on_either_seat() -> None:
    failed = PLAYER_FAILED, OPPONENT_FAILED
    played = tuple(replace(each, opponent="hero") for each in failed)
    stats = pairing_stats(("hero", "hero"), played)
    assert (stats.player_failures, stats.opponent_failures) == ({"ERROR": 1}, {"INVALID": 1})
    match = match_of(*played)
    alone = replace(match, players=match.players[:1], pairings=(("hero", "hero"),))
    told = [next(iter(replace(alone, records=each).summary())) for each in (played, played[1:])]
    assert told[0].startswith("hero failed in 2 games, first in game 5 of hero against hero: ERROR")
    assert told[1].startswith("hero failed in 1 game, first in game 7 of hero against hero: INVALI")


def test_a_pair_in_which_the_opponent_failed_does_not_count() -> None:
    second_win = replace(SECOND_WIN, game=OPPONENT_FAILED.game + 1)
    stats = pairing_stats(NAMES, [WIN, LOSS, OPPONENT_FAILED, second_win])
    assert stats.opponent_failures == {"INVALID": 1}
    assert stats.score == paired_score_estimate([1.0])
    assert stats.points_in_words.endswith("of the points in 2 of 4 games")
    alone = pairing_stats(NAMES, [OPPONENT_FAILED])
    assert (alone.score, alone.elo) == (None, None)


def test_move_times_follow_the_player_to_its_seat() -> None:
    as_second = replace(LOSS, durations=((0.9,), (0.3, 0.6)))
    stats = pairing_stats(NAMES, [WIN, as_second])
    assert (stats.player_times.first, stats.player_times.longest) == (0.5, 0.6)
    assert stats.player_times.mean == pytest.approx((0.5 + 0.1 * 3 + 0.3 + 0.6) / 6)
    assert stats.opponent_times.first == stats.opponent_times.longest == 0.9
    assert pairing_stats(NAMES, []).player_times == MoveTimes(None, None, None)


def test_each_pairing_has_its_own_figures() -> None:
    other = replace(LOSS, opponent="other")
    match = replace(match_of(WIN, DRAW, other), pairings=(("hero", "other"), NAMES))
    assert match.stats() == (
        pairing_stats(("hero", "other"), [other]),
        pairing_stats(NAMES, [WIN, DRAW]),
    )
