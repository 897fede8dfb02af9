"""A test with three ends, on simulated games whose truth is known."""

from collections import Counter
from dataclasses import replace
from functools import cache
from random import Random
from statistics import fmean

import pytest

from agents.reporting.stats import PairDistribution, count_pairs, expected_score
from submission.arena.game_record import GameRecord, Result
from submission.comparing.finding import Finding, ThreeWayTest, pairs_to_come
from submission.match.pairing_stats import points_of_pairs
from submission.match.sprt import SequentialTest, Sprt
from tests.helpers.game_records import DRAW, WIN

MARGIN = 50.0
MOST = 3000
DRAWS = 0.2


def simulated(elo: float, rng: Random, games: int = MOST) -> list[GameRecord]:
    """Games of a player who is `elo` points stronger; a fifth of them are drawn."""
    won = expected_score(elo) - DRAWS / 2
    results = rng.choices(
        [Result.WIN, Result.DRAW, Result.LOSS], [won, DRAWS, 1 - DRAWS - won], k=games
    )
    return [numbered(game, result) for game, result in enumerate(results)]


@cache
def numbered(game: int, result: Result) -> GameRecord:
    return replace(
        DRAW if result is Result.DRAW else WIN,
        game=game,
        seat=1 + game % 2,
        result=result,
        opening=(game // 2,),
        columns=(game // 2, game),
    )


def judged(records: list[GameRecord], margin: float = MARGIN) -> ThreeWayTest:
    test = ThreeWayTest(margin)
    for record in records:
        test.add(record)
    return test


@cache
def ended(elo: float, trials: int) -> list[ThreeWayTest]:
    """With twice the margin, which takes a quarter of the games."""
    rng = Random(f"{elo}")
    return [judged(simulated(elo, rng, 800), 2 * MARGIN) for _ in range(trials)]


def findings(elo: float, trials: int) -> Counter[Finding]:
    return Counter(test.finding for test in ended(elo, trials))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("elo", "truth"), [(0, Finding.EQUAL), (-100, Finding.WORSE), (200, Finding.BETTER)]
)
def test_the_truth_is_found_as_often_as_is_said(elo: float, truth: Finding) -> None:
    """In 95 of 100 comparisons, of which 20 hold fewer than 16 once in four hundred runs."""
    assert findings(elo, 20)[truth] >= 16


@pytest.mark.thorough
def test_who_is_between_is_not_called_worse() -> None:
    between = findings(60, 10)
    assert between[Finding.WORSE] == 0
    assert between[Finding.BETTER] + between[Finding.EQUAL] >= 9


def test_the_other_side_finds_the_opposite() -> None:
    other_side = {Result.WIN: Result.LOSS, Result.LOSS: Result.WIN, Result.DRAW: Result.DRAW}
    opposite = {Finding.BETTER: Finding.WORSE, Finding.WORSE: Finding.BETTER}
    for elo in (-100, 0, 25):
        records = simulated(elo, Random(elo), 1500)
        mirrored = [replace(record, result=other_side[record.result]) for record in records]
        one, other = judged(records), judged(mirrored)
        assert other.finding is opposite.get(one.finding, one.finding)
        assert other.games == one.games


def test_the_order_in_which_games_end_changes_nothing() -> None:
    records = simulated(60, Random(3))
    shuffled = [records[at] for at in Random(4).sample(range(len(records)), len(records))]
    one, other = judged(records), judged(shuffled)
    assert (one.finding, one.games) == (other.finding, other.games)
    assert one.games is not None
    assert judged(records[: one.games]).finding is one.finding
    assert judged(records[: one.games - 2]).finding is Finding.UNDECIDED


def test_players_who_only_repeat_their_games_are_told() -> None:
    pair = [replace(WIN, game=0, seat=1), replace(WIN, game=1, seat=2, result=Result.LOSS)]
    records = [
        replace(record, game=2 * number + record.game) for number in range(12) for record in pair
    ]
    test = judged(records)
    assert test.finding is Finding.REPEATED
    assert test.games == 2


@pytest.mark.parametrize("elo", [-80, 0, 20, 60])
def test_the_forecast_of_games_is_right_on_average(elo: float) -> None:
    """By simulation: Brownian motion does not overshoot its bounds, so it is a little quicker."""
    rng = Random(elo)
    sprt = Sprt(0, MARGIN)
    counts = count_pairs(points_of_pairs(simulated(elo, rng, 10_000)))
    next_pair = PairDistribution.observed(counts)
    lengths = []
    for _ in range(40):
        records = simulated(elo, rng, 1500)
        llr, pairs, gain = 0.0, 0, (expected_score(MARGIN) - 0.5) / next_pair.variance
        for points in points_of_pairs(records):
            llr += gain * (points / 2 - (expected_score(MARGIN) + 0.5) / 2)
            pairs += 1
            if not sprt.lower < llr < sprt.upper:
                break
        lengths.append(pairs)
    expected = pairs_to_come(SequentialTest(sprt), next_pair)
    assert expected == pytest.approx(fmean(lengths), rel=0.35)


def test_the_first_forecast_is_that_of_equal_players() -> None:
    """As long as simulated comparisons of equal players take: some 100 games."""
    first = ThreeWayTest(2 * MARGIN).games_to_come([])
    assert first == pytest.approx(fmean(test.games or 800 for test in ended(0, 20)), rel=0.4)
    records = simulated(200, Random(2))
    assert ThreeWayTest(MARGIN).games_to_come(records[:20]) < ThreeWayTest(MARGIN).games_to_come([])
    assert judged(records).games_to_come(records) == 0


@pytest.mark.parametrize("result", [Result.WIN, Result.LOSS])
def test_the_forecast_of_one_sided_games_is_near_the_truth(result: Result) -> None:
    """What a pair adds to the test is bounded, however far its score is from the hypotheses."""
    records = [numbered(game, result) for game in range(100)]
    end = judged(records).games
    assert end is not None
    for played in (30, 40, 50):
        forecast = judged(records[:played]).games_to_come(records[:played])
        assert abs(forecast - (end - played)) <= 6
