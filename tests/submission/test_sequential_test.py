from collections.abc import Iterable
from dataclasses import replace
from math import log
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.reporting.stats import count_pairs, expected_score
from submission.arena.game_record import GameRecord
from submission.match.pairing_stats import points_of_pairs
from submission.match.sprt import ENOUGH_REPEATS, Decision, SequentialTest, Sprt, Verdict
from tests.helpers.game_records import DRAW, LOSS, OPPONENT_FAILED, PLAYER_FAILED, WIN

SPRT = Sprt(0, 200)
DECIDING_WINS = 16
"""Each pair of wins weighs ln(0.7597 / 0.5), and the eighth one reaches ln 19."""

results = st.lists(
    st.sampled_from([WIN, WIN, WIN, DRAW, LOSS, PLAYER_FAILED, OPPONENT_FAILED]),
    min_size=20,
    max_size=40,
)


def games(*records: GameRecord, openings: int = 1000) -> list[GameRecord]:
    """The records as games 0, 1, 2 … of a pairing, whose pairs play the openings in turn."""
    numbered = []
    for game, record in enumerate(records):
        opening = (game // 2 % openings,)
        columns = (*opening, *record.columns)
        numbered.append(replace(record, game=game, opening=opening, columns=columns))
    return numbered


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
    test = judged(games(*[result] * 30))
    assert test.decision == Decision(verdict, 2 * pairs)
    assert test.llr == pytest.approx(pairs * weight, rel=1e-3)


def test_without_games_nothing_is_known() -> None:
    assert (judged([]).llr, judged([]).decision) == (0, None)


@given(results, st.integers(0, 2**32), st.sampled_from([1, 4, 1000]))
@settings(max_examples=20)
def test_the_order_in_which_games_end_changes_nothing(
    played: list[GameRecord], seed: int, openings: int
) -> None:
    in_order, shuffled = (games(*played, openings=openings) for _ in range(2))
    Random(seed).shuffle(shuffled)
    assert judged(shuffled).decision == judged(in_order).decision
    assert judged(shuffled).llr == judged(in_order).llr


@given(results)
@settings(max_examples=20)
def test_only_the_games_that_decided_matter(played: list[GameRecord]) -> None:
    records = games(*played)
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
    assert judged(games(PLAYER_FAILED, WIN)).llr == judged(games(LOSS, WIN)).llr != 0
    assert judged(games(WIN, OPPONENT_FAILED)).llr == 0
    decision = decided(games(WIN, OPPONENT_FAILED, *[WIN] * 30))
    assert decision.games == DECIDING_WINS + 2


# --- games that are repeated


def test_players_who_repeat_their_games_are_judged_by_them_once() -> None:
    """Four pairs weigh too little for a verdict; played four times they would weigh enough."""
    until = games(*[WIN] * (8 + 2 * ENOUGH_REPEATS), openings=4)
    assert judged(until[:-1]).decision is None
    for played in (until, games(*[WIN] * 400, openings=4)):
        assert judged(played).decision == Decision(None, 8)
        assert judged(played).llr == judged(games(*[WIN] * 8)).llr
    failed = judged(games(*[OPPONENT_FAILED] * 100, openings=4))
    assert (failed.decision, failed.llr) == (Decision(None, 8), 0.0)


@given(st.integers(0, ENOUGH_REPEATS - 1), st.booleans())
def test_one_game_that_differs_makes_all_repeats_count(repeats: int, in_first_seat: bool) -> None:
    other = replace(WIN, columns=(6, *WIN.columns))
    pair = [other, WIN] if in_first_seat else [WIN, other]
    records = games(*[WIN] * 2 * (3 + repeats), *pair, openings=3)
    assert judged(records[:-1]).llr == judged(games(*[WIN] * 6)).llr
    test = judged(records)
    assert test.llr == SPRT.log_likelihood_ratio((0, 0, 0, 0, 4 + repeats))
    assert (test.decision is not None) == (len(records) >= DECIDING_WINS)
    assert test.decision is None or test.decision.games == len(records)


def test_random_players_may_repeat_a_game_by_chance() -> None:
    """From then on nothing is held back: the pairs weigh as if none had been like another."""
    other = replace(WIN, columns=(6, *WIN.columns))
    played = [WIN, WIN, other, WIN, *[DRAW, LOSS] * 30]
    assert judged(games(*played, openings=1)).llr == judged(games(*played)).llr
    assert judged(games(*played, openings=1)).decision == judged(games(*played)).decision


def test_the_same_columns_in_another_opening_are_no_repeat() -> None:
    """What the players were asked for differs, though it has led to the same."""
    openings = [WIN.columns[: game // 2] for game in range(DECIDING_WINS)]
    played = [replace(WIN, game=game, opening=opening) for game, opening in enumerate(openings)]
    assert decided(played).verdict is Verdict.ACCEPTED_ELO1
