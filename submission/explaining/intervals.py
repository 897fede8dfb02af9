"""For which values of an unknown something holds, where it can only change at given thresholds."""

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from math import inf
from typing import NamedTuple

from agents.tracing.labels import number_label

UNKNOWN = "?"


class Stretch(NamedTuple):
    """All numbers between two thresholds, both left out; or one threshold alone."""

    low: float
    high: float

    @property
    def is_threshold(self) -> bool:
        """Whether it is a single number."""
        return self.low == self.high

    @property
    def sample(self) -> float:
        """One of its numbers."""
        if self.low == -inf:
            return 0.0 if self.high == inf else self.high - 1.0 - abs(self.high)
        if self.high == inf:
            return self.low + 1.0 + abs(self.low)
        return self.low / 2 + self.high / 2


def stretches(thresholds: Iterable[float]) -> list[Stretch]:
    """The number line, cut at each threshold, in ascending order."""
    edges = [-inf, *sorted(set(thresholds)), inf]
    line = [Stretch(-inf, edges[1])]
    for low, high in pairwise(edges[1:]):
        line += [Stretch(low, low), Stretch(low, high)]
    return line


def condition(line: Sequence[Stretch], holds: Sequence[bool]) -> str:
    """When something holds: `when ? ≤ 3 or ? > 8`, or `whatever ? is`.

    Args:
        line: the whole number line, as `stretches` cuts it.
        holds: whether it does, for each stretch; for at least one.
    """
    if all(holds):
        return f"whatever {UNKNOWN} is"
    runs = groupby(zip(line, holds, strict=True), key=lambda pair: pair[1])
    held = [[stretch for stretch, _ in run] for does_hold, run in runs if does_hold]
    return "when " + " or ".join(_interval(run[0], run[-1]) for run in held)


def _interval(first: Stretch, last: Stretch) -> str:
    """The numbers from one stretch to another, both included."""
    low, high = number_label(first.low), number_label(last.high)
    from_low = "≤" if first.is_threshold else "<"
    to_high = "≤" if last.is_threshold else "<"
    if first.low == last.high:
        return f"{UNKNOWN} = {low}"
    if first.low == -inf:
        return f"{UNKNOWN} {to_high} {high}"
    if last.high == inf:
        return f"{UNKNOWN} {'≥' if first.is_threshold else '>'} {low}"
    return f"{low} {from_low} {UNKNOWN} {to_high} {high}"
