"""Alpha-beta and its best-known example, as textbooks have them."""

from collections.abc import Mapping
from typing import Any

PLAIN: Mapping[str, Any] = {
    "time_limit": None,
    "iterative_deepening": False,
    "killer_moves": False,
    "table_size": 0,
    "ordering": "natural",
    "engine": "reference",
}
"""Alpha-beta as textbooks have it."""
TEXTBOOK = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]
"""Figure 5.2 of S. Russell and P. Norvig, "Artificial Intelligence: A Modern Approach"."""
