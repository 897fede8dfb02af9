from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submission.arena.game_record import GameRecord
from submission.match.sprt import pair_points, points_of_pairs
from tests.helpers.game_records import DRAW, LOSS, OPPONENT_FAILED, PLAYER_FAILED, WIN, games


@pytest.mark.parametrize(
    ("first", "second", "points"),
    [
        (WIN, WIN, 2),
        (WIN, DRAW, 1.5),
        (DRAW, DRAW, 1),
        (LOSS, WIN, 1),
        (LOSS, DRAW, 0.5),
        (LOSS, LOSS, 0),
        (PLAYER_FAILED, WIN, 1),
        (OPPONENT_FAILED, WIN, None),
        (PLAYER_FAILED, OPPONENT_FAILED, None),
    ],
)
def test_a_pair_has_the_points_of_both_games(
    first: GameRecord, second: GameRecord, points: float | None
) -> None:
    assert pair_points(first, second) == pair_points(second, first) == points


@given(st.permutations(games(WIN, LOSS, DRAW, WIN, LOSS, LOSS)))
def test_games_belong_together_by_number(played: Iterable[GameRecord]) -> None:
    assert points_of_pairs(played) == [1, 1.5, 0]


def test_half_a_pair_does_not_count() -> None:
    assert points_of_pairs(games(WIN, WIN, WIN)) == [2]
    assert points_of_pairs(games(WIN, WIN, WIN, DRAW)[1:]) == [1.5]


def test_a_pair_in_which_the_opponent_failed_does_not_count() -> None:
    assert points_of_pairs(games(WIN, OPPONENT_FAILED, WIN, PLAYER_FAILED)) == [1]


@given(st.lists(st.sampled_from([WIN, DRAW, LOSS]), max_size=30))
def test_points_are_kaggles_rewards_from_0_to_1(played: list[GameRecord]) -> None:
    whole_pairs = games(*played[: len(played) // 2 * 2])
    rewards = [game.rewards[game.seat - 1] or 0 for game in whole_pairs]
    assert sum(points_of_pairs(whole_pairs)) == sum((1 + reward) / 2 for reward in rewards)
