"""Solving the positions of an opening book, in shards that any executor can run.

Only the positions after the last ply are solved; the scores of all others follow from them.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, as_completed
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np

from agents.book.book_positions import BookScope, stones_of_keys
from agents.solver.solver import Solver
from envs.board import BoardState
from envs.connectx import ConnectX

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")

SHARD_POSITIONS = 64
"""Positions that are solved in one go: a few seconds' work where they have 8 stones."""


class Shard(NamedTuple):
    """Positions to solve, and how: all that a worker has to be told."""

    scope: BookScope
    keys: tuple[int, ...]
    table_megabytes: int


def solve_positions(
    scope: BookScope, keys: Sequence[int], executor: Executor, table_megabytes: int
) -> Iterator[dict[int, int]]:
    """Solve positions; the scores come shard by shard, as soon as one is done.

    Args:
        scope: the board.
        keys: the positions. Neighbours in this order share a shard and so the solver's memory.
        executor: any executor of the `concurrent.futures` kind.
        table_megabytes: size of each worker's transposition table.

    Yields:
        Keys with their scores, from the view of the player to move; see `ScoreBounds`.
    """
    shards = [
        Shard(scope, tuple(keys[start : start + SHARD_POSITIONS]), table_megabytes)
        for start in range(0, len(keys), SHARD_POSITIONS)
    ]
    for shard, scores in run_shards(executor, solve_shard, shards):
        yield dict(zip(shard.keys, scores, strict=True))


def run_shards(
    executor: Executor, solve: Callable[[Task], Outcome], shards: Sequence[Task]
) -> Iterator[tuple[Task, Outcome]]:
    """Each shard with its outcome, as soon as it is done. What ends the loop cancels the others."""
    futures = {executor.submit(solve, shard): shard for shard in shards}
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        for future in futures:
            future.cancel()


def solve_shard(shard: Shard) -> list[int]:
    """The scores of a shard's positions, in their order."""
    return _shard_solver(shard.scope, shard.table_megabytes).score_all(_shard_states(shard))


@lru_cache(maxsize=1)
def _shard_solver(scope: BookScope, table_megabytes: int) -> Solver:
    """The solver of a worker, which remembers what earlier shards have taught it."""
    return Solver(ConnectX(scope.rows, scope.columns, scope.inarow), table_megabytes)


def _shard_states(shard: Shard) -> list[BoardState]:
    movers, masks = stones_of_keys(shard.scope.board, np.array(shard.keys, np.int64))
    return [
        BoardState.of_stones(mover, mask)
        for mover, mask in zip(movers.tolist(), masks.tolist(), strict=True)
    ]
