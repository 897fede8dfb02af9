"""A bit for each key of a set, in little more than one bit per key: the keys are not stored.

Each key has three places in a bit field, and the exclusive or of their bits is the key's bit. A
number that is not a key gets a meaningless bit, so the reader must know which keys are in the set.
The places are in neighbouring segments, so that 1.13 places per key suffice to fill the field by
"peeling": keys with a place that no other remaining key uses are removed one after the other, and
in reverse order each key's bit is set by that place.

M. Dietzfelbinger and R. Pagh, "Succinct Data Structures for Retrieval and Approximate Membership"
(2008); T. M. Graf and D. Lemire, "Binary Fuse Filters" (2022) for the segments.
"""

from collections.abc import Mapping, Sequence
from math import ceil, log
from typing import NamedTuple

WORD = (1 << 64) - 1
LARGEST_SEGMENT = 1 << 14


class BitField(NamedTuple):
    """The bits of a set of keys."""

    seed: int  # the seed of the hash function
    segment: int  # places in a segment, a power of two
    segments: int  # the number of segments, at least 3
    bits: bytes  # place by place, from the lowest bit of the first byte on

    @property
    def is_whole(self) -> bool:
        """Whether the sizes are valid and all bits are present."""
        size = self.segment * self.segments
        is_power = self.segment.bit_count() == 1 and self.segment <= LARGEST_SEGMENT
        return is_power and self.segments >= 3 and len(self.bits) == (size + 7) // 8

    def get(self, key: int) -> int:
        """The bit of a key, 0 or 1; meaningless for numbers that are not keys."""
        bits = self.bits
        found = 0
        for place in places_of(key, self.seed, self.segment, self.segments):
            found ^= bits[place >> 3] >> (place & 7)
        return found & 1


def places_of(key: int, seed: int, segment: int, segments: int) -> tuple[int, int, int]:
    """The three places of a key of at least 0, by S. Vigna's splitmix64 as the hash function."""
    high = (key >> 64) + 1
    mixed = (key + high * (2 * seed + 1) * 0x9E3779B97F4A7C15) & WORD
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB & WORD
    mixed ^= mixed >> 31
    first = segment * ((mixed >> 42) * (segments - 2) >> 22)
    low = segment - 1
    return (
        first + (mixed & low),
        first + segment + (mixed >> 14 & low),
        first + 2 * segment + (mixed >> 28 & low),
    )


def make_bit_field(content: Mapping[int, int]) -> BitField:
    """The field with a bit for each key; keys are at least 0."""
    segment, segments = shape_of(len(content))
    seed = 0
    while True:
        places = [places_of(key, seed, segment, segments) for key in content]
        order = peeling_order(places, segment * segments)
        if len(order) == len(content):
            bits = _filled(list(content.values()), places, order, segment * segments)
            return BitField(seed, segment, segments, bits)
        seed += 1
        segments += 1 + segments // 100


def shape_of(keys: int) -> tuple[int, int]:
    """The length of a segment and the number of segments for `keys` keys, after Graf and Lemire.

    Small fields have relatively more spare places.
    """
    keys = max(keys, 2)
    segment = min(LARGEST_SEGMENT, 1 << max(3, int(log(keys) / log(3.33) + 2.25)))
    room = max(1.125, 0.875 + 0.25 * log(1e6) / log(keys))
    return segment, max(3, ceil(keys * room / segment))


def peeling_order(places: Sequence[tuple[int, int, int]], size: int) -> list[tuple[int, int]]:
    """The indices of keys in the order in which they are peeled, each with its own place.

    Some keys are missing if too many keys share their places.
    """
    users, sharing = [0] * size, [0] * size
    for number, three in enumerate(places):
        for place in three:
            users[place] += 1
            sharing[place] ^= number
    alone = [place for place in range(size) if users[place] == 1]
    order = []
    while alone:
        place = alone.pop()
        if users[place] != 1:
            continue
        number = sharing[place]
        order.append((number, place))
        for other in places[number]:
            users[other] -= 1
            sharing[other] ^= number
            if users[other] == 1:
                alone.append(other)
    return order


def _filled(
    bits: Sequence[int],
    places: Sequence[tuple[int, int, int]],
    order: Sequence[tuple[int, int]],
    size: int,
) -> bytes:
    field = bytearray(size + -size % 8)
    for number, own in reversed(order):
        one, two, three = places[number]
        field[own] = bits[number] ^ field[one] ^ field[two] ^ field[three]
    return bytes(
        sum(field[first + place] << place for place in range(8)) for first in range(0, size, 8)
    )
