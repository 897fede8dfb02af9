"""Makes sets of positions: drawn, solved, and selected."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from functools import lru_cache, partial
from itertools import chain
from random import Random
from typing import NamedTuple

from agents.book.opening_book import shipped_book_of
from agents.parallel.workers import Task, Workers
from agents.search import Clock, OnProgress
from agents.solver.solver import Solver
from submission.grading.drawn_games import Style, drawn_moves
from submission.grading.position_set import PositionSet
from submission.grading.position_settings import PositionSettings
from submission.grading.selection import select
from submission.grading.solved_position import GAME, SolvedPosition

CANDIDATES = {Style.THOUGHT: 12, Style.TACTICS: 2}
"""How many positions are drawn for each one that is wanted: some kinds are rare."""

BATCH = 6
"""How many positions a worker draws and solves in one go."""


class Batch(NamedTuple):
    """Positions to draw: all that a worker has to be told."""

    seed: int
    style: Style
    ply: int
    numbers: range


def make_position_set(
    settings: PositionSettings, executor: Executor, on_progress: OnProgress
) -> PositionSet:
    """Make a set of solved positions; the same settings give the same ones.

    Args:
        settings: how many positions of which plies, and the seed.
        executor: any executor of the `concurrent.futures` kind.
        on_progress: told how many positions have been drawn and solved.

    Raises:
        ChildProcessError: a worker process died.
    """
    batches = [
        Batch(settings.seed, style, ply, range(start, min(start + BATCH, count)))
        for style, count in _candidates(settings).items()
        for ply in style.plies
        if ply in settings.plies
        for start in range(0, count, BATCH)
    ]
    candidates = _solved_by_ply(batches, executor, on_progress)
    selected = [select(candidates[ply], settings.per_ply) for ply in sorted(candidates)]
    return PositionSet(settings, tuple(chain(*selected)))


def _candidates(settings: PositionSettings) -> dict[Style, int]:
    """How many positions of each style are drawn for each ply."""
    return {style: number * settings.per_ply for style, number in CANDIDATES.items()}


def draw_and_solve(batch: Batch) -> list[SolvedPosition]:
    """The positions of a batch with their scores."""
    generators = (Random(f"{batch.seed}/{batch.ply}/{number}") for number in batch.numbers)
    return [solved(drawn_moves(batch.style, batch.ply, rng)) for rng in generators]


def solved(moves: str) -> SolvedPosition:
    """The position after these moves with its scores."""
    position = SolvedPosition(moves, ())
    bounds = _solver().scores(position.state)
    scores = (bounds.get(column) for column in range(GAME.columns))
    return SolvedPosition(moves, tuple(score.lower if score else None for score in scores))


def _solved_by_ply(
    batches: Sequence[Batch], executor: Executor, on_progress: OnProgress
) -> dict[int, list[SolvedPosition]]:
    """The positions of the batches by ply, in the order of the batches."""
    found: dict[Batch, list[SolvedPosition]] = {}
    total = sum(len(batch.numbers) for batch in batches)
    on_progress(0, total, "")
    try:
        for batch, positions in Workers(executor, len(batches)).run(_tasks(batches), Clock()):
            found[batch] = positions
            on_progress(sum(map(len, found.values())), total, "")
    except BrokenExecutor as error:
        raise ChildProcessError(
            "a worker process died, perhaps for want of memory: run the command again with fewer "
            "workers"
        ) from error
    by_ply: defaultdict[int, list[SolvedPosition]] = defaultdict(list)
    for batch in batches:
        by_ply[batch.ply] += found[batch]
    return by_ply


def _tasks(batches: Sequence[Batch]) -> Iterator[Task[Batch, list[SolvedPosition]]]:
    return ((batch, partial(draw_and_solve, batch)) for batch in batches)


@lru_cache(maxsize=1)
def _solver() -> Solver:
    """The solver of a worker, which remembers what it has learnt of earlier positions."""
    return Solver(GAME, book=shipped_book_of(GAME))
