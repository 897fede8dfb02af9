"""The branches that a search leaves out, and by which comparison."""

from agents.tracing.cutoffs import why_unvisited
from agents.tracing.stories.story_names import LeafValues, branch_name, listing
from agents.tracing.trace import SearchTrace, TracedNode


def left_out(trace: SearchTrace, leaves: LeafValues, node: TracedNode) -> str:
    """`alpha 3 ≥ beta 2: the 4 at 1,1 and the 6 at 1,2 are not visited`.

    Args:
        trace: that the node is from.
        leaves: what leaves are worth.
        node: one with at least one child that was not visited.
    """
    branches = [branch_name(trace, leaves, (*node.path, action)) for action in node.unvisited]
    reason = why_unvisited(trace, node) or "the time is up"
    verb = "is" if len(branches) == 1 else "are"
    return f"{reason}: {listing(branches)} {verb} not visited"
