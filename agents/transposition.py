"""The transposition table: what an alpha-beta search remembers of states that it meets again."""

from collections.abc import Hashable
from enum import IntEnum
from typing import Any, NamedTuple


class Bound(IntEnum):
    """How the value v that a windowed search returned relates to the true value."""

    EXACT = 0
    """v is the value."""
    LOWER = 1
    """The value is at least v: v reached beta, and the search was cut off."""
    UPPER = 2
    """The value is at most v: v did not exceed alpha, and the search was cut off."""


class Entry(NamedTuple):
    """What a search of one state found."""

    depth: float
    """Plies that the search looked ahead; inf where no deeper search can change the result."""
    bound: Bound
    value: float
    action: Any
    """The best action, or the one that caused the cutoff."""


class TranspositionTable(dict[Hashable, Entry]):
    """Entries by state; a full table takes no new states, so that its memory is bounded.

    Args:
        capacity: number of states; about 0.4 kB each.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity

    def store(self, state: Hashable, entry: Entry) -> None:
        """Remember `entry` in place of what was known of `state`."""
        if len(self) < self.capacity or state in self:
            self[state] = entry
