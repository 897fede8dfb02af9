"""The exercise with an unknown leaf, and the sheets that `connectx explain` prints."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from agents.trace.labels import number_label, path_label
from agents.trace.open_tree import (
    UNKNOWN,
    OpenTree,
    Stretch,
    Subject,
    condition,
    leaf_values,
    search_trace,
    stretches,
    tree_subject,
)
from agents.trace.quiz import questions, tree_lines
from agents.trace.story import LeafValues, branch_name, listing, tell
from agents.trace.trace import Path, SearchTrace
from envs.protocol import CHANCE

COMPARING_AGENTS = ("alphabeta", "minimax")
"""Searches that do nothing with leaves but compare them."""
ESTIMATE = 0.0
"""What a search takes a node for at which it looks no deeper."""


def solve_exercise(tree: OpenTree, agent: str, options: Mapping[str, Any]) -> list[str]:
    """What is pruned and what the root reports, as conditions on the unknown leaf.

    The search compares leaves and does nothing else with them, so what it does depends on how the
    unknown compares with each of the others: one search for each case solves the exercise exactly.

    Raises:
        ValueError: an agent that does more than compare, a tree in which chance decides, or too
            little time.
    """
    if agent not in COMPARING_AGENTS:
        raise ValueError(
            f"a tree with a {UNKNOWN} is solved for {' or '.join(COMPARING_AGENTS)}, not {agent}"
        )
    line = stretches([ESTIMATE, *tree.known_leaves.values()])
    traces = [
        search_trace(tree_subject(tree.with_leaf(stretch.sample)), agent, options)
        for stretch in line
    ]
    if any(node.player == CHANCE for trace in traces for node in trace.nodes):
        raise ValueError(
            f"chance decides in the tree, so means count and not comparisons: give {UNKNOWN} a "
            "number"
        )
    if any(node.value is None for trace in traces for node in trace.nodes):
        raise ValueError("the time was up before the tree was searched: raise time_limit")
    return [*_pruned(tree, line, traces), *_reported(line, traces)]


def _pruned(
    tree: OpenTree, line: Sequence[Stretch], traces: Sequence[SearchTrace]
) -> Iterator[str]:
    """When each branch is pruned; branches for which it is the same share a sentence."""
    cuts = [_cut_paths(trace) for trace in traces]
    together: dict[tuple[bool, ...], list[str]] = {}
    for branch in _from_left_to_right(tree, set().union(*cuts)):
        holds = tuple(any(branch[: len(cut)] == cut for cut in case) for case in cuts)
        together.setdefault(holds, []).append(_name(tree, traces[0], branch))
    for holds, names in together.items():
        verb = "is" if len(names) == 1 else "are"
        yield f"{listing(names)} {verb} not visited {condition(line, holds)}"
    if not together:
        yield f"every branch is visited, whatever {UNKNOWN} is"


def _reported(line: Sequence[Stretch], traces: Sequence[SearchTrace]) -> Iterator[str]:
    """What the root reports, as a function of the unknown: a number, or the unknown itself."""
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
        shown = UNKNOWN if constant is None else number_label(constant)
        yield f"the root reports {shown} {condition(line, holds)}"


def _cut_paths(trace: SearchTrace) -> set[Path]:
    """Where the branches begin that a search left out."""
    return {(*node.path, action) for node in trace.last_iteration() for action in node.unvisited}


def _from_left_to_right(tree: OpenTree, branches: Iterable[Path]) -> list[Path]:
    """Branches in the order of their first leaves; a branch after one that it is a part of."""
    leaves = list(leaf_values(tree.with_leaf(ESTIMATE)))

    def place(branch: Path) -> tuple[int, int]:
        first = next(leaf for leaf in leaves if leaf[: len(branch)] == branch)
        return leaves.index(first), len(branch)

    return sorted(branches, key=place)


def _name(tree: OpenTree, trace: SearchTrace, branch: Path) -> str:
    if branch == tree.unknown:
        return f"the {UNKNOWN} at {path_label(trace, branch)}"
    return branch_name(trace, tree.known_leaves, branch)


def walk_lines(trace: SearchTrace, leaves: LeafValues, limit: int) -> list[str]:
    """The walk of a search in words; of a long one the first `limit` lines, which is said."""
    lines = tell(trace, leaves)
    if len(lines) <= limit:
        return lines
    left = len(lines) - limit
    return [*lines[:limit], f"... and {left} more lines: raise --limit to read on"]


def quiz_sheet(subject: Subject, trace: SearchTrace) -> list[str]:
    """The tree without answers, and the questions.

    Raises:
        ValueError: a position, whose tree is not written down; or a Monte Carlo tree search.
    """
    if not subject.leaves:
        raise ValueError("a quiz needs a tree: add --tree, or leave --quiz out")
    if trace.simulations:
        raise ValueError(
            "a quiz asks for what can be worked out by hand: choose the agent alphabeta, minimax "
            "or expectimax"
        )
    return [subject.picture, "", *questions(trace)]


def exercise_sheet(tree: OpenTree) -> list[str]:
    """The tree with its unknown leaf, and the questions."""
    return [
        *tree_lines(tree.with_leaf(0.0), tree.unknown),
        "",
        f"1. For which values of {UNKNOWN} is a branch never visited?",
        f"2. What does the root report, as {UNKNOWN} grows from -∞ to ∞?",
    ]
