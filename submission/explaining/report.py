"""What `connectx explain` prints, as lines."""

from agents.tracing.stories.quiz import questions, tree_lines
from agents.tracing.stories.story import tell
from agents.tracing.stories.story_names import LeafValues
from agents.tracing.trace import SearchTrace
from submission.explaining.intervals import UNKNOWN
from submission.explaining.open_tree import OpenTree
from submission.explaining.subject import Subject


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
