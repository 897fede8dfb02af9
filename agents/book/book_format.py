"""Opening books and repertoires as bytes.

An opening book:

    offset  size  content
         0     4  "CXBK"
         4     2  version of the format: 1
         6     8  rows, columns, inarow, plies: 2 bytes each
        14     n  the score of each position after `plies` plies, a signed byte, in ascending
                  order of their keys (`agents.book.book_positions`); compressed by zlib
    14 + n     4  CRC-32 of all bytes before

Numbers are little-endian. Scores are exact, from the view of the player to move, on the scale of
`agents.solver.solver.ScoreBounds`. The positions themselves are not in it, since they follow from
the rules, nor are the scores after fewer plies, which follow from these.

A repertoire:

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

import zlib
from functools import lru_cache
from struct import Struct
from typing import NamedTuple

from agents.book.book_positions import FEW_POSITIONS, BookScope
from agents.book.repertoire import Repertoire, RepertoireScope
from agents.book.retrieval import BitField
from agents.options import file_content
from agents.package_file import PackageFile
from envs.bitboard import fits_in_word
from envs.compiled.jit import Words

BOOK_MAGIC = b"CXBK"
BOOK_VERSION = 1
BOOK_HEADER = Struct("<4sHHHHH")
BOOK_CHECKSUM = Struct("<I")
MOST_FOLDED = 16
"""Scores that a byte of a file may unfold to: several times as many as in large books."""
DAMAGED_BOOK = "this opening book is damaged: build it again with `connectx book`"


class BookContent(NamedTuple):
    """The content of a book's file."""

    scope: BookScope
    deepest_scores: Words
    """The scores of the positions after `scope.plies` plies, in ascending order of their keys."""


def encode_book(content: BookContent) -> bytes:
    """The bytes of a book."""
    import numpy as np

    scope, scores = content
    header = BOOK_HEADER.pack(
        BOOK_MAGIC, BOOK_VERSION, scope.rows, scope.columns, scope.inarow, scope.plies
    )
    data = header + zlib.compress(scores.astype(np.int8).tobytes(), 9)
    return data + BOOK_CHECKSUM.pack(zlib.crc32(data))


def decode_book(data: bytes) -> BookContent:
    """The content of a book's bytes.

    Raises:
        ValueError: they are no book, a book in another version of the format, or damaged.
    """
    if len(data) < BOOK_HEADER.size + BOOK_CHECKSUM.size or not data.startswith(BOOK_MAGIC):
        raise ValueError("this is no opening book: build one with `connectx book`")
    import numpy as np

    _, version, rows, columns, inarow, plies = BOOK_HEADER.unpack_from(data)
    if version != BOOK_VERSION:
        raise ValueError(
            f"this opening book has version {version} of the format, and {BOOK_VERSION} is read: "
            "build it again with `connectx book`"
        )
    body, checksum = data[: -BOOK_CHECKSUM.size], data[-BOOK_CHECKSUM.size :]
    if BOOK_CHECKSUM.pack(zlib.crc32(body)) != checksum:
        raise ValueError(DAMAGED_BOOK)
    scores = np.frombuffer(_unfolded(body[BOOK_HEADER.size :]), np.int8).astype(np.int64)
    return BookContent(BookScope(rows, columns, inarow, plies), scores)


def _unfolded(content: bytes) -> bytes:
    """Decompress scores, of which few fit into few bytes."""
    unfolding = zlib.decompressobj()
    try:
        scores = unfolding.decompress(content, FEW_POSITIONS + MOST_FOLDED * len(content))
    except zlib.error as error:
        raise ValueError(DAMAGED_BOOK) from error
    if not unfolding.eof or unfolding.unused_data:
        raise ValueError(DAMAGED_BOOK)
    return scores


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
    return data + REPERTOIRE_CHECKSUM.pack(zlib.crc32(data))


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
    if REPERTOIRE_CHECKSUM.pack(zlib.crc32(content)) != checksum:
        raise ValueError(
            "this repertoire is damaged: compute it again with `connectx book --repertoire`"
        )
    rows, columns, inarow, *plies, seed, segment, segments = numbers
    scope = RepertoireScope(
        rows, columns, inarow, *(-1 if count == NO_PLIES else count for count in plies)
    )
    field = BitField(seed, segment, segments, content[REPERTOIRE_HEADER.size :])
    if not (fits_in_word(rows, columns, inarow) and field.is_whole):
        raise ValueError("this repertoire says wrong sizes: compute it again")
    scope.check()
    return Repertoire(scope, field)


REPERTOIRE = PackageFile("agents.book", "repertoire.cxrp")
"""Connect Four: all that either player can meet up to ply 20."""


@lru_cache(maxsize=1)
def shipped_repertoire() -> Repertoire:
    """The repertoire that comes with the package: 6 rows, 7 columns, 4 in a row."""
    return decode_repertoire(REPERTOIRE.read())


SHIPPED_TRAPS = "shipped"
"""Names the book of traps that comes with the package: for player 2 of Connect Four."""


def traps_content(traps: str | bytes) -> bytes:
    """Read the book of traps that an option names: a repertoire whose moves set traps.

    Raises:
        OSError: it cannot be read.
    """
    if traps != SHIPPED_TRAPS:
        return file_content(traps)
    return PackageFile("agents.book", "traps.cxrp").read()


@lru_cache(maxsize=2)
def known_traps(traps: str | bytes) -> Repertoire:
    """The book of traps that an option names, which agents share."""
    return decode_repertoire(traps_content(traps))
