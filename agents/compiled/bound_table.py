"""The compiled search's transposition table: two 64-bit integers a state.

key     mover + mask of the state, which no other state has; 0 where nothing is known
entry   score, reach, bound and the cell of the best move, packed
"""

from agents.words import Words, zeros
from envs.jit import inlined

AT_LEAST = 1
"""The score is at least the one in the table."""
AT_MOST = 2
"""The score is at most the one in the table; both bounds together make it exact."""
PROVEN_REACH = 127
"""The reach where no deeper search can change the entry; elsewhere the plies looked ahead."""

_REACH_BITS = 7
_CELL_BITS = 6
_SCORE_OFFSET = 1 << 41
"""Makes every score positive."""
_SPREADER = 0x1E3779B97F4A7C15
"""Odd, with bits all over: multiplying by it spreads similar keys."""
_LOW_63_BITS = (1 << 63) - 1


def new_table(states: int) -> Words:
    """Make an empty table for so many states, 16 bytes each; one of 0 states remembers nothing."""
    return zeros(states, 2)


@inlined
def slot_of(table: Words, key: int) -> int:
    """Compute the place of a state in a table that has room."""
    spread = (key * _SPREADER) & _LOW_63_BITS
    return ((spread >> 32) * len(table)) >> 31


@inlined
def pack_entry(score: int, reach: int, bound: int, move: int) -> int:
    """Pack an entry into one integer."""
    packed = ((score + _SCORE_OFFSET) << _REACH_BITS) | reach
    return ((packed << _CELL_BITS) | (move - 1).bit_count()) << 2 | bound


@inlined
def unpack_entry(entry: int) -> tuple[int, int, int, int]:
    """Unpack the score, reach, bound and move of an entry."""
    move = 1 << ((entry >> 2) & ((1 << _CELL_BITS) - 1))
    rest = entry >> (2 + _CELL_BITS)
    return (rest >> _REACH_BITS) - _SCORE_OFFSET, rest & PROVEN_REACH, entry & 3, move
