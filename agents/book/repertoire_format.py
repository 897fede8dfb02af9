"""A repertoire as bytes.

    offset  size  content
         0     4  "CXRP"
         4     2  version of the format: 1
         6     6  rows, columns, inarow: 2 bytes each
        12     6  the plies up to which it has moves, 2 bytes each, 65535 for none: in all
                  positions, in those that player 1 meets, in those that player 2 meets
        18     2  seed of the bit field's hash function
        20     2  places in a segment of the bit field
        22     4  segments of the bit field
        26     n  the bits, place by place, from the lowest bit of the first byte on
    26 + n     4  CRC-32 of all bytes before

Numbers are little-endian. What the bits say is in `agents.book.repertoire` and
`agents.book.retrieval`.
"""

from base64 import b85decode
from functools import lru_cache
from struct import Struct
from zlib import crc32

from agents.book.repertoire import Repertoire, RepertoireScope
from agents.book.repertoire_data import SHIPPED_REPERTOIRE
from agents.book.retrieval import BitField

REPERTOIRE_MAGIC = b"CXRP"
REPERTOIRE_VERSION = 1
REPERTOIRE_HEADER = Struct("<4sHHHHHHHHHI")
REPERTOIRE_CHECKSUM = Struct("<I")
NO_PLIES = 65535


def encode_repertoire(scope: RepertoireScope, field: BitField) -> bytes:
    """The bytes of a repertoire."""
    *board, all_plies, first_plies, second_plies = scope
    plies = (count % (NO_PLIES + 1) for count in (all_plies, first_plies, second_plies))
    header = REPERTOIRE_HEADER.pack(
        REPERTOIRE_MAGIC, REPERTOIRE_VERSION, *board, *plies, *field[:3]
    )
    data = header + field.bits
    return data + REPERTOIRE_CHECKSUM.pack(crc32(data))


def decode_repertoire(data: bytes) -> Repertoire:
    """The repertoire that these bytes hold.

    Raises:
        ValueError: they are no repertoire, one in another version of the format, or damaged.
    """
    if len(data) < REPERTOIRE_HEADER.size + REPERTOIRE_CHECKSUM.size or not data.startswith(
        REPERTOIRE_MAGIC
    ):
        raise ValueError("this is no repertoire: compute one with `connectx book --repertoire`")
    _, version, *numbers = REPERTOIRE_HEADER.unpack_from(data)
    if version != REPERTOIRE_VERSION:
        raise ValueError(
            f"this repertoire has version {version} of the format, and {REPERTOIRE_VERSION} is "
            "read: compute it again with `connectx book --repertoire`"
        )
    content, checksum = data[: -REPERTOIRE_CHECKSUM.size], data[-REPERTOIRE_CHECKSUM.size :]
    if REPERTOIRE_CHECKSUM.pack(crc32(content)) != checksum:
        raise ValueError(
            "this repertoire is damaged: compute it again with `connectx book --repertoire`"
        )
    rows, columns, inarow, *plies, seed, segment, segments = numbers
    scope = RepertoireScope(
        rows, columns, inarow, *(-1 if count == NO_PLIES else count for count in plies)
    )
    bits = content[REPERTOIRE_HEADER.size :]
    return Repertoire(scope, BitField(seed, segment, segments, bits))


@lru_cache(maxsize=1)
def shipped_repertoire() -> Repertoire:
    """The repertoire that comes with the package: 6 rows, 7 columns, 4 in a row.

    Raises:
        ValueError: as `decode_repertoire`.
    """
    return decode_repertoire(b85decode(SHIPPED_REPERTOIRE))
