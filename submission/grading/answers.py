"""A player's answers to solved positions: asks for them, and measures what they cost."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf
from operator import attrgetter
from random import Random
from statistics import fmean

from agents.options import require_whole
from agents.reporting.stats import Estimate, score_estimate
from agents.solver.score_words import column_in_words
from agents.solver.solver import ScoreBounds
from submission.arena.game_record import GameConfiguration
from submission.arena.own_referee import move_in
from submission.arena.players import Player
from submission.arena.seats import open_seat
from submission.grading.solved_positions import GAME, HIGHEST, Outcome, Phase, SolvedPosition
from submission.sandbox.move import Failure


@dataclass(frozen=True, slots=True)
class Answer:
    """A player's answer: a column, counted from 0, or a failure, which counts as a loss."""

    position: SolvedPosition
    column: int | None  # None exactly if there is a failure
    seconds: float  # taken by the player
    failure: Failure | None = None

    @property
    def score(self) -> int:
        """The score of the column; for a failure, that of the quickest loss."""
        return -HIGHEST if self.column is None else self.position.legal[self.column]

    @property
    def keeps(self) -> bool:
        """Whether the answer keeps the outcome of the position."""
        return self.column in self.position.keeping

    @property
    def is_best(self) -> bool:
        """Whether no column scores higher."""
        return self.column in self.position.best

    @property
    def half_points_lost(self) -> int:
        """The cost under best play: 2 for a win turned into a loss, 1 for half of that, or 0."""
        return self.position.outcome - Outcome.of(self.score)

    @property
    def in_words(self) -> str:
        """Such as "column 3 loses in 4 moves; column 5 wins in 7 moves"; columns from 1."""
        if self.column is None:
            return "no move" if self.failure is None else f"no move, {self.failure.cause}"
        position = self.position
        return "; ".join(
            column_in_words(GAME, position.state, column, ScoreBounds(score, score))
            for column in (self.column, position.best[0])
            for score in [position.legal[column]]
        )


@dataclass(frozen=True, slots=True)
class GradeSettings:
    """How a player is asked; with the same settings it gives the same answers, up to its clock.

    Raises:
        ValueError: a seed that is negative or not whole, or a time that is not positive and finite.
    """

    seed: int = 0
    """The seed of the player's random numbers."""
    act_timeout: float = 2.0
    """Seconds for a move; more come from the bank of 60 s, which is full in each position."""

    def __post_init__(self) -> None:
        require_whole("the seed", self.seed, 0, inf)
        GameConfiguration(act_timeout=self.act_timeout)


Shard = tuple[SolvedPosition, ...]
"""Positions that a player is asked about one after the other, as one task of a worker."""

SHARD_POSITIONS = 32  # the most positions for each time that a player is loaded


def shards_of(positions: Sequence[SolvedPosition]) -> list[Shard]:
    """Divide the positions into shards of similar sizes, each with all plies, the last ply first.

    In this order no board has more stones than the one before it, so that a player that remembers
    the game, as this package's players do, notices that a new game has begun.
    """
    count = -(-len(positions) // SHARD_POSITIONS)
    first_ply_first = sorted(positions, key=attrgetter("ply"))
    return [tuple(reversed(first_ply_first[start::count])) for start in range(count)]


def answer_shard(player: Player, shard: Shard, settings: GradeSettings) -> list[Answer]:
    """Ask the player about each position, in order.

    The player is loaded once, and again after each failure. It loads during an opening move that
    does not count; if it fails there, all remaining positions have this failure.
    """
    answers: list[Answer] = []
    while len(answers) < len(shard):
        answers += _answer_until_failure(player, shard[len(answers) :], settings)
    return answers


def _answer_until_failure(
    player: Player, positions: Shard, settings: GradeSettings
) -> list[Answer]:
    answers: list[Answer] = []
    # The seed depends only on the first of the positions.
    seed = Random(f"{settings.seed}/{positions[0].moves}").getrandbits(32)
    with open_seat(player, seed=seed) as seat:
        start = move_in(seat, GAME, GAME.initial_state(), settings.act_timeout)
        if start.failure is not None:
            return [Answer(position, None, 0.0, start.failure) for position in positions]
        for position in positions:
            move = move_in(seat, GAME, position.state, settings.act_timeout)
            answers.append(Answer(position, move.column, move.seconds, move.failure))
            if answers[-1].failure is not None:
                break
    return answers


# --- what the answers cost


@dataclass(frozen=True, slots=True)
class Measured:
    """A player's mean beside that of random play, in which all legal columns are equally likely."""

    player: Estimate
    random: float  # computed from the scores, not played


@dataclass(frozen=True, slots=True)
class AnswerStats:
    """The statistics of some answers; a figure is None if no position counts for it."""

    positions: int
    at_stake: int
    """Positions in which some column gives the outcome away: only these test a player."""
    kept: Measured | None
    """Share of the answers that keep the outcome, among the positions at stake."""
    half_points_lost: Measured | None
    """Mean cost of an answer under best play, 0 to 2, over the positions at stake."""
    best: Measured | None
    """Share of the answers that no column beats, among all positions: what Kaggle's competitors
    call perfect moves."""
    good: Measured | None
    """Share of the answers that keep the outcome, among all positions: what Kaggle's competitors
    call good moves, every move of a lost position included."""
    failures: int  # answers without a column that can be played; each counts as a lost game


def answer_stats(answers: Sequence[Answer]) -> AnswerStats:
    """The statistics of some answers."""
    at_stake = [answer for answer in answers if answer.position.is_at_stake]
    return AnswerStats(
        positions=len(answers),
        at_stake=len(at_stake),
        kept=_measured(at_stake, lambda answer: answer.keeps),
        half_points_lost=_measured(at_stake, lambda answer: answer.half_points_lost, most=2),
        best=_measured(answers, lambda answer: answer.is_best),
        good=_measured(answers, lambda answer: answer.keeps),
        failures=sum(answer.failure is not None for answer in answers),
    )


def _measured(
    answers: Sequence[Answer], measure: Callable[[Answer], float], most: int = 1
) -> Measured | None:
    """The mean of a measure of answers, which lies between 0 and `most`."""
    if not answers:
        return None

    def expected(position: SolvedPosition) -> float:
        return fmean(measure(Answer(position, column, seconds=0.0)) for column in position.legal)

    share = score_estimate(sum(map(measure, answers)) / most, len(answers))
    return Measured(
        Estimate(most * share.value, most * share.low, most * share.high),
        fmean(expected(answer.position) for answer in answers),
    )


HARD = "hard"
TACTICAL = "tactical"
ALL = "all"
OUTCOME_NAMES = {Outcome.WIN: "won", Outcome.DRAW: "drawn", Outcome.LOSS: "lost"}


def by_kind(answers: Sequence[Answer]) -> dict[str, AnswerStats]:
    """Group by phase, by outcome, hard, tactical, and all; empty kinds are left out."""
    kinds = [*(phase.value for phase in Phase), *OUTCOME_NAMES.values(), HARD, TACTICAL, ALL]
    members = {
        kind: [each for each in answers if kind in kinds_of(each.position)] for kind in kinds
    }
    return {kind: answer_stats(each) for kind, each in members.items() if each}


def kinds_of(position: SolvedPosition) -> Iterator[str]:
    """The names of the kinds that a position belongs to."""
    yield position.phase.value
    yield OUTCOME_NAMES[position.outcome]
    if position.is_hard:
        yield HARD
    if position.is_tactical:
        yield TACTICAL
    yield ALL


def by_ply(answers: Sequence[Answer]) -> dict[int, AnswerStats]:
    """Group by the plies played, in ascending order."""
    ply_of = attrgetter("position.ply")
    members = groupby(sorted(answers, key=ply_of), key=ply_of)
    return {ply: answer_stats([*each]) for ply, each in members}


def worst_mistakes(answers: Iterable[Answer], count: int) -> list[Answer]:
    """Up to `count` mistakes: wins turned into losses first, then by score; no failures."""
    mistakes = [each for each in answers if each.column is not None and not each.is_best]
    mistakes.sort(key=lambda each: (-each.half_points_lost, each.score - each.position.score))
    return mistakes[:count]
