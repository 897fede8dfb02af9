"""Archives as Kaggle takes them, well-formed and malformed."""

import gzip
import io
import tarfile
from pathlib import Path
from typing import Any


def archive(path: Path, *files: tuple[str, bytes]) -> Path:
    """Pack files, each a name and its content, into a `.tar.gz` file."""
    path.write_bytes(gzip.compress(tar(*files), 1))
    return path


def tar(*files: tuple[str, bytes], **last: Any) -> bytes:
    """A tar of files, with a last member given by the fields of its header."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as new:
        for name, content in files:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            new.addfile(entry, io.BytesIO(content))
        if last:
            entry = tarfile.TarInfo()
            for field, value in last.items():
                setattr(entry, field, value)
            new.addfile(entry)
    return file.getvalue()


def header(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0, raw_size: bytes = b"") -> bytes:
    """The header of a member, without content."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.size = kind, size
    raw = bytearray(entry.tobuf(tarfile.GNU_FORMAT))
    raw[124 : 124 + len(raw_size)] = raw_size
    raw[148:156] = b" " * 8
    raw[148:156] = b"%06o\0 " % sum(raw)
    return bytes(raw)
