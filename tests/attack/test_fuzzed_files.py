"""Every file that is read, with bytes changed: it is read, or refused in a sentence."""

import io
import re
import zipfile
from functools import partial
from pathlib import Path
from random import Random

import pytest

from tests.attack.changes import changed
from tests.attack.written_files import FORMATS, Layer
from tests.helpers.attacks import Tally, chance, fault_of_reading, scaled

pytestmark = pytest.mark.attack

FILES = 250
"""Of each kind."""
MOST_FAULTS = 10
"""Enough failures to stop, for each may have taken all of its time."""


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
