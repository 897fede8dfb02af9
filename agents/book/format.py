"""An opening book as bytes.

    offset  size  content
         0     4  "CXBK"
         4     2  version of the format: 1
         6     8  rows, columns, inarow, plies: 2 bytes each
        14     n  the score of each position after `plies` plies, a signed byte, in ascending
                  order of their keys (`agents.book.positions`); compressed by zlib
    14 + n     4  CRC-32 of all bytes before

Numbers are little-endian. Scores are exact, from the view of the player to move, on the scale of
`agents.exact.solver.ScoreBounds`. The positions themselves are not in it, since they follow from
the rules, nor are the scores after fewer plies, which follow from these.
"""

from base64 import b85encode
from struct import Struct
from typing import NamedTuple
from zlib import compress, crc32, decompress

from agents.book.positions import BookScope
from agents.words import Words

BOOK_MAGIC = b"CXBK"
BOOK_VERSION = 1
BOOK_HEADER = Struct("<4sHHHHH")
BOOK_CHECKSUM = Struct("<I")
LINE_LENGTH = 94


class BookContent(NamedTuple):
    """What is written down of a book."""

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
    data = header + compress(scores.astype(np.int8).tobytes(), 9)
    return data + BOOK_CHECKSUM.pack(crc32(data))


def decode_book(data: bytes) -> BookContent:
    """What the bytes of a book say.

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
    if BOOK_CHECKSUM.pack(crc32(body)) != checksum:
        raise ValueError("this opening book is damaged: build it again with `connectx book`")
    scores = np.frombuffer(decompress(body[BOOK_HEADER.size :]), np.int8).astype(np.int64)
    return BookContent(BookScope(rows, columns, inarow, plies), scores)


def base85_lines(content: bytes) -> str:
    """String literals, a line for each and indented, that together are `content` in base85."""
    text = b85encode(content).decode("ascii")
    starts = range(0, len(text), LINE_LENGTH)
    return "\n".join(f'    "{text[start : start + LINE_LENGTH]}"' for start in starts)
