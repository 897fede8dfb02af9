"""A tree with one unknown leaf, and intervals of the leaf's value."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from math import inf
from typing import NamedTuple

from agents.trace.subject import leaf_values, textbook_tree
from agents.trace.trace import Path, decimals_of, number_label
from envs.explicit_tree import ExplicitTree

UNKNOWN = "?"
QUOTED_OR_UNKNOWN = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\?)(\s*:)?""")
"""A quoted text or an unknown, with an optional colon, after which it is the name of an action."""


def read_open_tree(text: str) -> "OpenTree | None":
    """The tree in a text with one unknown leaf, `?` or `"?"`; None if all leaves are known."""
    found = [
        match
        for match in QUOTED_OR_UNKNOWN.finditer(text)
        if match[1].strip("'\"") == UNKNOWN and match[2] is None
    ]
    if len(found) > 1:
        raise ValueError(
            f"{len(found)} leaves of the tree are {UNKNOWN}: give all but one of them a number"
        )
    return OpenTree(text[: found[0].start()], text[found[0].end() :]) if found else None


@dataclass(frozen=True)
class OpenTree:
    """The text of a tree before and after its one unknown leaf."""

    before: str
    after: str

    def with_leaf(self, value: float) -> ExplicitTree:
        """The tree in which the unknown leaf is this number."""
        leaf = f"({value!r})"
        try:
            return textbook_tree(f"{self.before}{leaf}{self.after}")
        except ValueError as error:  # quote the text as it was written
            raise ValueError(str(error).replace(leaf, UNKNOWN)) from error

    @cached_property
    def unknown(self) -> Path:
        """The path of the unknown leaf; a ValueError if it is no leaf or the text is no tree."""
        zero, one = leaf_values(self.with_leaf(0.0)), leaf_values(self.with_leaf(1.0))
        differing = [path for path, value in zero.items() if one.get(path) != value]
        if len(differing) != 1:
            raise ValueError(f"the {UNKNOWN} is not a leaf of the tree: replace a number with it")
        return differing[0]

    @cached_property
    def known_leaves(self) -> dict[Path, float]:
        """All other leaves with their numbers."""
        leaves = leaf_values(self.with_leaf(0.0))
        del leaves[self.unknown]
        return leaves

    @cached_property
    def decimals(self) -> int:
        """The number of decimals to show the tree's numbers as written; see `decimals_of`."""
        return decimals_of(self.with_leaf(0.0).numbers())


class Stretch(NamedTuple):
    """An open interval between two thresholds, or a single threshold."""

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
    """The number line divided at each threshold, in ascending order."""
    edges = [-inf, *sorted(set(thresholds)), inf]
    line = [Stretch(-inf, edges[1])]
    for low, high in pairwise(edges[1:]):
        line += [Stretch(low, low), Stretch(low, high)]
    return line


def condition(line: Sequence[Stretch], holds: Sequence[bool], decimals: int) -> str:
    """The condition on which something holds: `when ? ≤ 3 or ? > 8`, or `whatever ? is`.

    `holds` has a truth value for each stretch of the number line, true for at least one.
    """
    if all(holds):
        return f"whatever {UNKNOWN} is"
    runs = groupby(zip(line, holds, strict=True), key=lambda pair: pair[1])
    held = [[stretch for stretch, _ in run] for does_hold, run in runs if does_hold]
    return "when " + " or ".join(_interval(run[0], run[-1], decimals) for run in held)


def _interval(first: Stretch, last: Stretch, decimals: int) -> str:
    """The numbers from one stretch to another, both included."""
    low, high = number_label(first.low, decimals), number_label(last.high, decimals)
    from_low = "≤" if first.is_threshold else "<"
    to_high = "≤" if last.is_threshold else "<"
    if first.low == last.high:
        return f"{UNKNOWN} = {low}"
    if first.low == -inf:
        return f"{UNKNOWN} {to_high} {high}"
    if last.high == inf:
        return f"{UNKNOWN} {'≥' if first.is_threshold else '>'} {low}"
    return f"{low} {from_low} {UNKNOWN} {to_high} {high}"
