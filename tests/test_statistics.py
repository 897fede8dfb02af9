from math import inf, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submission.evaluating.statistics import (
    Estimate,
    elo_difference,
    elo_estimate,
    score_estimate,
)

scores = st.floats(min_value=1e-6, max_value=1 - 1e-6)


@st.composite
def results(draw: st.DrawFn) -> tuple[float, int]:
    """Points, in halves, and games."""
    games = draw(st.integers(1, 10_000))
    return draw(st.integers(0, 2 * games)) / 2, games


@pytest.mark.parametrize(
    ("points", "games", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_interval_equals_the_published_examples(
    points: float, games: int, low: float, high: float
) -> None:
    """R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, table I, method 3."""
    estimate = score_estimate(points, games)
    assert estimate.value == points / games
    assert estimate.low == pytest.approx(low, abs=5e-5)
    assert estimate.high == pytest.approx(high, abs=5e-5)


@given(results())
def test_limits_lie_exactly_1_96_standard_deviations_away(result: tuple[float, int]) -> None:
    """Wilson's definition: seen from either limit, the score is just significantly different."""
    points, games = result
    estimate = score_estimate(points, games)
    for limit in (estimate.low, estimate.high):
        deviation = sqrt(limit * (1 - limit) / games)
        assert abs(estimate.value - limit) == pytest.approx(1.959964 * deviation, abs=1e-6)


@given(results())
def test_interval_stays_in_range_and_keeps_a_width(result: tuple[float, int]) -> None:
    estimate = score_estimate(*result)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert estimate.high - estimate.low > 0


@given(results())
def test_the_opponents_interval_is_the_mirror_image(result: tuple[float, int]) -> None:
    points, games = result
    own, other = score_estimate(points, games), score_estimate(games - points, games)
    assert own.low == pytest.approx(1 - other.high, abs=1e-12)
    assert own.high == pytest.approx(1 - other.low, abs=1e-12)


@pytest.mark.parametrize(("points", "games"), [(0, 0), (-1, 3), (4, 3)])
def test_impossible_points_are_refused(points: float, games: int) -> None:
    with pytest.raises(ValueError, match="cannot come from"):
        score_estimate(points, games)


@pytest.mark.parametrize(
    ("score", "difference"),
    [(0.5, 0), (0.75, 190.85), (10 / 11, 400), (0.6401, 100), (0.7597, 200)],
)
def test_elo_at_known_points(score: float, difference: float) -> None:
    assert elo_difference(score) == pytest.approx(difference, abs=0.05)


@given(scores)
def test_elo_inverts_the_expected_score(score: float) -> None:
    assert 1 / (1 + 10 ** (-elo_difference(score) / 400)) == pytest.approx(score)


@given(scores)
def test_elo_of_the_opponent_is_the_negative(score: float) -> None:
    assert elo_difference(1 - score) == pytest.approx(-elo_difference(score), abs=1e-6)


def test_elo_is_infinite_at_the_ends() -> None:
    assert (elo_difference(0), elo_difference(1)) == (-inf, inf)
    assert elo_estimate(Estimate(1, 0.75, 1)) == Estimate(inf, elo_difference(0.75), inf)


@pytest.mark.parametrize("score", [-0.1, 1.1])
def test_elo_of_no_score_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        elo_difference(score)
