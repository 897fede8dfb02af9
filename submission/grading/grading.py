"""Grades a player by its moves in solved positions."""

from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from functools import partial

from agents.parallel.workers import Workers
from agents.search import Clock, OnProgress
from submission.evaluating.evaluation import Ending, Identity, Versions
from submission.evaluating.players import Player
from submission.grading.answer import Answer
from submission.grading.asking import Shard, answer_shard
from submission.grading.grade import Grade
from submission.grading.grade_settings import GradeSettings
from submission.grading.position_set import PositionSet
from submission.grading.solved_position import SolvedPosition

SHARD_POSITIONS = 32
"""The most positions that a player is asked about once it is loaded."""


def grade_player(
    player: Player,
    position_set: PositionSet,
    settings: GradeSettings,
    executor: Executor,
    on_progress: OnProgress,
) -> Grade:
    """Ask a player for its move in each position of a set.

    Ctrl-C and the death of a worker process end it early with the answers that there are until
    then; `Grade.ending` tells. The executor and its workers change nothing but the time it takes.

    Args:
        player: the player to grade.
        position_set: the positions.
        settings: how it is asked.
        executor: any executor of the `concurrent.futures` kind.
        on_progress: told how many positions were answered.
    """
    positions = position_set.positions
    versions = Versions.current()
    answers: dict[SolvedPosition, Answer] = {}
    ending = Ending.COMPLETE
    try:
        on_progress(0, len(positions), "")
        for answered in _answers(_shards(player, positions, settings), executor):
            answers |= {answer.position: answer for answer in answered}
            on_progress(len(answers), len(positions), "")
    except KeyboardInterrupt:
        ending = Ending.INTERRUPTED
    except BrokenExecutor:
        ending = Ending.WORKER_DIED
    return Grade(
        player=Identity.of(player),
        positions_sha256=position_set.sha256,
        asked=len(positions),
        settings=settings,
        versions=versions,
        ending=ending,
        answers=tuple(answers[position] for position in positions if position in answers),
    )


def _answers(shards: Sequence[Shard], executor: Executor) -> Iterator[list[Answer]]:
    """The answers of each shard, in the order in which they come."""
    tasks = ((number, partial(answer_shard, shard)) for number, shard in enumerate(shards))
    for _, answers in Workers(executor, len(shards)).run(tasks, Clock()):
        yield answers


def _shards(
    player: Player, positions: Sequence[SolvedPosition], settings: GradeSettings
) -> list[Shard]:
    """Shards of like sizes, each with positions of all plies, the last ply first.

    So the board of each position has no more stones than the one before, by which a player that
    remembers the game, as this package's do, sees that another one has begun.
    """
    count = -(-len(positions) // SHARD_POSITIONS)
    return [
        Shard(player, tuple(reversed(positions[start::count])), settings.seed, settings.act_timeout)
        for start in range(count)
    ]
