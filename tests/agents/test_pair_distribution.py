"""The likeliest distribution under a given mean, against a numerical optimiser."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.reporting.stats import PAIR_SCORES, PairDistribution, count_pairs
from tests.helpers.likeliest_distribution import greatest_log_likelihood

counts = st.lists(st.integers(1, 300), min_size=5, max_size=5)
means = st.floats(0.02, 0.98)


@given(st.lists(st.integers(0, 300), min_size=5, max_size=5).filter(any), means)
def test_no_distribution_with_that_mean_is_likelier(pair_counts: list[int], mean: float) -> None:
    found = PairDistribution.observed(pair_counts).with_mean(mean)
    assert sum(found.probabilities) == pytest.approx(1)
    assert found.mean == pytest.approx(mean, abs=1e-9)
    assert found.mean == pytest.approx(np.dot(found.probabilities, PAIR_SCORES))
    spread = np.subtract(PAIR_SCORES, found.mean) ** 2
    assert found.variance == pytest.approx(np.dot(found.probabilities, spread))
    seen = [count + 1 for count in pair_counts]  # the oracle needs each outcome
    likeliest = PairDistribution.observed(seen).with_mean(mean).probabilities
    best = greatest_log_likelihood(seen, mean)
    likelihood = float(np.dot(seen, np.log(likeliest)))
    assert likelihood == pytest.approx(best, abs=1e-5 * (1 + abs(best)))


@given(counts)
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
