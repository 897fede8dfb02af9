"""The file formats of opening books and repertoires; numbers are little-endian.

An opening book:

    offset  size  content
         0     4  "CXBK"
         4     2  version of the format: 1
         6     8  rows, columns, inarow, plies: 2 bytes each
        14     n  the score of each position after `plies` plies, a signed byte, in ascending
                  order of their keys (`agents.book.book_positions`); compressed by zlib
    14 + n     4  CRC-32 of all bytes before

Scores are exact, from the view of the player to move, on the scale of
`agents.solver.solver.ScoreBounds`. The file omits the positions, which follow from the rules, and
the scores after fewer plies, which follow from the stored ones.

A repertoire:

    offset  size  content
         0     4  "CXRP"
         4     2  version of the format: 1
         6     6  rows, columns, inarow: 2 bytes each
        12     6  the last plies with moves, 2 bytes each, signed, -1 for none: in all positions,
                  in those that player 1 meets, in those that player 2 meets
        18     2  seed of the bit field's hash function
        20     2  places in a segment of the bit field
        22     4  segments of the bit field
        26     n  the bits, place by place, from the lowest bit of the first byte on
    26 + n     4  CRC-32 of all bytes before

`agents.book.repertoire` and `agents.book.retrieval` explain the bits.
"""

import zlib
from collections.abc import Iterable
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

MOST_FOLDED = 16
"""The most scores per byte that a file may decompress to: several times those of large books."""
VERSION = 1  # the version of both formats
CHECKSUM = Struct("<I")


class FileKind(NamedTuple):
    """A kind of file: a header, a content and a checksum."""

    name: str
    magic: bytes
    header: Struct  # magic, version, and then numbers
    command: str  # the command that makes such a file, for error messages

    def encode(self, numbers: Iterable[int], content: bytes) -> bytes:
        """The bytes of a file."""
        data = self.header.pack(self.magic, VERSION, *numbers) + content
        return data + CHECKSUM.pack(zlib.crc32(data))

    def decode(self, data: bytes) -> tuple[list[int], bytes]:
        """The numbers of the header, and the content.

        Raises ValueError if the data are of another kind or format version, or damaged.
        """
        if len(data) < self.header.size + CHECKSUM.size or not data.startswith(self.magic):
            raise ValueError(f"this is not a valid {self.name}: compute one with {self.command}")
        _, version, *numbers = self.header.unpack_from(data)
        if version != VERSION:
            raise self.error(f"has version {version} of the format, not {VERSION}")
        body, checksum = data[: -CHECKSUM.size], data[-CHECKSUM.size :]
        if CHECKSUM.pack(zlib.crc32(body)) != checksum:
            raise self.error("is damaged")
        return numbers, body[self.header.size :]

    def error(self, fault: str) -> ValueError:
        """The error for a faulty file, with advice."""
        return ValueError(f"this {self.name} {fault}: compute it again with {self.command}")


BOOK = FileKind("opening book", b"CXBK", Struct("<4sHHHHH"), "`connectx book`")
REPERTOIRES = FileKind(
    "repertoire", b"CXRP", Struct("<4sHHHHhhhHHI"), "`connectx book --repertoire` or `--traps`"
)


class BookContent(NamedTuple):
    """The content of a book's file."""

    scope: BookScope
    deepest_scores: Words
    """The scores of the positions after `scope.plies` plies, in ascending order of their keys."""


def encode_book(content: BookContent) -> bytes:
    """The bytes of a book."""
    import numpy as np

    scope, scores = content
    numbers = scope.rows, scope.columns, scope.inarow, scope.plies
    return BOOK.encode(numbers, zlib.compress(scores.astype(np.int8).tobytes(), 9))


def decode_book(data: bytes) -> BookContent:
    """The content of a book's bytes; raises like `FileKind.decode`."""
    import numpy as np

    numbers, content = BOOK.decode(data)
    unfolding = zlib.decompressobj()
    try:
        unfolded = unfolding.decompress(content, FEW_POSITIONS + MOST_FOLDED * len(content))
    except zlib.error as error:
        raise BOOK.error("is damaged") from error
    if not unfolding.eof or unfolding.unused_data:
        raise BOOK.error("is damaged")
    return BookContent(BookScope(*numbers), np.frombuffer(unfolded, np.int8).astype(np.int64))


def encode_repertoire(scope: RepertoireScope, field: BitField) -> bytes:
    """The bytes of a repertoire."""
    return REPERTOIRES.encode((*scope, *field[:3]), field.bits)


def decode_repertoire(data: bytes) -> Repertoire:
    """The repertoire in these bytes; raises like `FileKind.decode`."""
    (*numbers, seed, segment, segments), bits = REPERTOIRES.decode(data)
    scope, field = RepertoireScope(*numbers), BitField(seed, segment, segments, bits)
    if not (fits_in_word(*scope[:3]) and field.is_whole):
        raise REPERTOIRES.error("has wrong sizes")
    scope.check()
    return Repertoire(scope, field)


REPERTOIRE = PackageFile("agents.book", "repertoire.cxrp")
"""Connect Four: every position that either player can meet up to ply 20."""


@lru_cache(maxsize=1)
def shipped_repertoire() -> Repertoire:
    """The repertoire that comes with the package: 6 rows, 7 columns, 4 in a row."""
    return decode_repertoire(REPERTOIRE.read())


SHIPPED_TRAPS = "shipped"
"""Names the package's own book of traps, a repertoire of traps for player 2 of Connect Four."""


def traps_content(traps: str | bytes) -> bytes:
    """Read the book of traps named by an option; an OSError if it cannot be read."""
    if traps != SHIPPED_TRAPS:
        return file_content(traps)
    return PackageFile("agents.book", "traps.cxrp").read()


@lru_cache(maxsize=1)
def shipped_traps() -> Repertoire:
    """The book of traps that comes with the package."""
    return decode_repertoire(traps_content(SHIPPED_TRAPS))
