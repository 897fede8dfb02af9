"""Alpha-beta and its best-known example as in textbooks, and the agent's further options."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

BARE: Mapping[str, Any] = {
    "time_limit": None,
    "iterative_deepening": False,
    "killer_moves": False,
    "table_size": 0,
}
PLAIN: Mapping[str, Any] = {**BARE, "ordering": "natural", "engine": "reference"}
"""Alpha-beta as in textbooks."""
TEXTBOOK = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]
"""Figure 5.2 of S. Russell and P. Norvig, "Artificial Intelligence: A Modern Approach"."""


def aids(**further: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Options of alpha-beta with any of its enhancements; the table may be too small.

    Args:
        further: strategies for other options.
    """
    return st.fixed_dictionaries(
        {
            "time_limit": st.none(),
            "iterative_deepening": st.booleans(),
            "killer_moves": st.booleans(),
            "table_size": st.sampled_from([0, 1, 5, 30, 1_000_000]),
            **further,
        }
    )
