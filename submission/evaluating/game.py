"""One game on Kaggle's own environment, from a picklable specification to a record."""

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from submission.evaluating.game_record import GameConfiguration, GameRecord, Result
from submission.evaluating.played_game import (
    Outcome,
    columns_played,
    durations,
    last_stderr,
    outcome_of,
)
from submission.evaluating.players import Player
from submission.kaggle import kaggle_environments


@dataclass(frozen=True, slots=True)
class GameSpecification:
    """All that a worker must know to play a game."""

    player: Player
    opponent: Player
    game: int
    """Number of the game against this opponent, from 0."""
    seed: int
    configuration: GameConfiguration

    @property
    def seat(self) -> int:
        """The player's seat: 1 in games of even number, else 2."""
        return 1 + self.game % 2

    @property
    def seats(self) -> tuple[Player, Player]:
        """Who sits on seat 1 and on seat 2."""
        if self.seat == 1:
            return self.player, self.opponent
        return self.opponent, self.player


def play_game(specification: GameSpecification) -> GameRecord:
    """Play a game with `kaggle_environments` and record it.

    Whatever a player does wrong is recorded as that player's failure, also where it gets past
    `env.run`; only what ends the process, and Ctrl-C, go through.
    """
    env = kaggle_environments().make("connectx", specification.configuration.for_kaggle())
    with TemporaryDirectory(prefix="connectx-") as folder, _own_globals(specification.seed):
        submissions = [
            player.put_into(Path(folder, f"seat_{seat}"))
            for seat, player in enumerate(specification.seats, start=1)
        ]
        escaped = _run(env, submissions)
    outcome = outcome_of(env, escaped)
    return GameRecord(
        opponent=specification.opponent.name,
        game=specification.game,
        seed=specification.seed,
        seat=specification.seat,
        columns=columns_played(env),
        statuses=outcome.statuses,
        rewards=outcome.rewards,
        result=_result(outcome, specification.seat),
        durations=(durations(env, 1), durations(env, 2)),
        cause=outcome.cause,
        stderr=last_stderr(env, outcome.failed_seat),
    )


@contextmanager
def _own_globals(seed: int) -> Iterator[None]:
    """Seed the global generator, from which Kaggle's built-ins draw; put all back afterwards.

    Kaggle's loader leaves a failing submission's folder on `sys.path`.
    """
    generator_state, search_path = random.getstate(), list(sys.path)
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(generator_state)
        sys.path[:] = search_path


def _run(env: Any, submissions: list[str]) -> BaseException | None:
    """Run the game to its end; return what a player let out of Kaggle's runner, if anything."""
    try:
        env.run(submissions)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return error
    return None


def _result(outcome: Outcome, seat: int) -> Result:
    """The result from the view of the player on `seat`."""
    if outcome.failed_seat is not None:
        return Result.PLAYER_FAILED if outcome.failed_seat == seat else Result.OPPONENT_FAILED
    return {1: Result.WIN, 0: Result.DRAW, -1: Result.LOSS}[outcome.rewards[seat - 1] or 0]
