"""The positions that the solver is timed on beside BitBully, and what it is to reach there."""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.solver.positions import SETS, ScoredPosition, read_positions

GOALS = {
    "end-easy": 0.22,
    "mid-easy": 0.30,
    "mid-medium": 0.48,
    "begin-easy": 0.06,
    "begin-medium": 0.70,
    "begin-hard": 0.55,
}
"""At most this share of BitBully's time, by set."""

SAMPLE = 100
SAMPLES = {"begin-hard": 20}
"""BitBully takes seconds for each of these."""


@dataclass(frozen=True)
class SolverWorkload:
    """Positions to solve, each for its exact score."""

    name: str
    positions: list[ScoredPosition]
    goal: float | None = None
    """At most this share of BitBully's time; None where none is set."""
    cleared: bool = True
    """Whether each position finds the table empty; else only the first one does."""


EMPTY_BOARD = SolverWorkload("empty board", [ScoredPosition("", 1)], goal=0.14)
"""The whole game, which the first player wins with their last stone."""


def solver_workloads(sample: int | None = None) -> Iterator[SolverWorkload]:
    """`sample` positions of each set.

    BitBully's table takes much longer to clear than an easy position to solve. That is not
    counted, but leaves the processor's caches cold; so the easiest set is solved with one table
    too.
    """
    for kind in SETS:
        size = sample if sample is not None else SAMPLES.get(kind.name, SAMPLE)
        positions = spread_out(read_positions(kind.path), size)
        yield SolverWorkload(kind.name, positions, GOALS[kind.name])
        if kind.name == "end-easy":
            yield SolverWorkload(f"{kind.name}, 1 table", positions, cleared=False)


def spread_out(positions: list[ScoredPosition], number: int) -> list[ScoredPosition]:
    """So many of the positions, from all over the set.

    Positions of one or two plies are few, so they stand near the beginning of a set.
    """
    return positions[:: max(1, len(positions) // number)][:number]
