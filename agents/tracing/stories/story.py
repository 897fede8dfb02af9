"""A trace in words: where the search goes, what it brings back, what it leaves out and why.

Numbers are the game's own. A node is called by the actions that lead to it, as in `1,0`.
"""

from agents.tracing.stories.story_names import LeafValues
from agents.tracing.stories.story_search import tell_search
from agents.tracing.stories.story_simulations import tell_simulations
from agents.tracing.trace import SearchTrace


def tell(trace: SearchTrace, leaves: LeafValues | None = None) -> list[str]:
    """What the search did, a line for each step; what happens below a node is indented.

    Of iterative deepening it is the walk of the last search.

    Args:
        trace: of any search.
        leaves: what leaves are worth; those that are left out are called by it.
    """
    if trace.simulations:
        return list(tell_simulations(trace))
    return list(tell_search(trace, leaves or {}))
