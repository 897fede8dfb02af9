"""Lays a submission out as Kaggle does: alone in an empty folder, its agent in `main.py`."""

import errno
import gzip
import shutil
import tarfile
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

from submission.sandbox.inside.kaggle_folder import MAIN

ARCHIVES = (".tar.gz", ".tgz")
SUBMISSIONS = (".py", *ARCHIVES)  # the endings of file names that Kaggle takes

GZIP = b"\x1f\x8b"  # every archive begins with it, but no text in UTF-8

MOST_BYTES = 2**29
"""The most bytes of a submission, packed or unpacked: several times Kaggle's limit."""

MOST_MEMBERS = 20_000

MOST_DEPTH = 32  # folders within folders

HEADER_BYTES = 2**12
"""Most bytes, on average, that may describe a member of an archive (mostly its name)."""

MOST_HEADER_BYTES = 2**16  # for the first member


def stage(submission: Path, folder: Path) -> Path:
    """Copy or unpack a submission into an empty folder, and return the file that Kaggle loads.

    It is a `.py` file, or a `.tar.gz` or `.tgz` file with `main.py` at its top.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not a file that Kaggle can load.
        OSError: it cannot be read, or the copy cannot be written.
    """
    _require_file(submission)
    lay_out(submission.read_bytes(), folder, submission)
    require_source(folder / MAIN, submission)
    return folder / MAIN


def lay_out(submission: bytes, folder: Path, path: Path | None = None) -> None:
    """Lay out the content of a submission in a folder that is new or empty.

    Whether it is an archive is decided by the path's name or, without a path, by the content.

    Raises:
        OSError, ValueError: it cannot be written.
    """
    is_archive = path.name.endswith(ARCHIVES) if path else submission.startswith(GZIP)
    try:
        folder.mkdir(exist_ok=True)
        if is_archive:
            unpack(submission, folder, path or "the archive")
        else:
            (folder / MAIN).write_bytes(submission)
    except OSError as error:
        raise OSError(
            f"cannot write a submission into {folder} ({error.strerror}): make room there, or set "
            "TMPDIR to another folder for temporary files"
        ) from error


def _require_file(submission: Path) -> None:
    if not submission.exists():
        raise FileNotFoundError(f"there is no file {submission}: name the submission to check")
    if not submission.is_file():
        raise ValueError(f"{submission} is not a file: name the submission file itself")
    size = submission.stat().st_size
    if size == 0:
        raise ValueError(f"{submission} is empty: write an agent into it")
    if size > MOST_BYTES:
        raise ValueError(f"{submission} has {size} bytes, more than {MOST_BYTES}: shorten it")
    if not submission.name.endswith(SUBMISSIONS):
        raise ValueError(
            f"{submission} is not a submission: name a .py file, or a .tar.gz with {MAIN} in it"
        )


def require_source(main: Path, submission: Path) -> str:
    """The text of `main`, the file of a submission that Kaggle loads.

    Raises:
        ValueError: it is missing, empty, or no text that Kaggle reads.
    """
    if not main.is_file():
        raise ValueError(f"{submission} has no {MAIN} at its top: pack the agent under that name")
    file = f"{MAIN} in {submission}" if submission.name.endswith(ARCHIVES) else submission
    try:
        text = main.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{file} is not UTF-8 text (byte {error.start}), which Kaggle reads: save it as UTF-8"
        ) from error
    if not text.strip():
        raise ValueError(f"{file} is empty: write an agent into it")
    return text


class Rationed:
    """An open file from which at most `allowed` bytes are read.

    tarfile reads a whole header into memory, however long it claims to be.
    """

    def __init__(self, file: gzip.GzipFile, allowed: int) -> None:
        self._file = file
        self.tell, self.seek = file.tell, file.seek
        self.allowed = allowed

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes; raise ValueError if that is more than allowed."""
        if not 0 <= size <= self.allowed:
            raise ValueError("the headers of its files are too long")
        self.allowed -= size
        return self._file.read(size)


UNREADABLE = (tarfile.TarError, zlib.error, EOFError, OSError, RecursionError, ValueError)
"""Raised for archives that are damaged or malicious."""


def unpack(content: bytes, folder: Path, archive: object) -> None:
    """Unpack the content of an archive into an empty folder, and no more than the limits allow.

    Raises:
        ValueError: it is damaged, too large, or contains members that no submission needs.
        OSError: the disk is full.
    """
    fault: str | None = None
    try:
        stream: Any = Rationed(gzip.GzipFile(fileobj=BytesIO(content)), MOST_HEADER_BYTES)
        with tarfile.open(fileobj=stream, mode="r:") as packed:
            left = MOST_BYTES
            for number, member in enumerate(packed, start=1):
                left -= member.size
                if fault := _fault(member, number, left):
                    break
                stream.allowed += HEADER_BYTES + member.size * member.isfile()
                _write(packed, member, folder)
    except UNREADABLE as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise  # the archive may be valid
        fault = f"cannot be unpacked ({error}): pack it again"
    if fault is not None:
        raise ValueError(f"{archive} {fault}")


def _fault(member: tarfile.TarInfo, number: int, left: int) -> str | None:
    """What is wrong with a member, if anything; `left` bytes may still be unpacked after it."""
    path = Path(member.name)
    if member.size < 0 or left < 0 or number > MOST_MEMBERS or len(path.parts) > MOST_DEPTH:
        return "holds too much: pack only what the agent needs"
    if path.anchor or ".." in path.parts:
        return f"holds {str(path)!r}, which is outside its folder: pack it again"
    if not (member.isdir() or member.isfile()) or member.issparse():
        return f"holds {str(path)!r}, which is not a plain file: pack a file instead"
    return None


def _write(packed: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    target = folder / member.name
    content = packed.extractfile(member)
    if content is None:
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with content, target.open("wb") as copy:
        shutil.copyfileobj(content, copy)
    target.chmod(0o600 | member.mode & 0o777)  # it may be a program that the agent runs
