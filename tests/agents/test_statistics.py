"""Statistics of matches: published intervals, definitions, a numerical optimiser."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import combinations_with_replacement
from math import factorial, inf, prod, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.reporting.stats import (
    PAIR_POINTS,
    Z_95,
    Estimate,
    PairDistribution,
    count_pairs,
    elo_difference,
    elo_estimate,
    expected_score,
    likeliest_elo,
    paired_score_estimate,
    score_estimate,
)
from tests.helpers.likeliest_distribution import (
    VALUES,
    greatest_log_likelihood,
    likeliest_probabilities,
)

pairs = st.lists(st.sampled_from(PAIR_POINTS), min_size=1, max_size=40)
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
def test_an_interval_keeps_a_width_in_range_and_the_opponents_is_its_mirror_image(
    result: tuple[float, int],
) -> None:
    points, games = result
    require_interval(
        score_estimate(points, games), score_estimate(games - points, games), points / games, 0
    )


@given(pairs)
def test_so_does_an_interval_of_pairs(pair_points: list[float]) -> None:
    own = paired_score_estimate(pair_points)
    other = paired_score_estimate([2 - points for points in pair_points])
    number = len(pair_points)
    require_interval(own, other, sum(pair_points) / (2 * number), 0.8 / (number + 4))


def require_interval(own: Estimate, other: Estimate, value: float, width: float) -> None:
    """An interval around a value, of more than a width, and the opponent's."""
    assert own.value == value
    assert 0 <= own.low <= own.value <= own.high <= 1
    assert own.high - own.low > width
    assert own.low == pytest.approx(1 - other.high, abs=1e-9)
    assert own.high == pytest.approx(1 - other.low, abs=1e-9)


@pytest.mark.parametrize(
    "pair_points",
    [
        [1, 1, 1.5, 2, 1, 0.5, 1, 1, 2, 2],
        [0.5, 0, 1, 1, 0, 1.5, 1],
        [1] * 20 + [1.5] * 10,
        [2] * 15 + [1] * 3,
    ],
)
def test_limits_of_pairs_lie_1_96_standard_deviations_away(pair_points: list[float]) -> None:
    """The definition, with the variance by a numerical optimiser."""
    estimate = paired_score_estimate(pair_points)
    for limit in (estimate.low, estimate.high):
        probabilities = likeliest_probabilities(count_pairs(pair_points), limit)
        variance = np.dot(probabilities, (VALUES - limit) ** 2)
        deviation = sqrt(variance / len(pair_points))
        assert abs(estimate.value - limit) == pytest.approx(Z_95 * deviation, rel=0.005)


@given(pairs, st.integers(0, 39))
def test_more_points_never_lower_a_limit(pair_points: list[float], place: int) -> None:
    place %= len(pair_points)
    better = [*pair_points[:place], min(2, pair_points[place] + 0.5), *pair_points[place + 1 :]]
    before, after = paired_score_estimate(pair_points), paired_score_estimate(better)
    assert after.low >= before.low - 1e-9
    assert after.high >= before.high - 1e-9


@cache
def intervals(
    estimate: Callable[[Sequence[float]], Estimate], number: int
) -> list[tuple[Estimate, tuple[int, ...]]]:
    """The interval for each outcome of a number of pairs, with the count of each pair's result."""
    outcomes = combinations_with_replacement(PAIR_POINTS, number)
    return [(estimate(pair_points), count_pairs(pair_points)) for pair_points in outcomes]


def coverage(
    estimate: Callable[[Sequence[float]], Estimate], probabilities: Sequence[float], number: int
) -> float:
    """The chance that the interval contains the mean: exact, over all outcomes of these pairs."""
    mean = np.dot(probabilities, PAIR_POINTS) / 2
    holding = [
        counts for found, counts in intervals(estimate, number) if found.low <= mean <= found.high
    ]
    return sum(
        factorial(number)
        * prod(p**count / factorial(count) for p, count in zip(probabilities, counts, strict=True))
        for counts in holding
    )


@pytest.mark.parametrize("number", [5, 8])
def test_intervals_of_few_pairs_hold_the_truth(number: int) -> None:
    for probabilities in (
        (0.05, 0.02, 0.86, 0.02, 0.05),  # openings decide
        (0.45, 0.03, 0.04, 0.03, 0.45),  # pairs agree
        (0.25, 0, 0.5, 0, 0.25),
        (0.04, 0.16, 0.32, 0.32, 0.16),
        (0, 0, 0.6, 0.1, 0.3),
        (0.01, 0.02, 0.12, 0.15, 0.7),
    ):
        assert coverage(paired_score_estimate, probabilities, number) >= 0.93, probabilities


@pytest.mark.parametrize(
    ("score", "difference"),
    [(0, -inf), (0.5, 0), (0.75, 190.85), (10 / 11, 400), (0.6401, 100), (0.7597, 200), (1, inf)],
)
def test_elo_at_known_points(score: float, difference: float) -> None:
    assert elo_difference(score) == pytest.approx(difference, abs=0.05)


@given(scores)
def test_elo_inverts_the_expected_score(score: float) -> None:
    assert 1 / (1 + 10 ** (-elo_difference(score) / 400)) == pytest.approx(score)
    assert expected_score(elo_difference(score)) == pytest.approx(score)
    assert elo_difference(1 - score) == pytest.approx(-elo_difference(score), abs=1e-6)


@given(
    st.lists(st.tuples(st.floats(-500, 500), st.floats(0.1, 50)), min_size=1, max_size=4),
    st.floats(-400, 400),
)
def test_a_rating_is_where_the_points_are_expected(
    opponents: list[tuple[float, float]], true: float
) -> None:
    """The logistic curve written out, as Elo has it."""
    points = sum(games / (1 + 10 ** ((elo - true) / 400)) for elo, games in opponents)
    assert likeliest_elo(points, opponents) == pytest.approx(true, abs=0.01)


def test_limits_become_those_of_elo() -> None:
    assert elo_estimate(Estimate(1, 0.75, 1)) == Estimate(inf, elo_difference(0.75), inf)


@pytest.mark.parametrize(
    ("estimate", "message"),
    [
        *(
            (partial(score_estimate, *case), "cannot come from")
            for case in [(0, 0), (-1, 3), (4, 3)]
        ),
        (partial(paired_score_estimate, []), "no pair of games was played"),
        (partial(elo_difference, -0.1), "must be from 0 to 1"),
        (partial(elo_difference, 1.1), "must be from 0 to 1"),
    ],
)
def test_what_no_games_can_give_is_refused(estimate: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimate()


# --- the likeliest distribution of pairs with a given mean


@given(st.lists(st.integers(0, 300), min_size=5, max_size=5).filter(any), st.floats(0.02, 0.98))
def test_no_distribution_with_that_mean_is_likelier(pair_counts: list[int], mean: float) -> None:
    found = PairDistribution.observed(pair_counts).with_mean(mean)
    assert sum(found.probabilities) == pytest.approx(1)
    assert found.mean == pytest.approx(mean, abs=1e-9)
    assert found.mean == pytest.approx(np.dot(found.probabilities, VALUES))
    spread = np.subtract(VALUES, found.mean) ** 2
    assert found.variance == pytest.approx(np.dot(found.probabilities, spread))
    seen = [count + 1 for count in pair_counts]  # the oracle needs each outcome
    likeliest = PairDistribution.observed(seen).with_mean(mean).probabilities
    best = greatest_log_likelihood(seen, mean)
    likelihood = float(np.dot(seen, np.log(likeliest)))
    assert likelihood == pytest.approx(best, abs=1e-5 * (1 + abs(best)))


@given(st.lists(st.integers(1, 300), min_size=5, max_size=5))
def test_what_was_observed_is_likeliest_for_its_own_mean(pair_counts: list[int]) -> None:
    observed = PairDistribution.observed(pair_counts)
    frequencies = [count / sum(pair_counts) for count in pair_counts]
    assert observed.probabilities == pytest.approx(frequencies)
    assert observed.with_mean(observed.mean).probabilities == pytest.approx(frequencies)


def test_what_was_not_observed_stays_possible() -> None:
    one_sided = PairDistribution.observed([0, 0, 0, 0, 8])
    assert 0 < min(one_sided.probabilities) < 0.001
    # Losing both games explains a mean of 1/2 best: as likely as winning both.
    assert one_sided.with_mean(0.5).probabilities == pytest.approx([0.5, 0, 0, 0, 0.5], abs=0.001)


def test_pairs_are_counted_by_their_points() -> None:
    assert count_pairs([2, 0, 1.5, 2, 1]) == (1, 0, 1, 1, 2)


@pytest.mark.parametrize("points", [-0.5, 0.25, 2.5])
def test_points_that_no_pair_brings_are_refused(points: float) -> None:
    with pytest.raises(ValueError, match="cannot come from a pair"):
        count_pairs([1, points])
