"""The solver's transposition table: bounds of scores, each entry in one word.

Words have 64 bits, or as many as the board needs. From the lowest bit: lower bound and upper bound
(7 bits each, shifted to be positive), the size of the search that found them (6 bits), the
generation that wrote the entry, and the part of the position's key that does not follow from its
place in the table. So an entry is read and written atomically, even by threads that share the
table, and is never taken for another position's. Two entries make a bucket: the one that took more
work stays, and a new entry replaces the other. Entries of an old generation count as empty, so a
new generation empties the table at once.

The table has two parts. Most positions of a search have few cells left, and searching them again
is faster than an access to main memory: they are in the near part, which stays in the processor's
cache. The far part is for positions whose search takes longer than such an access.

A wide entry is read and written in parts of 64 bits, between which another thread may write. Its
lowest part has the bounds, the generation and 36 bits of the key, in addition to the bits that
follow from its place. So an entry mixed from two threads is mistaken for a position's only if two
positions agree in all of these bits, and the threads collide within nanoseconds in one of many
thousand buckets: in at most one of 2^36 such collisions. A single thread never sees a mixed entry.
"""

from typing import NamedTuple

from envs.bitboard import BoardMasks
from envs.compiled.jit import Words, bits_of_word, fetch_ahead, inlined, zeros

BOUND_BITS = 7
WORK_BITS = 6
PAYLOAD_BITS = 2 * BOUND_BITS + WORK_BITS
GENERATION_BITS = 20
WIDE_GENERATION_BITS = 8  # few, to leave more of a wide entry's lowest part to the key
NEAR_BUCKET_BITS = 15
"""Bits of a bucket's number in the near part. With words of 64 bits the part takes 512 kB, which
fit into a second-level cache of 1 MB. A fixed size makes a search's nodes the same everywhere."""
FAR_LEFT = 18  # with more cells left, a position is in the far part
MOST_CELLS = 124  # the most cells of a board whose bounds fit into their bits
HASH_MULTIPLIERS = {
    bits: (0x9E3779B97F4A7C15F39CC0605CEDC8341082276BF3A27251F86C6A11D0C18E95 >> (256 - bits) | 1)
    - (1 << bits)
    for bits in (64, 128, 256)
}
"""By the bits of a word: 2**bits over the golden ratio, as a signed word (D. E. Knuth, TAOCP 3,
6.4): an odd number, so that multiplying maps keys one to one."""


class TablePart(NamedTuple):
    """The place of a part's entries, and the widths of the fields of keys and entries."""

    first: int  # index of its first entry
    bucket_bits: int
    check_bits: int
    generation_bits: int
    check: int  # mask of a check, the part of a key's product that an entry stores; a word


class TableLayout(NamedTuple):
    """The places of a table's parts."""

    near: TablePart
    far: TablePart  # the same as the near part on boards whose keys leave no room for a small part
    offset: int  # added to a bound to make it positive
    multiplier: int  # a word by which keys are multiplied; see `HASH_MULTIPLIERS`


class ScoreTable(NamedTuple):
    """A table, with the current generation of one search."""

    layout: TableLayout
    entries: Words
    generation: int  # entries of other generations count as empty


def table_layout(board: BoardMasks, megabytes: int) -> TableLayout:
    """Lay out a table with the largest far part that fits into `megabytes`.

    If this leaves an entry too few bits for the key (on the largest boards), the table has a single
    part, the smallest that leaves enough bits.
    """
    word, word_bits = type(board.board), bits_of_word(board.board)
    buckets = (megabytes << 20) // (2 * word_bits // 8)
    most_bits = buckets.bit_length() - 1
    near = _part(board, 0, NEAR_BUCKET_BITS)
    far = _part(board, 2 << near.bucket_bits, most_bits)
    if not far.bucket_bits > near.bucket_bits == NEAR_BUCKET_BITS:
        near = far = _part(board, 0, most_bits)
    return TableLayout(
        near, far, offset=board.cells // 2 + 1, multiplier=word(HASH_MULTIPLIERS[word_bits])
    )


def _part(board: BoardMasks, first: int, bucket_bits: int) -> TablePart:
    """A part of 2**`bucket_bits` buckets, or of more if entries have no room for the key."""
    word = type(board.board)
    key_bits = (board.rows + 1) * board.columns
    entry_bits = bits_of_word(board.board) - 1
    least_bits = key_bits + PAYLOAD_BITS + 1 - entry_bits
    bucket_bits = min(max(bucket_bits, least_bits), key_bits - 1)
    check_bits = key_bits - bucket_bits
    most_generation_bits = GENERATION_BITS if word is int else WIDE_GENERATION_BITS
    return TablePart(
        first,
        bucket_bits,
        check_bits,
        min(entry_bits - PAYLOAD_BITS - check_bits, most_generation_bits),
        check=word((1 << check_bits) - 1),
    )


def table_length(layout: TableLayout) -> int:
    """The number of entries of a table."""
    return layout.far.first + (2 << layout.far.bucket_bits)


def empty_table(layout: TableLayout) -> Words:
    """Make a table without entries."""
    return zeros(table_length(layout), word=type(layout.multiplier))


@inlined
def next_generation(layout: TableLayout, entries: Words, generation: int) -> int:
    """Empty a table, and return its new generation.

    A part is cleared when the generation's number in its entries wraps around to 0, which is never
    used: an entry of 0 is empty.
    """
    generation += 1
    for part in (layout.far, layout.near):
        if not generation_in(part, generation):
            for place in range(part.first, part.first + (2 << part.bucket_bits)):
                entries[place] = 0
    return generation + (not generation_in(layout.near, generation))


@inlined
def generation_in(part: TablePart, generation: int) -> int:
    """The lowest bits of a generation's number, which the entries of a part store."""
    return generation & ((1 << part.generation_bits) - 1)


@inlined
def part_of(layout: TableLayout, left: int) -> TablePart:
    """The part of a table for positions with `left` free cells."""
    return layout.far if left > FAR_LEFT else layout.near


@inlined
def bucket_and_tag(table: ScoreTable, key: int, left: int) -> tuple[int, int]:
    """Compute the index of the key's bucket, and the highest bits of its entries."""
    part = part_of(table.layout, left)
    product = key * table.layout.multiplier
    # If a key fills its word, this shift copies the sign; the mask removes the copies.
    bucket = int((product >> part.check_bits) & ((1 << part.bucket_bits) - 1))
    check = product & part.check
    generation = generation_in(part, table.generation)
    return part.first + 2 * bucket, (check << part.generation_bits) | generation


@inlined
def fetch_bucket(table: ScoreTable, key: int, left: int) -> None:
    """Prefetch the entries of a position into the cache."""
    bucket, _ = bucket_and_tag(table, key, left)
    fetch_ahead(table.entries, bucket)


@inlined
def stored_bounds(table: ScoreTable, key: int, left: int) -> tuple[bool, int, int]:
    """Whether a position is in the table, and the lower and upper bound of its score."""
    bucket, tag = bucket_and_tag(table, key, left)
    entry = table.entries[bucket]
    if entry >> PAYLOAD_BITS != tag:
        entry = table.entries[bucket + 1]
    bounds = (1 << BOUND_BITS) - 1
    lower = int(entry & bounds) - table.layout.offset
    upper = int((entry >> BOUND_BITS) & bounds) - table.layout.offset
    return entry >> PAYLOAD_BITS == tag, lower, upper


@inlined
def store_bounds(
    table: ScoreTable, key: int, left: int, lower: int, upper: int, nodes: int
) -> None:
    """Enter bounds proven by a search of `nodes` nodes, combined with the known ones."""
    entries, offset = table.entries, table.layout.offset
    bucket, tag = bucket_and_tag(table, key, left)
    part = part_of(table.layout, left)
    work = bit_length(nodes)
    place = bucket
    first, second = entries[bucket], entries[bucket + 1]
    known = 0
    if first >> PAYLOAD_BITS == tag:
        known = first
    elif second >> PAYLOAD_BITS == tag:
        known = second
        place = bucket + 1
    elif (
        generation_in(part, (first >> PAYLOAD_BITS) ^ tag) == 0
        and (first >> (2 * BOUND_BITS)) & ((1 << WORK_BITS) - 1) > work
    ):
        place = bucket + 1  # the first entry took more work: it stays
    else:
        entries[bucket + 1] = first  # the first entry replaces the second
    if known:
        bounds = (1 << BOUND_BITS) - 1
        lower = max(lower, int(known & bounds) - offset)
        upper = min(upper, int((known >> BOUND_BITS) & bounds) - offset)
    entries[place] = (
        (tag << PAYLOAD_BITS)
        | (work << (2 * BOUND_BITS))
        | ((upper + offset) << BOUND_BITS)
        | (lower + offset)
    )


@inlined
def bit_length(number: int) -> int:
    """The bit length of a number of at least 0."""
    number |= number >> 1  # copies the highest bit to all bits below
    number |= number >> 2
    number |= number >> 4
    number |= number >> 8
    number |= number >> 16
    number |= number >> 32
    return number.bit_count()
