"""Grades a player: has it move in solved positions, several at a time."""

from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
from operator import attrgetter
from random import Random

from agents.agent import Clock, OnProgress
from agents.parallel.workers import Workers
from submission.arena.game_record import GameConfiguration
from submission.arena.own_referee import OwnGame
from submission.arena.players import Identity, Player
from submission.arena.seats import Seat, open_seat
from submission.executors.local_workers import Versions
from submission.grading.grade import Grade, GradeSettings
from submission.grading.grade_stats import Answer
from submission.grading.solved_positions import AskedPositions, SolvedPosition
from submission.match.completion import early_end
from submission.sandbox.move import Move


def grade_player(
    player: Player,
    position_set: AskedPositions,
    settings: GradeSettings,
    executor: Executor,
    on_progress: OnProgress,
) -> Grade:
    """Ask a player for its move in each position of a set.

    Ctrl-C and the death of a worker process end it early with the answers so far; see
    `Grade.completion`. The executor affects only the time taken.
    """
    positions = position_set.positions
    versions, answers = Versions.current(), dict[SolvedPosition, Answer]()
    on_progress(0, len(positions), "")
    with early_end() as ending:
        shards = _shards(positions)
        tasks = ((shard, partial(answer_shard, player, shard, settings)) for shard in shards)
        for _, answered in Workers(executor, len(shards)).run(tasks, Clock()):
            answers |= {answer.position: answer for answer in answered}
            on_progress(len(answers), len(positions), "")
    return Grade(
        player=Identity.of(player),
        positions_sha256=position_set.sha256,
        asked=len(positions),
        settings=settings,
        versions=versions,
        completion=ending.completion,
        answers=tuple(answers[position] for position in positions if position in answers),
    )


Shard = tuple[SolvedPosition, ...]
"""Positions that a player is asked about one after the other, as one task of a worker."""

SHARD_POSITIONS = 32  # the most positions for each time that a player is loaded


def _shards(positions: Sequence[SolvedPosition]) -> list[Shard]:
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
        start = _ask(seat, (), settings)
        if start.failure is not None:
            return [Answer(position, None, 0.0, start.failure) for position in positions]
        for position in positions:
            move = _ask(seat, position.opening, settings)
            answers.append(Answer(position, move.column, move.seconds, move.failure))
            if answers[-1].failure is not None:
                break
    return answers


def _ask(seat: Seat, opening: tuple[int, ...], settings: GradeSettings) -> Move:
    game = OwnGame(GameConfiguration(act_timeout=settings.act_timeout))
    for column in opening:
        game.drop(column)
    move = seat.act(game.observation(), game.configuration())
    failure = game.carry_out(move)
    return Move(None if failure else move.column, move.seconds, failure)
