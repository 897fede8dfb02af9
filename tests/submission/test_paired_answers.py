"""Two players' answers to the same positions, and the interval of their difference."""

from random import Random

import pytest

from submission.comparing.paired_answers import PairedAnswers
from submission.grading.answers import Answer
from submission.grading.solved_positions import SolvedPosition
from tests.helpers.shipped_positions import SHIPPED

AT_STAKE = [p for p in SHIPPED.positions if p.is_at_stake]


def answer(position: SolvedPosition, keeps: bool) -> Answer:
    losing = [column for column in position.legal if column not in position.keeping]
    return Answer(position, position.keeping[0] if keeps else losing[0], 0.0)


def paired(cells: tuple[int, int, int, int]) -> PairedAnswers:
    """Kept by both, by the new one alone, by the old one alone, and by none."""
    kinds = [(True, True), (True, False), (False, True), (False, False)]
    kept = [kind for kind, count in zip(kinds, cells, strict=True) for _ in range(count)]
    new = [answer(p, keeps) for p, (keeps, _) in zip(AT_STAKE, kept, strict=False)]
    old = [answer(p, keeps) for p, (_, keeps) in zip(AT_STAKE, kept, strict=False)]
    return PairedAnswers.of(new, old)


def test_what_one_keeps_and_the_other_loses_is_told_apart() -> None:
    answers = paired((5, 3, 2, 4))
    assert [len(answers.pairs), len(answers.gained), len(answers.lost)] == [14, 3, 2]
    assert {pair.new.position for pair in answers.lost} == {*AT_STAKE[8:10]}
    assert all(pair.old.keeps and not pair.new.keeps for pair in answers.lost)


def test_the_worst_losses_come_first() -> None:
    new = [answer(position, keeps=False) for position in AT_STAKE]
    old = [answer(position, keeps=True) for position in AT_STAKE]
    lost = [pair.half_points_lost for pair in PairedAnswers.of(new, old).lost]
    assert lost == sorted(lost, reverse=True)
    assert {*lost} == {1, 2}


def test_positions_that_one_was_not_asked_about_do_not_count() -> None:
    new = [answer(position, keeps=True) for position in AT_STAKE[:10]]
    old = [answer(position, keeps=True) for position in AT_STAKE[5:15]]
    assert len(PairedAnswers.of(new, old).pairs) == 5


def test_the_interval_is_walds_with_half_a_pair_more_in_each_cell() -> None:
    """Cells of 54.5, 20.5, 8.5 and 18.5, of 102 in all."""
    change = paired((54, 20, 8, 18)).difference()
    assert change.value == pytest.approx(0.12)
    half = 1.959964 * ((29 / 102 - (12 / 102) ** 2) / 102) ** 0.5
    assert change.low == pytest.approx(12 / 102 - half)
    assert change.high == pytest.approx(12 / 102 + half)


def test_the_interval_holds_the_truth() -> None:
    rng, held = Random(1), 0
    for _ in range(300):
        drawn = rng.choices(range(4), [0.4, 0.25, 0.1, 0.25], k=60)
        change = paired(tuple(drawn.count(kind) for kind in range(4))).difference()  # type: ignore[arg-type]
        held += change.low <= 0.15 <= change.high
    assert 0.92 * 300 <= held <= 0.985 * 300


def test_no_answers_tell_nothing() -> None:
    change = PairedAnswers(()).difference()
    assert (change.value, change.low < -0.9, change.high > 0.9) == (0.0, True, True)
