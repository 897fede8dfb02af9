"""Changes of bytes, by chance: most of them small, and some where a text has numbers."""

import re
from collections.abc import Callable
from random import Random

NUMBER = re.compile(rb"-?\d+(\.\d+)?")
NUMBERS = [
    *(b"-1", b"0", b"1", b"7", b"255", b"65536", b"99999999999999999999", b"9" * 5000, b"1e999"),
    *(b"NaN", b"-Infinity", b"null", b"true", b'"x"', b"[]", b"{}", b"1.5", b"0x10", b"[" * 99_999),
    *(b"[" * 950 + b"]" * 950, rb'"\u001b[2J\n"', b'"%s"' % (rb"\u009b" * 9999)),
]


def changed(rng: Random, content: bytes) -> bytes:
    """The content after one to four changes, of which most are small."""
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        change = rng.choice(CHANGES)
        content = change(rng, content) if content else content
    return content


def flip(rng: Random, content: bytes) -> bytes:
    place = rng.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << rng.randrange(8)]) + content[place + 1 :]


def replace(rng: Random, content: bytes) -> bytes:
    place, length = rng.randrange(len(content)), rng.choice([1, 1, 2, 4, 8])
    filling = rng.choice([b"\0", b"\xff", b"\x7f", b"\x80", rng.randbytes(1)]) * length
    return content[:place] + filling + content[place + length :]


def insert(rng: Random, content: bytes) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.randbytes(rng.choice([1, 1, 3, 50])) + content[place:]


def delete(rng: Random, content: bytes) -> bytes:
    place = rng.randrange(len(content))
    return content[:place] + content[place + rng.choice([1, 1, 4, 100]) :]


def truncate(rng: Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content))]


def repeat(rng: Random, content: bytes) -> bytes:
    first, last = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return content[:last] + content[first:last] + content[last:]


def repeat_line(rng: Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
    return b"\n".join(lines)


def renumber(rng: Random, content: bytes) -> bytes:
    """Another number, where there is one in the text."""
    found = list(NUMBER.finditer(content[:100_000]))
    if not found:
        return flip(rng, content)
    begin, end = rng.choice(found).span()
    return content[:begin] + rng.choice(NUMBERS) + content[end:]


CHANGES: list[Callable[[Random, bytes], bytes]] = [
    *(flip, replace, insert, delete, truncate, repeat, repeat_line),
    *[renumber] * 3,
]
