"""Laying a submission out as Kaggle does: alone, in an empty folder, its agent in `main.py`."""

import shutil
import tarfile
import zlib
from io import BytesIO
from pathlib import Path, PurePosixPath

from submission.sandbox.player_process import MAIN

ARCHIVES = (".tar.gz", ".tgz")

GZIP = b"\x1f\x8b"
"""Every archive begins with it, and no text in UTF-8."""

MOST_BYTES = 1_000_000_000
"""More than this is not unpacked."""

MOST_MEMBERS = 20_000


def stage(submission: Path, folder: Path) -> Path:
    """Copy or unpack a submission into an empty folder.

    Args:
        submission: a `.py` file, or a `.tar.gz` or `.tgz` file with `main.py` at its top.
        folder: an existing empty folder.

    Returns:
        Path of the file that Kaggle loads.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not a file that Kaggle can load.
    """
    _require_file(submission)
    main = folder / MAIN
    if submission.name.endswith(".py"):
        shutil.copyfile(submission, main)
    elif submission.name.endswith(ARCHIVES):
        unpack(submission.read_bytes(), folder, submission)
    else:
        raise ValueError(
            f"{submission} is no submission: name a .py file, or a .tar.gz file with {MAIN} in it"
        )
    require_source(main, submission)
    return main


def lay_out(content: bytes, folder: Path) -> None:
    """Write a submission that was read and found in order into an empty folder.

    Args:
        content: of its file.
        folder: an existing empty folder.

    Raises:
        OSError, ValueError: it cannot be written.
    """
    if content.startswith(GZIP):
        unpack(content, folder, "the archive")
    else:
        (folder / MAIN).write_bytes(content)


def _require_file(submission: Path) -> None:
    if not submission.exists():
        raise FileNotFoundError(f"there is no file {submission}: name the submission to check")
    if not submission.is_file():
        raise ValueError(f"{submission} is not a file: name the submission file itself")
    if submission.stat().st_size == 0:
        raise ValueError(f"{submission} is empty: write an agent into it")


def require_source(main: Path, submission: Path) -> str:
    """The text of the file that Kaggle loads.

    Args:
        main: where it should be.
        submission: what was laid out, to be named.

    Raises:
        ValueError: it is missing, empty, or no text that Kaggle reads.
    """
    if not main.is_file():
        raise ValueError(f"{submission} has no {MAIN} at its top: pack the agent under that name")
    try:
        text = main.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{submission} is not UTF-8 text (byte {error.start}), which Kaggle reads: "
            "save it as UTF-8"
        ) from error
    if not text.strip():
        raise ValueError(f"{MAIN} in {submission} is empty: write an agent into it")
    return text


def unpack(content: bytes, folder: Path, archive: object) -> None:
    """Unpack an archive into an empty folder.

    Args:
        content: of its file.
        folder: an existing empty folder.
        archive: its name.

    Raises:
        ValueError: it is damaged, or holds what a submission has no use for.
    """
    try:
        with tarfile.open(fileobj=BytesIO(content), mode="r:gz") as packed:
            _unpack_members(packed, archive, folder)
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise ValueError(f"{archive} cannot be unpacked ({error}): pack it again") from error


def _unpack_members(packed: tarfile.TarFile, archive: object, folder: Path) -> None:
    """Write plain files and folders only, none of them outside of `folder`."""
    size = 0
    for number, member in enumerate(packed, start=1):
        size += member.size
        if size > MOST_BYTES or number > MOST_MEMBERS:
            raise ValueError(f"{archive} unpacks to too much: pack only what the agent needs")
        path = PurePosixPath(member.name)
        if path.is_absolute() or ".." in path.parts:
            raise ValueError(f"{archive} holds {path}, outside of its folder: pack it again")
        target = folder / path
        if member.isdir():
            target.mkdir(parents=True, exist_ok=True)
            continue
        content = packed.extractfile(member) if member.isfile() else None
        if content is None:
            raise ValueError(f"{archive} holds {path}, which is no plain file: pack a file instead")
        target.parent.mkdir(parents=True, exist_ok=True)
        with content, target.open("wb") as copy:
            shutil.copyfileobj(content, copy)
