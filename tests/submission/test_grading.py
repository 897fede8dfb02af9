"""How a player is asked about solved positions, and what its answers come to."""

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import permutations
from math import sqrt
from random import Random
from statistics import fmean, pvariance
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envs.board import parse_moves
from submission.arena.players import Player, PlayerKind, find_player
from submission.arena.seats import Seat
from submission.executors.work import Completion
from submission.grading import answers
from submission.grading.answers import (
    SHARD_POSITIONS,
    Answer,
    GradeSettings,
    Measured,
    answer_stats,
    by_kind,
    by_ply,
    worst_mistakes,
)
from submission.grading.grade import Grade, grade_player
from submission.grading.grade_charts import ply_chart
from submission.grading.solved_positions import GAME, Outcome, Phase, PositionSet, SolvedPosition
from submission.kaggle import kaggle_environments
from submission.sandbox.move import Failure, Move
from tests.helpers.shipped_positions import SHIPPED
from tests.helpers.svg_reading import SVG

LATE = replace(SHIPPED, positions=tuple(p for p in SHIPPED.positions if p.ply >= 20))
STRANGER = Player("stranger", PlayerKind.FILE, b"")
EMPTY_BOARD = (0,) * 42

BY_BOARD = {tuple(GAME.to_board(position.state)): position for position in SHIPPED.positions}

Script = Callable[[SolvedPosition], Move]


@dataclass
class Scripted:
    """In the place of players' processes: a seat that answers by a function."""

    script: Script
    opened: int = 0
    asked: list[tuple[Mapping[str, Any], Mapping[str, Any]]] = field(default_factory=list)

    @contextmanager
    def open_seat(self, player: Player, *, seed: int) -> Iterator[Seat]:
        assert player == STRANGER
        self.opened += 1
        yield self

    def act(self, observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> Move:
        self.asked.append((observation, configuration))
        return self.script(BY_BOARD[tuple(observation["board"])])


Seating = Callable[[Script], Scripted]


@pytest.fixture
def seated(monkeypatch: pytest.MonkeyPatch) -> Seating:
    def seat(script: Script) -> Scripted:
        scripted = Scripted(script)
        monkeypatch.setattr(answers, "open_seat", scripted.open_seat)
        return scripted

    return seat


def graded(
    player: Player = STRANGER,
    position_set: PositionSet = SHIPPED,
    *,
    sample: int | None = None,
    seed: int = 0,
    act_timeout: float = 2.0,
    workers: int = 1,
) -> Grade:
    settings = GradeSettings(seed, act_timeout)
    asked = position_set if sample is None else position_set.sample(sample, seed)
    with ThreadPoolExecutor(workers) as executor:
        return grade_player(player, asked, settings, executor, lambda *_: None)


def best(position: SolvedPosition) -> Move:
    return Move(position.best[0], 0.25)


def test_the_best_columns_get_all_and_leave_no_mistake(seated: Seating) -> None:
    seated(best)
    grade = graded()
    assert grade.completion is Completion.COMPLETE
    assert [answer.position for answer in grade.answers] == list(SHIPPED.positions)
    kinds, plies = by_kind(grade.answers), by_ply(grade.answers)
    for measured in [*kinds.values(), *plies.values()]:
        assert measured.best is not None
        assert measured.best.player.value == 1
        assert measured.kept is None or measured.kept.player.value == 1
        assert measured.half_points_lost is None or measured.half_points_lost.player.value == 0
    assert worst_mistakes(grade.answers, 10) == []
    assert (by_kind([]), by_ply([])) == ({}, {})
    sizes = {name: stats.positions for name, stats in kinds.items()}
    assert sum(sizes[phase.value] for phase in Phase) == sizes["all"] == len(grade.answers)
    assert sum(sizes[name] for name in ("won", "drawn", "lost")) == sizes["all"]
    assert sizes["hard"] + sizes["tactical"] <= sizes["all"]
    assert sum(stats.positions for stats in plies.values()) == sizes["all"]


def test_a_player_sees_what_kaggle_would_show(seated: Seating) -> None:
    scripted = seated(best)
    answers = graded(sample=6, act_timeout=0.5).answers
    shown = {
        tuple(observation["board"]): (observation, conf) for observation, conf in scripted.asked
    }
    for answer in answers:
        env = kaggle_environments().make("connectx", {"actTimeout": 0.5})
        for ply, column in enumerate(parse_moves(answer.position.moves)):
            env.step([column, None] if ply % 2 == 0 else [None, column])
        mover = answer.position.ply % 2
        kaggles = {**env.state[0].observation, **env.state[mover].observation}
        observation, configuration = shown[tuple(kaggles["board"])]
        assert dict(observation) == kaggles
        assert {name: configuration[name] for name in env.configuration} == env.configuration


def test_loading_takes_the_first_move_of_a_game_and_is_not_counted(seated: Seating) -> None:
    scripted = seated(best)
    grade = graded(sample=SHARD_POSITIONS + 1)
    assert scripted.opened == 2
    boards = [tuple(observation["board"]) for observation, _ in scripted.asked]
    is_asked = SHIPPED.positions[0] in SHIPPED.sample(33, 0).positions
    assert boards.count(EMPTY_BOARD) == 2 + is_asked
    assert len(grade.answers) == SHARD_POSITIONS + 1 == len(boards) - 2
    stones = [42 - board.count(0) for board in boards[1:17]]
    assert stones == sorted(stones, reverse=True), "each looks like the start of another game"


FAILURES = [
    (Move(None, 0.1, Failure("ERROR", "ValueError: boom")), "ERROR", "ValueError: boom"),
    (Move(3, 62.5), "TIMEOUT", "over its bank"),
    (Move(7, 0.1), "INVALID", "column 7, which does not exist"),
]


@pytest.mark.parametrize(("move", "status", "cause"), FAILURES)
def test_a_failure_is_a_lost_game_and_the_player_is_loaded_anew(
    seated: Seating, move: Move, status: str, cause: str
) -> None:
    won = next(p for p in LATE.positions if p.outcome is Outcome.WIN and p.ply == 30)
    scripted = seated(lambda position: move if position == won else best(position))
    grade = graded(position_set=LATE)
    (failed,) = [answer for answer in grade.answers if answer.failure is not None]
    assert failed.position == won
    assert failed.failure is not None
    assert failed.failure.status == status
    assert cause in failed.failure.cause
    assert (failed.column, failed.keeps, failed.is_best) == (None, False, False)
    assert failed.half_points_lost == 2
    assert answer_stats(grade.answers).failures == 1
    assert len(grade.answers) == len(LATE.positions)
    assert scripted.opened == 1 + -(-len(LATE.positions) // SHARD_POSITIONS)
    assert worst_mistakes(grade.answers, 5) == [], "failures are told apart"


def test_a_player_that_cannot_begin_is_not_asked_on(seated: Seating) -> None:
    scripted = seated(lambda _: Move(None, 0.0, Failure("ERROR", "SyntaxError: no")))
    grade = graded(sample=20)
    assert len(scripted.asked) == 1
    causes = {answer.failure.cause for answer in grade.answers if answer.failure}
    assert causes == {"SyntaxError: no"}
    assert answer_stats(grade.answers).failures == 20


@pytest.mark.parametrize(
    ("stop", "ending"),
    [(KeyboardInterrupt, Completion.INTERRUPTED), (BrokenExecutor, Completion.WORKER_DIED)],
)
def test_an_early_end_keeps_what_was_answered(
    seated: Seating, stop: type[BaseException], ending: Completion
) -> None:
    seated(best)

    def show(done: int, total: int, _: str) -> None:
        if done >= 2 * SHARD_POSITIONS - 4:
            raise stop

    with ThreadPoolExecutor(1) as executor:
        grade = grade_player(STRANGER, SHIPPED, GradeSettings(), executor, show)
    assert grade.completion is ending
    assert 0 < len(grade.answers) < grade.asked == len(SHIPPED.positions)


def test_random_play_gets_what_is_computed_for_it() -> None:
    """The error of a mean of independent answers, whose variances are known exactly."""
    player = find_player("random")
    answers = [a for seed in range(4) for a in graded(player, seed=seed).answers]
    measured = answer_stats(answers)
    assert measured.kept is not None
    assert measured.best is not None
    assert measured.half_points_lost is not None
    at_stake = [answer for answer in answers if answer.position.is_at_stake]
    figures_of_random: list[tuple[Measured, list[Answer], Callable[[Answer], float]]] = [
        (measured.kept, at_stake, lambda answer: answer.keeps),
        (measured.best, answers, lambda answer: answer.is_best),
        (measured.half_points_lost, at_stake, lambda answer: answer.half_points_lost),
    ]
    for result, members, measure in figures_of_random:
        values = [
            [measure(Answer(a.position, column, 0.0)) for column in a.position.legal]
            for a in members
        ]
        assert result.random == pytest.approx(fmean(map(fmean, values)))
        error = sqrt(sum(map(pvariance, values))) / len(values)
        assert abs(result.player.value - result.random) < 4 * error
        assert error < 0.02


def test_the_workers_and_the_other_positions_change_no_answer() -> None:
    player = find_player("random")
    columns = [answer.column for answer in graded(player, workers=3).answers]
    assert columns == [answer.column for answer in graded(player).answers]
    assert columns != [answer.column for answer in graded(player, seed=1).answers]


COLUMNS = st.sampled_from(SHIPPED.positions).flatmap(
    lambda position: st.tuples(st.just(position), st.sampled_from(list(position.legal)))
)


@given(st.lists(COLUMNS, min_size=1, max_size=30))
@settings(max_examples=30)
def test_figures_are_those_of_a_count_by_hand(played: list[tuple[SolvedPosition, int]]) -> None:
    measured = answer_stats([Answer(position, column, 0.1) for position, column in played])

    def sign(score: int) -> int:
        return (score > 0) - (score < 0)

    best, at_stake = 0, list[int]()  # of those at stake, what each move has lost
    for position, column in played:
        scores, score = [*position.legal.values()], position.legal[column]
        best += score == max(scores)
        if len({*map(sign, scores)}) > 1:
            at_stake.append(sign(max(scores)) - sign(score))
    assert measured.best is not None
    assert measured.best.player.value == pytest.approx(best / len(played))
    assert measured.at_stake == len(at_stake)
    if measured.kept is None or measured.half_points_lost is None:
        assert not at_stake
        return
    assert measured.kept.player.value == pytest.approx(at_stake.count(0) / len(at_stake))
    mean = measured.half_points_lost.player
    assert mean.value == pytest.approx(fmean(at_stake))
    assert 0 <= mean.low <= mean.value <= mean.high <= 2


def random_answers(seed: int) -> list[Answer]:
    rng = Random(seed)
    return [
        Answer(position, rng.choice(list(position.legal)), 0.1) for position in SHIPPED.positions
    ]


def test_the_chart_has_a_point_for_each_ply_higher_for_a_larger_share() -> None:
    plies = by_ply(random_answers(4))
    shares = [stats.kept.player.value for stats in plies.values() if stats.kept]
    svg = ET.fromstring(ply_chart(plies))
    heights = [-float(point.get("cy", "nan")) for point in svg.findall(f"{SVG}circle")]
    assert len(heights) == len(shares) == 41
    assert all(
        heights[one] < heights[other]
        for one, other in permutations(range(41), 2)
        if shares[one] < shares[other] - 1e-9
    )


def test_the_worst_mistakes_are_wins_turned_into_losses_then_by_score() -> None:
    answers = random_answers(2)
    mistakes = worst_mistakes(answers, 1000)
    costs = [(each.half_points_lost, each.position.score - each.score) for each in mistakes]
    assert costs == sorted(costs, reverse=True)
    assert costs[0][0] == 2
    assert len(mistakes) == sum(not answer.is_best for answer in answers)
    assert worst_mistakes(answers, 3) == mistakes[:3]


def test_a_mistake_is_told_with_the_better_column() -> None:
    # -3: the second player wins with the 19th of its 21 stones, 2 of which are on the board.
    position = SolvedPosition("4455", (-3, -3, 18, 1, 1, 18, 0))
    lost, drawn = (Answer(position, column, 0.1) for column in (0, 6))
    assert lost.in_words == "column 1 loses in 17 moves; column 3 wins in 2 moves"
    assert drawn.in_words == "column 7 leads to a draw; column 3 wins in 2 moves"
    assert (lost.half_points_lost, drawn.half_points_lost) == (2, 1)
