"""How the words about a trace call its nodes."""

from collections.abc import Mapping, Sequence

from agents.tracing.labels import number_label, path_label
from agents.tracing.trace import Path, SearchTrace

LeafValues = Mapping[Path, float]
"""What leaves are worth, in the game's own numbers, whether or not a search has visited them."""

PLAYERS = ("chance", "max", "min")
"""What a node is called by whose turn it is."""


def branch_name(trace: SearchTrace, leaves: LeafValues, path: Path) -> str:
    """A branch that is left out: `the 4 at 1,1` where it is a leaf of known value, else `1,1`."""
    name = path_label(trace, path)
    return f"the {number_label(leaves[path])} at {name}" if path in leaves else name


def listing(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a; b and c`: names may hold commas of their own."""
    *first, last = names
    return f"{'; '.join(first)} and {last}" if first else last
