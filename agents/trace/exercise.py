"""Exercises on a tree: a quiz with answers, and exact solutions for a tree with an unknown leaf."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from math import inf
from typing import Any, NamedTuple

from agents.alpha_beta import Bound
from agents.options import alternatives
from agents.trace.pictures.picture import worths_to_come
from agents.trace.recorder import LIMIT
from agents.trace.recording import RECORDED_SEARCHES
from agents.trace.story import LeafValues, branch_name, left_out, listing
from agents.trace.subject import (
    Subject,
    leaf_values,
    search_trace,
    textbook_tree,
    tree_lines,
    tree_subject,
)
from agents.trace.trace import BOUND_SIGNS, Path, SearchTrace, TracedNode, decimals_of, number_label
from envs.explicit_tree import ExplicitTree
from envs.protocol import CHANCE

QUESTIONS = (
    "What does each node report to the one above it, and what does the root choose?",
    "What are alpha and beta at each node, on entry and on return?",
    "Which branches are never visited, and by which comparison?",
)
"""The questions of a quiz; for a search without alpha and beta only the first."""
UNKNOWN = "?"
QUOTED_OR_UNKNOWN = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\?)(\s*:)?""")
"""A quoted text or an unknown, with an optional colon, after which it is the name of an action."""
ESTIMATE = 0.0  # the value of a node at the depth limit


def quiz_sheet(subject: Subject, trace: SearchTrace) -> list[str]:
    """The tree without answers, and the questions; a ValueError for a position, or after MCTS."""
    if not subject.leaves:
        raise ValueError("a quiz needs a tree: add --tree, or leave --quiz out")
    if trace.simulations:
        raise ValueError(
            "a quiz asks for what can be worked out by hand: choose the agent alphabeta, minimax "
            "or expectimax"
        )
    asked = QUESTIONS[:1] if trace.nodes[0].window is None else QUESTIONS
    numbered = [f"{number}. {question}" for number, question in enumerate(asked, start=1)]
    if worths := worths_to_come(trace):
        numbered.append(f"{worths.capitalize()}.")
    return [subject.picture, "", *numbered]


def answers(trace: SearchTrace, leaves: LeafValues) -> list[str]:
    """The report of each inner node, with its alpha and beta; the root's choice; the cuts."""
    inner = [node for node in trace.last_iteration() if node.visited]
    lines = [_report(trace, node) for node in inner]
    lines.append(f"the root chooses {trace.action_label(trace.chosen)}")
    cuts = [
        f"at {trace.path_label(node.path)}: {left_out(trace, leaves, node)}"
        for node in inner
        if node.unvisited
    ]
    return [*lines, *(cuts or ["every branch is visited"])]


def _report(trace: SearchTrace, node: TracedNode) -> str:
    """A node's report: `1 reports 2 (in truth ≤ 2); alpha 3, beta ∞ on entry; ... on return`."""
    if node.value is None:
        return f"{trace.path_label(node.path)} reports nothing: the time was up"
    report = trace.value_label(node.value)
    if node.bound is not Bound.EXACT:
        report += f" (in truth {BOUND_SIGNS[node.bound]} {report})"
    windows = {"entry": node.window, "return": node.window_returned}
    edges = [
        "alpha {}, beta {} on {}".format(*trace.window_labels(window), moment)
        for moment, window in windows.items()
        if window is not None
    ]
    return "; ".join([f"{trace.path_label(node.path)} reports {report}", *edges])


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


def exercise_sheet(tree: OpenTree) -> list[str]:
    """The tree with its unknown leaf, and the questions."""
    return [
        *tree_lines(tree.with_leaf(0.0), tree.unknown),
        "",
        f"1. For which values of {UNKNOWN} is a branch never visited?",
        f"2. What does the root report, as {UNKNOWN} grows from -∞ to ∞?",
    ]


def solve_exercise(
    tree: OpenTree, agent: str, options: Mapping[str, Any], limit: int = LIMIT
) -> list[str]:
    """State what is pruned and what the root reports, as conditions on the unknown leaf.

    The search only compares leaves, so it depends only on how the unknown leaf compares with each
    of the others: one search for each case solves the exercise exactly. Raises ValueError if the
    agent does more than compare, the tree has chance nodes, or the time is too short.
    """
    comparing = [name for name, search in RECORDED_SEARCHES.items() if search.only_compares]
    if agent not in comparing:
        raise ValueError(
            f"a tree with a {UNKNOWN} can be solved only for {alternatives(comparing)}, not {agent}"
        )
    line = stretches([ESTIMATE, *tree.known_leaves.values()])
    traces = [
        search_trace(tree_subject(tree.with_leaf(stretch.sample)), agent, options, limit)
        for stretch in line
    ]
    if any(node.player == CHANCE for trace in traces for node in trace.nodes):
        raise ValueError(
            f"chance decides in the tree, so means count, not only comparisons: give {UNKNOWN} a "
            "number"
        )
    if any(node.value is None for trace in traces for node in trace.nodes):
        raise ValueError("the time was up before the tree was searched: raise time_limit")
    return [*_pruned(tree, line, traces), *_reported(tree, line, traces)]


def _pruned(
    tree: OpenTree, line: Sequence[Stretch], traces: Sequence[SearchTrace]
) -> Iterator[str]:
    """When each branch is pruned; branches with the same condition share a sentence."""
    cuts = [
        {(*node.path, action) for node in trace.last_iteration() for action in node.unvisited}
        for trace in traces
    ]
    together: dict[tuple[bool, ...], list[str]] = {}
    for branch in _from_left_to_right(tree, set().union(*cuts)):
        holds = tuple(any(branch[: len(cut)] == cut for cut in case) for case in cuts)
        together.setdefault(holds, []).append(_name(tree, traces[0], branch))
    for holds, names in together.items():
        verb = "is" if len(names) == 1 else "are"
        yield f"{listing(names)} {verb} not visited {condition(line, holds, tree.decimals)}"
    if not together:
        yield f"every branch is visited, whatever {UNKNOWN} is"


def _reported(
    tree: OpenTree, line: Sequence[Stretch], traces: Sequence[SearchTrace]
) -> Iterator[str]:
    """The root's report as a function of the unknown: a number, or the unknown itself."""
    reports = [(trace.last_iteration()[0].value or 0.0) * trace.scale for trace in traces]
    unknowns = [stretch.sample for stretch in line]
    constants = dict.fromkeys(
        None if report == unknown else report
        for stretch, report, unknown in zip(line, reports, unknowns, strict=True)
        if not stretch.is_threshold
    )
    for constant in constants:
        holds = [
            report == (unknown if constant is None else constant)
            for report, unknown in zip(reports, unknowns, strict=True)
        ]
        shown = UNKNOWN if constant is None else number_label(constant, tree.decimals)
        yield f"the root reports {shown} {condition(line, holds, tree.decimals)}"


def _from_left_to_right(tree: OpenTree, branches: Iterable[Path]) -> list[Path]:
    """Branches in the order of their first leaves, each before the branches that it contains."""
    leaves = list(leaf_values(tree.with_leaf(ESTIMATE)))

    def place(branch: Path) -> tuple[int, int]:
        first = next(leaf for leaf in leaves if leaf[: len(branch)] == branch)
        return leaves.index(first), len(branch)

    return sorted(branches, key=place)


def _name(tree: OpenTree, trace: SearchTrace, branch: Path) -> str:
    if branch == tree.unknown:
        return f"the {UNKNOWN} at {trace.path_label(branch)}"
    return branch_name(trace, tree.known_leaves, branch)
