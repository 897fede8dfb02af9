"""Elo ratings beside published ones, those of scipy and choix, and known strengths."""

from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from agents.reporting.stats import elo_difference, expected_score
from submission.rating import ratings
from submission.rating.ratings import ELO, Encounters, Ratings, elo_ratings, rate, took_points

BASEBALL = """
Milwaukee   0 7 9 7 7 9 11
Detroit     6 0 7 5 11 9 9
Toronto     4 6 0 7 7 8 12
New-York    6 8 6 0 6 7 10
Boston      6 2 6 7 0 7 12
Cleveland   4 4 5 6 6 0 6
Baltimore   2 4 1 3 1 7 0
"""


def pairs(*outcomes: tuple[float, int]) -> NDArray[np.float64]:
    """Pairs of games, from the first player's points in a pair and the number of such pairs."""
    return np.array([[points, 2 - points] for points, count in outcomes for _ in range(count)])


def test_ratings_equal_the_published_example() -> None:
    """A. Agresti, Categorical Data Analysis (2nd ed., 2002), table 10.11: baseball in 1987."""
    wins = np.array([line.split()[1:] for line in BASEBALL.strip().splitlines()], float)
    assert wins.sum() == 7 * 6 / 2 * 13
    found = elo_ratings(wins) / ELO
    published = [1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0]
    assert found - found[-1] == pytest.approx(published, abs=0.005)


def scipys_optimum(points: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.optimize import minimize

    def loss(rating: NDArray[np.float64]) -> float:
        difference = rating[:, np.newaxis] - rating
        return float((points * np.logaddexp(0, -difference)).sum())

    found = minimize(loss, np.zeros(len(points)), method="BFGS", options={"gtol": 1e-7})
    optimum: NDArray[np.float64] = (found.x - found.x.mean()) * ELO
    return optimum


@given(
    st.integers(2, 6).flatmap(
        lambda count: arrays.arrays(float, (count, count), elements=st.integers(1, 40))
    )
)
def test_ratings_are_the_likeliest(doubled: NDArray[np.float64]) -> None:
    points = doubled / 2
    np.fill_diagonal(points, 0)
    assert elo_ratings(points) == pytest.approx(scipys_optimum(points), abs=0.05)


@given(arrays.arrays(float, (3, 6, 6), elements=st.sampled_from([0, 0, 1, 20.5, 200])))
@settings(max_examples=20)
def test_the_ratings_of_many_tournaments_are_those_that_choix_finds_of_each(
    points: NDArray[np.float64],
) -> None:
    import choix

    points += 0.2  # as each takes of a virtual point
    for found, each in zip(elo_ratings(points), points, strict=True):
        expected = choix.ilsr_pairwise_dense(each, max_iter=10_000) * ELO
        assert found == pytest.approx(expected - expected.mean(), abs=0.001)


@pytest.mark.parametrize(("won", "drawn", "lost"), [(10, 0, 0), (1, 30, 2), (29, 3, 17)])
def test_of_two_players_the_rating_is_the_elo_of_the_score(won: int, drawn: int, lost: int) -> None:
    """Each player also has one game won and one lost that were not played."""
    found = rate(2, {(0, 1): pairs((2, won), (1, drawn), (0, lost))}, anchor=1, seed=0)
    score = (2 * won + drawn + 1) / (2 * (won + drawn + lost) + 2)
    assert found.elo[0].value == pytest.approx(elo_difference(score), abs=0.01)


@given(
    st.integers(1, 9).flatmap(
        lambda count: arrays.arrays(float, (count, count), elements=st.sampled_from([0, 0, 0.5, 3]))
    )
)
def test_chains_of_points_are_those_that_scipy_finds(points: NDArray[np.float64]) -> None:
    from scipy.sparse.csgraph import shortest_path

    steps = shortest_path(points > 0, unweighted=True)
    assert took_points(points).tolist() == np.isfinite(steps).tolist()


def test_nobody_knows_how_strong_an_unbeaten_player_is() -> None:
    found = rate(3, {(0, 1): pairs((2, 10)), (1, 2): pairs((1, 10))}, anchor=1, seed=0)
    unbeaten, anchor, equal = found.elo
    assert unbeaten.high == inf
    assert 0 < unbeaten.low < unbeaten.value < inf
    assert (anchor.low, anchor.value, anchor.high) == (0, 0, 0)
    assert -inf < equal.low < 0 < equal.high < inf


def test_nobody_knows_how_weak_a_player_without_a_point_is() -> None:
    """The winner's limit is that of Clopper and Pearson (Biometrika 26 (1934)): 20 of 20 games."""
    encounters = {(0, 1): pairs((2, 10))}
    weak = rate(2, encounters, anchor=0, seed=0).elo[1]
    assert weak.low == -inf < weak.value < weak.high < 0
    strong = rate(2, encounters, anchor=1, seed=0).elo[0]
    assert expected_score(strong.low) == pytest.approx(0.025 ** (1 / 20), abs=0.02)


def test_many_players_without_games_are_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their shares of a game that was not played are so small that some are drawn as 0."""
    monkeypatch.setattr(ratings, "REPLICAS", 5)
    found = rate(100, {(0, 1): pairs((2, 1))}, anchor=0, seed=0)
    assert [(elo.low, elo.high) for elo in found.elo[2:]] == [(-inf, inf)] * 98


def test_a_player_without_games_is_anywhere() -> None:
    found = rate(3, {(0, 1): pairs((1, 5))}, anchor=0, seed=0)
    assert (found.elo[2].low, found.elo[2].high) == (-inf, inf)
    assert found.superiority[2, 0] == pytest.approx(0.5, abs=0.05)


def test_the_anchor_is_the_player_in_the_middle_unless_it_is_named() -> None:
    encounters: Encounters = {
        (0, 1): pairs((1.5, 8)),
        (0, 2): pairs((0.5, 8)),
        (1, 2): pairs((0, 7), (2, 1)),
    }
    middle, named = (rate(3, encounters, anchor=anchor, seed=0) for anchor in (None, 1))
    assert (middle.anchor, named.anchor) == (0, 1)
    shift = middle.elo[1].value
    assert [elo.value - shift for elo in middle.elo] == pytest.approx(
        [elo.value for elo in named.elo]
    )


def test_many_games_have_the_interval_of_the_delta_method() -> None:
    outcomes = [(2.0, 110), (1.5, 20), (1.0, 130), (0.0, 40)]
    points = pairs(*outcomes)[:, 0] / 2
    found = rate(2, {(0, 1): pairs(*outcomes)}, anchor=1, seed=0).elo[0]
    score, deviation = points.mean(), points.std(ddof=1) / sqrt(len(points))
    half = 1.96 * deviation * ELO / (score * (1 - score))
    assert found.high - found.value == pytest.approx(half, rel=0.1)
    assert found.value - found.low == pytest.approx(half, rel=0.1)


def test_seats_that_decide_every_game_say_that_players_are_equal() -> None:
    """A pair is one observation: 1 point each time leaves less doubt than 2 or 0 at random."""
    equal = rate(2, {(0, 1): pairs((1, 20))}, anchor=1, seed=0).elo[0]
    spread = rate(2, {(0, 1): pairs((2, 10), (0, 10))}, anchor=1, seed=0).elo[0]
    assert equal.high - equal.low < (spread.high - spread.low) / 2


def test_the_seed_decides_the_intervals() -> None:
    encounters = {(0, 1): pairs((2, 9), (1, 4), (0, 3))}
    first, again, other = (rate(2, encounters, anchor=1, seed=seed).elo for seed in (1, 1, 2))
    assert first == again
    assert first[0].low != other[0].low
    assert first[0].low == pytest.approx(other[0].low, abs=15)


def test_superiority_is_that_of_the_posterior() -> None:
    """Pairs won or lost as a whole have a beta distribution, whose tail is known in closed form.

    With 6 pairs won and 2 lost and half a pair of either that was not played: P(Beta(7, 3) > 1/2)
    would count a whole one, P(Beta(6, 2) > 1/2) none; the truth lies between.
    """
    found = rate(2, {(0, 1): pairs((2, 6), (0, 2))}, anchor=1, seed=0)
    upper = sum([1, 7, 21, 35, 35, 21]) / 2**7  # P(Beta(6, 2) > 1/2) = P(Bin(7, 1/2) <= 5)
    lower = sum([1, 9, 36, 84, 126, 126, 84]) / 2**9  # P(Beta(7, 3) > 1/2) = P(Bin(9, 1/2) <= 6)
    assert lower - 0.02 < found.superiority[0, 1] < upper + 0.02
    assert found.superiority + found.superiority.T == pytest.approx(1 - np.eye(2), abs=1e-9)


STRENGTHS = np.array([450.0, 300, 150, 0])
DRAWS = 0.2


def played(rng: np.random.Generator, count: int) -> Encounters:
    """A round robin of players with `STRENGTHS`, with `count` pairs of games between any two."""
    encounters = {}
    for first in range(len(STRENGTHS)):
        for second in range(first + 1, len(STRENGTHS)):
            score = expected_score(STRENGTHS[first] - STRENGTHS[second])
            drawn = 2 * DRAWS * min(score, 1 - score)
            chances = [score - drawn / 2, drawn, 1 - score - drawn / 2]
            points = rng.choice([1, 0.5, 0], size=(count, 2), p=chances).sum(axis=1)
            encounters[first, second] = np.column_stack([points, 2 - points])
    return encounters


def test_known_strengths_lie_in_95_of_100_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "REPLICAS", 100)
    rng = np.random.default_rng(5)
    tournaments: list[Ratings] = [
        rate(len(STRENGTHS), played(rng, 12), anchor=3, seed=number) for number in range(60)
    ]
    held = [
        elo.low <= strength <= elo.high
        for tournament in tournaments
        for strength, elo in zip(STRENGTHS[:3], tournament.elo, strict=False)
    ]
    # 180 intervals, of which those of one tournament are alike: two standard errors are 5 %.
    assert 0.90 <= np.mean(held) <= 0.99
    middle = [tournament.elo[1].value for tournament in tournaments]
    assert np.mean(middle) == pytest.approx(300, abs=3 * float(np.std(middle)) / sqrt(60))
