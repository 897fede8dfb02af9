"""Why a search left out children of a node."""

from agents.tracing.labels import window_labels
from agents.tracing.trace import Ending, SearchTrace, TracedNode


def why_unvisited(trace: SearchTrace, node: TracedNode) -> str:
    """The reason, in the numbers of the game; "" where no child was left out for good."""
    if node.ending is Ending.CUTOFF and node.window_returned is not None:
        alpha, beta = window_labels(trace, node.window_returned)
        return f"alpha {alpha} ≥ beta {beta}"
    if node.ending is Ending.COMPLETE and node.unvisited:
        return "they never happen"
    return ""
