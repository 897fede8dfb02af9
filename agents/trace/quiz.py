"""The classic exercise on a tree: what a search reports and leaves out; questions and answers."""

from collections.abc import Iterator

from agents.alpha_beta import Bound
from agents.trace.labels import (
    BOUND_SIGNS,
    action_label,
    number_label,
    path_label,
    value_label,
    window_labels,
)
from agents.trace.story import PLAYERS, LeafValues, left_out
from agents.trace.trace import Path, SearchTrace, TracedNode
from envs.explicit_tree import ExplicitTree, TreePath
from envs.protocol import CHANCE

REPORTS = "What does each node report to the one above it, and what does the root choose?"
WINDOWS = "What are alpha and beta at each node, on entry and on return?"
CUTS = "Which branches are never visited, and by which comparison?"


def tree_lines(tree: ExplicitTree, unknown: Path | None = None) -> list[str]:
    """The tree as it is written, a line for each node, without what a search makes of it.

    Args:
        tree: what to show.
        unknown: the leaf in whose place `?` stands; None where all are known.
    """
    return [f"the root ({_kind(tree, ())})", *_lines_below(tree, (), unknown, indent="")]


def questions(trace: SearchTrace) -> list[str]:
    """What to find out about the tree that was searched."""
    asked = [REPORTS, WINDOWS, CUTS] if _has_windows(trace) else [REPORTS]
    return [f"{number}. {question}" for number, question in enumerate(asked, start=1)]


def answers(trace: SearchTrace, leaves: LeafValues) -> list[str]:
    """What each inner node reports, with its alpha and beta; what the root chooses; what is cut.

    Args:
        trace: of minimax, alpha-beta or expectimax.
        leaves: what leaves are worth, in the game's own numbers.
    """
    inner = [node for node in trace.last_iteration() if node.visited]
    lines = [_report(trace, node) for node in inner]
    lines.append(f"the root chooses {action_label(trace, trace.chosen)}")
    cuts = [
        f"at {path_label(trace, node.path)}: {left_out(trace, leaves, node)}"
        for node in inner
        if node.unvisited
    ]
    return [*lines, *(cuts or ["every branch is visited"])]


def _has_windows(trace: SearchTrace) -> bool:
    return trace.nodes[0].window is not None


def _report(trace: SearchTrace, node: TracedNode) -> str:
    """`1 reports 2 (in truth ≤ 2); alpha 3, beta ∞ on entry; alpha 3, beta 2 on return`."""
    if node.value is None:
        return f"{path_label(trace, node.path)} reports nothing: the time was up"
    report = value_label(trace, node.value)
    if node.bound is not Bound.EXACT:
        report += f" (in truth {BOUND_SIGNS[node.bound]} {report})"
    windows = {"entry": node.window, "return": node.window_returned}
    edges = [
        "alpha {}, beta {} on {}".format(*window_labels(trace, window), moment)
        for moment, window in windows.items()
        if window is not None
    ]
    return "; ".join([f"{path_label(trace, node.path)} reports {report}", *edges])


def _lines_below(
    tree: ExplicitTree, path: TreePath, unknown: Path | None, indent: str
) -> Iterator[str]:
    actions = tree.get_available_actions(path)
    for action in actions:
        is_last = action == actions[-1]
        child = tree.get_next_state(path, action)
        label = f"{action}{_probability(tree, path, action)}"
        yield f"{indent}{'└─ ' if is_last else '├─ '}{label}: {_content(tree, child, unknown)}"
        yield from _lines_below(tree, child, unknown, indent + ("   " if is_last else "│  "))


def _content(tree: ExplicitTree, path: TreePath, unknown: Path | None) -> str:
    """What stands at a node: a number, `?`, or whose turn it is."""
    if path == unknown:
        return "?"
    if tree.get_available_actions(path):
        return _kind(tree, path)
    return number_label(tree.reward(path[:-1], path[-1]) * tree.scale)


def _kind(tree: ExplicitTree, path: TreePath) -> str:
    return PLAYERS[tree.current_player(path)]


def _probability(tree: ExplicitTree, path: TreePath, action: int | str) -> str:
    """Of an outcome of chance, in brackets."""
    if tree.current_player(path) != CHANCE:
        return ""
    return f" ({number_label(tree.chance_probabilities(path)[action])})"
