"""Work on many positions, divided into shards that any executor can run."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from functools import lru_cache, partial
from threading import local
from typing import ParamSpec, TypeVar

import numpy as np

from agents.agent import Clock
from agents.book.book_positions import BookScope, stones_of_keys
from agents.parallel.workers import Workers
from agents.solver.solver import Solver
from envs.board import BoardState
from envs.connectx import ConnectX

Arguments = ParamSpec("Arguments")
Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

SHARD_POSITIONS = 64  # in a shard: a few seconds' work if they have 8 stones


def run_shards(
    executor: Executor,
    work: Callable[[Sequence[Item]], Sequence[Outcome]],
    items: Sequence[Item],
    size: int = SHARD_POSITIONS,
) -> Iterator[dict[Item, Outcome]]:
    """The outcome of each item, shard by shard, as soon as a shard is done.

    Shards are runs of successive items. If the loop ends early, pending shards are cancelled.
    """
    starts = range(0, len(items), size)
    shards = [tuple(items[start : start + size]) for start in starts]
    tasks = ((shard, partial(work, shard)) for shard in shards)
    for shard, outcomes in Workers(executor, len(shards)).run(tasks, Clock()):
        yield dict(zip(shard, outcomes, strict=True))


def scores_of_keys(scope: BookScope, table_megabytes: int, keys: Sequence[int]) -> list[int]:
    """Solve positions of an opening book: the scores, for the player to move."""
    movers, masks = stones_of_keys(scope.board, np.array(keys, np.int64))
    stones = zip(movers.tolist(), masks.tolist(), strict=True)
    solver = _kept_solver(ConnectX(scope.rows, scope.columns, scope.inarow), table_megabytes)
    return solver.score_all([BoardState.of_stones(*one) for one in stones])


def kept_by_thread(make: Callable[Arguments, Outcome]) -> Callable[Arguments, Outcome]:
    """Wrap `make` so that each thread of a worker keeps its result from one task to the next."""
    memory = local()

    def kept(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Outcome:
        if not hasattr(memory, "make"):
            memory.make = lru_cache(maxsize=1)(make)
        outcome: Outcome = memory.make(*args, **kwargs)
        return outcome

    return kept


_kept_solver = kept_by_thread(Solver)  # its table serves all shards
