"""Read the files given to a command, and refuse bad ones in a sentence."""

import json
import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from io import FileIO
from pathlib import Path
from reprlib import Repr
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")
Record = TypeVar("Record", bound="DataclassInstance")

NO_WAITING = getattr(os, "O_NONBLOCK", 0)
"""The flag that opens a named pipe without waiting for a process at its other end."""

LONGEST_QUOTED = 200  # the most characters of untrusted text in a message

MISSHAPEN = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""The errors of reading a document that has another shape than expected."""


def read_content(path: str | Path, advice: str, kind: str = "") -> bytes:
    """Read a plain file.

    Args:
        path: the file.
        advice: what to do instead, for the message of an error.
        kind: what the file is, such as `the table `, before the path in the message.

    Raises:
        OSError: it cannot be read, or it is a device or a named pipe, which may be endless.
    """
    try:
        with FileIO(path, "rb", opener=open_plain) as file:
            return file.readall()
    except OSError as error:
        raise OSError(f"cannot read {kind}{path} ({error.strerror}): {advice}") from error


def open_plain(path: str, flags: int) -> int:
    """Open a plain file or folder as `os.open` does, without waiting; OSError for others."""
    descriptor = os.open(path, flags | NO_WAITING, 0o666)
    kind = os.fstat(descriptor).st_mode
    if stat.S_ISREG(kind) or stat.S_ISDIR(kind):  # Python refuses a folder in its own words
        return descriptor
    os.close(descriptor)
    raise OSError(None, "it is not a plain file")


def read_json(text: str | bytes, kind: type[T]) -> T | None:
    """The value of a JSON text if it is of this kind, a `dict` for instance; else None."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, kind) else None


def read_header(line: str | bytes, expected: str, path: Path, advice: str) -> dict[str, Any]:
    """The fields of a file's first line, a JSON object; a ValueError for another format."""
    fields = read_json(line, dict) or {}
    found = fields.get("format")
    if found != expected:
        wrong = "" if found is None else f", not {quoted(found)}"
        raise ValueError(f"{path} must begin with the format {expected!r}{wrong}: {advice}")
    return fields


def record_of(kind: type[Record], fields: object) -> Record:
    """Make a dataclass from JSON that has exactly its fields and types, as `asdict` gives them.

    Raises:
        ValueError: a field is missing, unknown, of another type or out of its range.
    """
    import msgspec  # late, because most programs that use agents read no records

    try:
        record = msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    for name in _unknown(fields, asdict(record)):
        raise ValueError(f"there is no field {name!r}")
    return record


def _unknown(told: Any, known: Any) -> Iterator[str]:
    """The names in the JSON that are no fields of the record or of a record inside it."""
    if isinstance(told, dict):
        yield from told.keys() - known.keys()
        for name in told.keys() & known.keys():
            yield from _unknown(told[name], known[name])
    elif isinstance(told, list):
        for each, counterpart in zip(told, known, strict=True):
            yield from _unknown(each, counterpart)


@contextmanager
def refused(what: str, advice: str) -> Iterator[None]:
    """Turn the errors that a misshapen file causes in the `with` block into one sentence.

    The sentence is `what` is wrong, as in `games.jsonl, line 3 is damaged`, and then the advice.

    Raises:
        ValueError: the file cannot be read.
    """
    try:
        yield
    except MISSHAPEN as error:
        reason = str(error) if type(error) is ValueError else repr(error)
        raise ValueError(f"{what} ({one_line(reason)}): {advice}") from error


def refused_line(
    path: Path, number: int, advice: str = "delete this line"
) -> AbstractContextManager[None]:
    """Refuse a damaged line in one sentence; lines are counted from 1."""
    return refused(f"{path}, line {number} is damaged", advice)


def quoted(value: object) -> str:
    """An untrusted value as Python writes it, for a sentence: long and deep ones are shortened."""
    short = Repr()
    short.maxstring = LONGEST_QUOTED // 2
    return one_line(short.repr(value))


def one_line(text: object) -> str:
    """Untrusted text, for a sentence: one line of at most `LONGEST_QUOTED` characters.

    Control characters, which could steer a terminal, are escaped.
    """
    line = " ".join(str(text).split())[: LONGEST_QUOTED + 1]
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)
    return shown if len(shown) <= LONGEST_QUOTED else f"{shown[: LONGEST_QUOTED - 1]}…"
