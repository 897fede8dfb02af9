"""Exercises on a tree: a quiz with answers, and exact solutions for a tree with an unknown leaf."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from agents.alpha_beta import Bound
from agents.options import alternatives
from agents.trace.open_tree import UNKNOWN, OpenTree, Stretch, condition, stretches
from agents.trace.pictures.picture import worths_to_come
from agents.trace.recorder import LIMIT
from agents.trace.recording import RECORDED_SEARCHES
from agents.trace.story import LeafValues, branch_name, left_out, listing
from agents.trace.subject import Subject, leaf_values, search_trace, tree_lines, tree_subject
from agents.trace.trace import BOUND_SIGNS, Path, SearchTrace, TracedNode, number_label
from envs.protocol import CHANCE

QUESTIONS = (
    "What does each node report to the one above it, and what does the root choose?",
    "What are alpha and beta at each node, on entry and on return?",
    "Which branches are never visited, and by which comparison?",
)
"""The questions of a quiz; for a search without alpha and beta only the first."""
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
    of the others: one search for each case solves the exercise exactly. A ValueError if the agent
    does more than compare, the tree has chance nodes, or the time is too short.
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
