"""The solver's transposition table: bounds of scores, each entry in one 64-bit word.

From the lowest bit: lower bound and upper bound (7 bits each, shifted to be positive), the size of
the search that found them (6 bits), the generation that wrote it, and the part of the position's
key that its place in the table does not tell. So an entry is read and written at once, also by
threads that share the table, and never belongs to another position. Two entries make a bucket: the
one that took more work stays, the other is replaced by whatever comes. An old generation's entries
count as empty, which empties a table in no time.
"""

from typing import NamedTuple

from envs.bitboard import BoardMasks
from envs.jit import Words, fetch_ahead, inlined, zeros

BOUND_BITS = 7
WORK_BITS = 6
PAYLOAD_BITS = 2 * BOUND_BITS + WORK_BITS
ENTRY_BITS = 63
HASH_MULTIPLIER = 0x9E3779B97F4A7C15 - (1 << 64)
"""2**64 over the golden ratio, as a signed word (D. E. Knuth, TAOCP 3, 6.4): an odd number, so
that multiplying maps keys one to one."""


class TableLayout(NamedTuple):
    """Where the parts of a key and of an entry lie."""

    bucket_bits: int
    check_bits: int
    generation_bits: int
    offset: int
    """Added to a bound to make it positive."""


class ScoreTable(NamedTuple):
    """A table as one search sees it."""

    layout: TableLayout
    entries: Words
    generation: int
    """Entries of other generations count as empty."""


def table_layout(board: BoardMasks, megabytes: int) -> TableLayout:
    """Lay out the largest table of at most so many megabytes.

    Where that leaves an entry too few bits for the key (on the largest boards), the smallest table
    that leaves enough.
    """
    key_bits = (board.rows + 1) * board.columns
    least_bits = key_bits + PAYLOAD_BITS + 1 - ENTRY_BITS
    bucket_bits = min(max((megabytes << 20).bit_length() - 5, least_bits), key_bits - 1)
    check_bits = key_bits - bucket_bits
    generation_bits = min(ENTRY_BITS - PAYLOAD_BITS - check_bits, 20)
    return TableLayout(bucket_bits, check_bits, generation_bits, board.cells // 2 + 1)


def empty_table(layout: TableLayout) -> Words:
    """Make a table without entries."""
    return zeros(2 << layout.bucket_bits)


@inlined
def position_key(board: BoardMasks, mover: int, mask: int, mirrored: bool) -> int:
    """Compute a number of this position alone, or of it and its mirror image."""
    key = mover + mask
    if mirrored:
        height = board.rows + 1
        image = 0
        for column in range(board.columns):
            cells = (key >> (height * column)) & ((1 << height) - 1)
            image |= cells << (height * (board.columns - 1 - column))
        key = min(key, image)
    return key


@inlined
def bucket_and_tag(table: ScoreTable, key: int) -> tuple[int, int]:
    """Compute the index of the key's bucket, and the highest bits of its entries."""
    layout = table.layout
    product = key * HASH_MULTIPLIER
    bucket = (product >> layout.check_bits) & ((1 << layout.bucket_bits) - 1)
    check = product & ((1 << layout.check_bits) - 1)
    return 2 * bucket, (check << layout.generation_bits) | table.generation


@inlined
def fetch_bucket(table: ScoreTable, key: int) -> None:
    """Fetch the entries of a position from memory, to be read soon."""
    bucket, _ = bucket_and_tag(table, key)
    fetch_ahead(table.entries, bucket)


@inlined
def stored_bounds(table: ScoreTable, key: int) -> tuple[bool, int, int]:
    """Look up whether a position is in the table, and the lower and upper bound of its score."""
    bucket, tag = bucket_and_tag(table, key)
    entry = table.entries[bucket]
    if entry >> PAYLOAD_BITS != tag:
        entry = table.entries[bucket + 1]
    bounds = (1 << BOUND_BITS) - 1
    lower = (entry & bounds) - table.layout.offset
    upper = ((entry >> BOUND_BITS) & bounds) - table.layout.offset
    return entry >> PAYLOAD_BITS == tag, lower, upper


@inlined
def store_bounds(table: ScoreTable, key: int, lower: int, upper: int, nodes: int) -> None:
    """Enter bounds that a search of so many nodes proved, beside the known ones."""
    layout, entries = table.layout, table.entries
    bucket, tag = bucket_and_tag(table, key)
    work = bit_length(nodes)
    place = bucket
    first, second = entries[bucket], entries[bucket + 1]
    known = 0
    if first >> PAYLOAD_BITS == tag:
        known = first
    elif second >> PAYLOAD_BITS == tag:
        known = second
        place = bucket + 1
    elif (first >> PAYLOAD_BITS) & ((1 << layout.generation_bits) - 1) == table.generation and (
        first >> (2 * BOUND_BITS)
    ) & ((1 << WORK_BITS) - 1) > work:
        place = bucket + 1  # the first entry took more work: it stays
    else:
        entries[bucket + 1] = first
    if known:
        bounds = (1 << BOUND_BITS) - 1
        lower = max(lower, (known & bounds) - layout.offset)
        upper = min(upper, ((known >> BOUND_BITS) & bounds) - layout.offset)
    entries[place] = (
        (tag << PAYLOAD_BITS)
        | (work << (2 * BOUND_BITS))
        | ((upper + layout.offset) << BOUND_BITS)
        | (lower + layout.offset)
    )


@inlined
def bit_length(number: int) -> int:
    """Count the bits that a number of at least 0 takes."""
    number |= number >> 1
    number |= number >> 2
    number |= number >> 4
    number |= number >> 8
    number |= number >> 16
    number |= number >> 32
    return number.bit_count()
