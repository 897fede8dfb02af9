"""Nodes of a compiled tree: the fields that all trees have, and how proofs are carried up.

A node is a row of whole numbers. Statistics and proofs are from the view of the player who moved
into the node; that is who selects among it and its siblings. Proofs are those of M. H. M. Winands
et al., "Monte-Carlo Tree Search Solver" (2008).
"""

from typing import Any

from envs.compiled.jit import inlined

# The fields of a node; those of one kind of tree follow.
VISITS = 0
PROVEN = 1
"""The exact value (1, 0 or -1), or UNPROVEN."""
DRAW_AT_HAND = 2
"""1 where the player whose turn it is has a proven draw at hand, and so loses no more; else 0."""
CHILDREN = 3
"""How many children have been added."""
UNTRIED = 4
"""How many moves have no child yet; 0 where all children are added together."""
FIRST_CHILD = 5
"""The place of the first child; NO_PLACE before there is one."""
COMMON_FIELDS = 6

ROOT = 0
"""The place of the root in a new pool."""
UNPROVEN = 2
NO_PLACE = -1


@inlined
def prove_path(nodes: Any, path: Any, length: int) -> None:
    """Carry the proven value of the last node of a path up as far as it decides."""
    for step in range(length - 2, -1, -1):
        settle_node(nodes, path[step])
        if nodes[path[step], PROVEN] == UNPROVEN:
            return  # what is not proven proves nothing above it


@inlined
def settle_node(nodes: Any, place: int) -> None:
    """Prove the value of a node if its children do: one is won, or all are proven."""
    first = nodes[place, FIRST_CHILD]
    complete = nodes[place, UNTRIED] == 0
    best = -1
    for child in range(first, first + nodes[place, CHILDREN]):
        value = nodes[child, PROVEN]
        if value == UNPROVEN:
            complete = False
            continue
        best = max(best, value)
        if value == 0:
            nodes[place, DRAW_AT_HAND] = 1
    if best == 1 or complete:  # a won move is enough; without one, all results must be known
        nodes[place, PROVEN] = -best
