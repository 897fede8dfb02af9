"""The sequential test: its likelihoods against published figures, its errors, and game by game."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from math import log, sqrt
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.reporting.stats import PAIR_SCORES, count_pairs, expected_score
from submission.arena.game_record import GameRecord
from submission.match.pairing_stats import points_of_pairs
from submission.match.sprt import (
    ENOUGH_REPEATS,
    Decision,
    SequentialTest,
    Sprt,
    Verdict,
    parse_sprt,
)
from tests.helpers.game_records import (
    DRAW,
    LOSS,
    OPPONENT_FAILED,
    PLAYER_FAILED,
    WIN,
    opened_games,
)
from tests.helpers.likeliest_distribution import greatest_log_likelihood

counts = st.lists(st.integers(1, 300), min_size=5, max_size=5)
elos = st.floats(-400, 400)


@pytest.mark.parametrize(
    ("pair_counts", "sprt", "ratio"),
    [
        ((223, 9863, 20279 + 1000, 10037, 246), Sprt(0.5, 2.5), -3.07),
        ((871, 26175, 55003 + 980, 26678, 821), Sprt(0, 2), -4.98),
    ],
)
def test_ratio_equals_that_of_fastchess(
    pair_counts: tuple[int, ...], sprt: Sprt, ratio: float
) -> None:
    """The logistic, pentanomial cases of `app/tests/sprt_test.cpp` in Disservin/fastchess."""
    assert sprt.log_likelihood_ratio(pair_counts) == pytest.approx(ratio, abs=0.005)


@given(counts, elos, st.floats(1, 200))
def test_ratio_equals_that_of_a_numerical_optimiser(
    pair_counts: list[int], elo0: float, difference: float
) -> None:
    sprt = Sprt(elo0, elo0 + difference)
    under_elo1 = greatest_log_likelihood(pair_counts, expected_score(sprt.elo1))
    under_elo0 = greatest_log_likelihood(pair_counts, expected_score(sprt.elo0))
    tolerance = 1e-4 * (1 + abs(under_elo0) + abs(under_elo1))
    found = sprt.log_likelihood_ratio(pair_counts)
    assert found == pytest.approx(under_elo1 - under_elo0, abs=tolerance)


def test_bounds_are_walds() -> None:
    """±2.94 at 5 %, as every framework for testing chess engines prints them."""
    assert (Sprt().lower, Sprt().upper) == pytest.approx((-2.94, 2.94), abs=0.005)
    assert Sprt(alpha=0.01, beta=0.1).upper == pytest.approx(log(90))
    assert Sprt(alpha=0.01, beta=0.1).lower == pytest.approx(-log(9.9))


@pytest.mark.parametrize(
    ("sprt", "elo0", "elo1"),
    [
        (Sprt(0, 50), "not 50 Elo stronger", "stronger, rather by 50 Elo than by 0"),
        (Sprt(10, 60), "not 60 Elo stronger", "stronger, rather by 60 Elo than by 10"),
        (Sprt(-50, 0), "weaker, rather by 50 Elo than by 0", "not 50 Elo weaker"),
        (Sprt(-60, -10), "weaker, rather by 60 Elo than by 10", "not 60 Elo weaker"),
        (Sprt(-5, 5), "not 5 Elo stronger", "not 5 Elo weaker"),
        (Sprt(-50, 10), "not 10 Elo stronger", "not 50 Elo weaker"),
    ],
)
def test_a_verdict_is_no_more_in_words_than_it_says(sprt: Sprt, elo0: str, elo1: str) -> None:
    assert sprt.in_words(Verdict.ACCEPTED_ELO0) == elo0
    assert sprt.in_words(Verdict.ACCEPTED_ELO1) == elo1


def test_a_verdict_falls_at_the_bounds() -> None:
    sprt = Sprt()
    assert sprt.verdict(sprt.upper) is Verdict.ACCEPTED_ELO1
    assert sprt.verdict(sprt.lower) is Verdict.ACCEPTED_ELO0
    assert sprt.verdict(sprt.upper - 0.001) is sprt.verdict(sprt.lower + 0.001) is None


class Simulated(NamedTuple):
    """What became of many matches that were tested pair by pair."""

    accepted_elo1: float
    """Share of the matches."""
    pairs: float
    """Mean length."""


def pair_probabilities(elo: float, draws: float) -> list[float]:
    """Of two independent games of a player whose difference is `elo`, a share of them drawn."""
    wins = expected_score(elo) - draws / 2
    game = [1 - draws - wins, draws, wins]
    return np.convolve(game, game).tolist()


@cache
def verdict_after(sprt: Sprt, pair_counts: tuple[int, ...]) -> Verdict | None:
    return sprt.verdict(sprt.log_likelihood_ratio(pair_counts))


def simulate(sprt: Sprt, probabilities: list[float], matches: int, seed: int) -> Simulated:
    rng = np.random.default_rng(seed)
    accepted = pairs = 0
    for _ in range(matches):
        pair_counts, verdict = [0] * 5, None
        for pair in rng.choice(5, size=1000, p=probabilities):
            pair_counts[pair] += 1
            verdict = verdict_after(sprt, tuple(pair_counts))
            if verdict is not None:
                break
        accepted += verdict is Verdict.ACCEPTED_ELO1
        pairs += sum(pair_counts)
    return Simulated(accepted / matches, pairs / matches)


@pytest.mark.parametrize(("draws", "rate"), [(0.05, 0.05), (0.4, 0.2)])
def test_errors_are_as_rare_as_stated(draws: float, rate: float) -> None:
    sprt, matches = Sprt(0, 150, alpha=rate, beta=rate), 150
    even = simulate(sprt, pair_probabilities(0, draws), matches, seed=1)
    better = simulate(sprt, pair_probabilities(150, draws), matches, seed=2)
    sampling_error = 3 * sqrt(rate * (1 - rate) / matches)
    assert even.accepted_elo1 <= rate + sampling_error
    assert 1 - better.accepted_elo1 <= rate + sampling_error
    # A test that erred far less often than stated would play more games than it needs.
    assert even.accepted_elo1 + 1 - better.accepted_elo1 >= 0.4 * rate


@pytest.mark.parametrize("elo", [0, 100])
def test_length_is_near_walds_approximation(elo: float) -> None:
    """With the drift of M. Van den Bergh's note: half the hypotheses' distance squared, in
    standard deviations of a pair. Both leave out what the last pair goes beyond the bound."""
    sprt, probabilities = Sprt(0, 100), pair_probabilities(elo, draws=0)
    variance = np.dot(probabilities, np.square(PAIR_SCORES)) - expected_score(elo) ** 2
    drift = (expected_score(100) - 0.5) ** 2 / (2 * variance)
    walds_length = (1 - 2 * sprt.alpha) * sprt.upper / drift
    simulated = simulate(sprt, probabilities, matches=50, seed=1)
    assert simulated.pairs == pytest.approx(walds_length, rel=0.2)


def test_a_command_line_names_it() -> None:
    assert parse_sprt("0,50") == Sprt(0, 50, 0.05, 0.05)
    assert parse_sprt(" -7.5, 12 ") == Sprt(-7.5, 12, 0.05, 0.05)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((text, "two Elo differences, as in 0,50, not '") for text in ("", "30", "0;30", "a,b")),
        ("0,30,50", "two Elo differences"),
        *((text, "ascending order and between -1000 and 1000, not ") for text in ("30,0", "5,5")),
        *((text, "ascending order") for text in ("nan,5", "0,inf", "-2000,0")),
    ],
)
def test_other_hypotheses_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_sprt(text)
    with pytest.raises(ValueError, match="ascending order"):
        Sprt(0, 10**400)


@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_impossible_error_rates_are_refused(name: str) -> None:
    for rate in (0, 0.5, 1, -0.1, float("nan"), 10**400):
        with pytest.raises(ValueError, match=f"{name} must be between 0 and"):
            Sprt(**{name: rate})


# --- game by game


SPRT = Sprt(0, 200)
DECIDING_WINS = 16
"""Each pair of wins weighs ln(0.7597 / 0.5), and the eighth one reaches ln 19."""

results = st.lists(
    st.sampled_from([WIN, WIN, WIN, DRAW, LOSS, PLAYER_FAILED, OPPONENT_FAILED]),
    min_size=20,
    max_size=40,
)


def judged(records: Iterable[GameRecord]) -> SequentialTest:
    test = SequentialTest(SPRT)
    for record in records:
        test.add(record)
    return test


def decided(records: Iterable[GameRecord]) -> Decision:
    decision = judged(records).decision
    assert decision is not None
    return decision


@pytest.mark.parametrize(
    ("result", "verdict", "pairs", "weight"),
    [
        (WIN, Verdict.ACCEPTED_ELO1, DECIDING_WINS // 2, log(expected_score(200) / 0.5)),
        # Each pair of losses weighs ln(0.2403 / 0.5), and the fifth one reaches -ln 19.
        (LOSS, Verdict.ACCEPTED_ELO0, 5, log((1 - expected_score(200)) / 0.5)),
    ],
    ids=["won", "lost"],
)
def test_a_run_of_equal_results_decides(
    result: GameRecord, verdict: Verdict, pairs: int, weight: float
) -> None:
    test = judged(opened_games(*[result] * 30))
    assert test.decision == Decision(verdict, 2 * pairs)
    assert test.llr == pytest.approx(pairs * weight, rel=1e-3)


def test_without_games_nothing_is_known() -> None:
    assert (judged([]).llr, judged([]).decision) == (0, None)


@given(results, st.integers(0, 2**32), st.sampled_from([1, 4, 1000]))
@settings(max_examples=20)
def test_the_order_in_which_games_end_changes_nothing(
    played: list[GameRecord], seed: int, openings: int
) -> None:
    in_order, shuffled = (opened_games(*played, openings=openings) for _ in range(2))
    Random(seed).shuffle(shuffled)
    assert judged(shuffled).decision == judged(in_order).decision
    assert judged(shuffled).llr == judged(in_order).llr


@given(results)
@settings(max_examples=20)
def test_only_the_games_that_decided_matter(played: list[GameRecord]) -> None:
    records = opened_games(*played)
    test = judged(records)
    if test.decision is not None:
        records = records[: test.decision.games]
        assert decided(records) == test.decision
        assert judged(records[:-1]).decision is None
    pair_counts = count_pairs(points_of_pairs(records))
    ratio = SPRT.log_likelihood_ratio(pair_counts) if any(pair_counts) else 0
    assert test.llr == pytest.approx(ratio)


def test_failures_count_as_in_pairs() -> None:
    """The player's failure is a loss; a pair in which the opponent failed is passed over."""
    assert judged(opened_games(PLAYER_FAILED, WIN)).llr == judged(opened_games(LOSS, WIN)).llr != 0
    assert judged(opened_games(WIN, OPPONENT_FAILED)).llr == 0
    decision = decided(opened_games(WIN, OPPONENT_FAILED, *[WIN] * 30))
    assert decision.games == DECIDING_WINS + 2


# --- games that are repeated


def test_players_who_repeat_their_games_are_judged_by_them_once() -> None:
    """Four pairs weigh too little for a verdict; played four times they would weigh enough."""
    until = opened_games(*[WIN] * (8 + 2 * ENOUGH_REPEATS), openings=4)
    assert judged(until[:-1]).decision is None
    for played in (until, opened_games(*[WIN] * 400, openings=4)):
        assert judged(played).decision == Decision(None, 8)
        assert judged(played).llr == judged(opened_games(*[WIN] * 8)).llr
    failed = judged(opened_games(*[OPPONENT_FAILED] * 100, openings=4))
    assert (failed.decision, failed.llr) == (Decision(None, 8), 0.0)


@given(st.integers(0, ENOUGH_REPEATS - 1), st.booleans())
def test_one_game_that_differs_makes_all_repeats_count(repeats: int, in_first_seat: bool) -> None:
    other = replace(WIN, columns=(6, *WIN.columns))
    pair = [other, WIN] if in_first_seat else [WIN, other]
    records = opened_games(*[WIN] * 2 * (3 + repeats), *pair, openings=3)
    assert judged(records[:-1]).llr == judged(opened_games(*[WIN] * 6)).llr
    test = judged(records)
    assert test.llr == SPRT.log_likelihood_ratio((0, 0, 0, 0, 4 + repeats))
    assert (test.decision is not None) == (len(records) >= DECIDING_WINS)
    assert test.decision is None or test.decision.games == len(records)


def test_random_players_may_repeat_a_game_by_chance() -> None:
    """From then on nothing is held back: the pairs weigh as if none had been like another."""
    other = replace(WIN, columns=(6, *WIN.columns))
    played = [WIN, WIN, other, WIN, *[DRAW, LOSS] * 30]
    one, many = (judged(opened_games(*played, openings=count)) for count in (1, 1000))
    assert (one.llr, one.decision) == (many.llr, many.decision)


def test_the_same_columns_in_another_opening_are_no_repeat() -> None:
    """What the players were asked for differs, though it has led to the same."""
    openings = [WIN.columns[: game // 2] for game in range(DECIDING_WINS)]
    played = [replace(WIN, game=game, opening=opening) for game, opening in enumerate(openings)]
    assert decided(played).verdict is Verdict.ACCEPTED_ELO1
