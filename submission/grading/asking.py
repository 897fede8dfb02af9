"""Asks a player for its moves in solved positions."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from submission.evaluating.arenas.own_referee import OwnGame
from submission.evaluating.arenas.seats import Move, Seat, open_seat
from submission.evaluating.game_record import GameConfiguration
from submission.evaluating.players import Player
from submission.grading.answer import Answer
from submission.grading.solved_position import SolvedPosition


class Shard(NamedTuple):
    """Positions that a player is asked about in one go: all that a worker has to be told."""

    player: Player
    positions: tuple[SolvedPosition, ...]
    seed: int
    act_timeout: float
    """Seconds for a move; the bank of 60 seconds is full in every position."""


def answer_shard(shard: Shard) -> list[Answer]:
    """The player's answers, in the order of the positions.

    The player is loaded once, and anew after each failure. If it fails in the first move of a game
    already, which is not counted and takes the loading, it is not asked any further.
    """
    answers: list[Answer] = []
    while len(answers) < len(shard.positions):
        answers += _answer_until_failure(shard, shard.positions[len(answers) :])
    return answers


def _answer_until_failure(shard: Shard, positions: Sequence[SolvedPosition]) -> list[Answer]:
    """The answers to the first of the positions, up to the last one or to one that is a failure."""
    answers: list[Answer] = []
    with open_seat(shard.player, seed=_seed(shard.seed, positions[0])) as seat:
        start = _ask(seat, (), shard.act_timeout)
        if start.failure is not None:
            return [Answer(position, None, 0.0, start.failure) for position in positions]
        for position in positions:
            move = _ask(seat, position.opening, shard.act_timeout)
            answers.append(Answer(position, move.column, move.seconds, move.failure))
            if answers[-1].failure is not None:
                break
    return answers


def _ask(seat: Seat, opening: tuple[int, ...], act_timeout: float) -> Move:
    """The player's move after an opening; one that cannot be carried out is a failure."""
    game = OwnGame(GameConfiguration(act_timeout=act_timeout))
    for column in opening:
        game.drop(column)
    move = seat.act(game.observation(), game.configuration())
    failure = game.carry_out(move)
    return Move(None if failure else move.column, move.seconds, failure)


def _seed(seed: int, position: SolvedPosition) -> int:
    """A seed that depends on the first position to be asked about and on no other."""
    return random.Random(f"{seed}/{position.moves}").getrandbits(32)
