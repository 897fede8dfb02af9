"""Every file that is read, with bytes changed: it is read, or refused in a sentence."""

import io
import re
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest

from tests.attack.written_files import FORMATS, Layer
from tests.helpers.attacks import Tally, chance, fault_of_reading, scaled

pytestmark = pytest.mark.attack

FILES = 250
"""Of each kind."""
MOST_FAULTS = 10
"""Enough failures to stop, for each may have taken all of its time."""


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


def changed_entry(rng: Random, archive: bytes) -> bytes:
    """One file of a zip is changed, and packed again."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(file, "w") as new:
        chosen = rng.choice(old.namelist())
        for name in old.namelist():
            content = old.read(name)
            if name == chosen:
                # What an array says of itself counts for as much as all of its numbers.
                place = rng.choice([128, len(content)])
                content = changed(rng, content[:place]) + content[place:]
            new.writestr(name, content)
    return file.getvalue()


def fuzzed(rng: Random, good: bytes, layer: Layer | None) -> bytes:
    """A file that is changed, at times below what lies around its content."""
    if rng.random() < 0.5:
        if good.startswith(b"PK"):
            return changed_entry(rng, good)
        if layer is not None:
            return layer.fold(changed(rng, layer.unfold(good)), good, rng)
    return changed(rng, good)


@pytest.mark.parametrize("name", FORMATS)
def test_changed_files_are_read_or_refused(name: str, tmp_path: Path, tally: Tally) -> None:
    written, rng = FORMATS[name], chance("files", name)
    good = written.write(tmp_path)
    written.read(good)  # which also compiles what is to be compiled
    content = good.read_bytes()
    target = tmp_path / "fuzzed"
    target.mkdir()
    target /= good.name
    kinds, faults = dict[str, str](), 0
    for number in range(scaled(FILES)):
        other = fuzzed(rng, content, written.layer)
        target.write_bytes(other)
        tally.add(f"fuzzed bytes of {name}", len(other))
        tally.add("fuzzed files")
        fault = fault_of_reading(partial(written.read, target))
        if fault is not None:
            kinds.setdefault(re.sub(r"\W?\w*\d\w*", "#", fault)[:60], f"file {number}: {fault}")
            faults += 1
            if faults == MOST_FAULTS:
                break
    for fault in kinds.values():
        tally.hold(False, fault)
