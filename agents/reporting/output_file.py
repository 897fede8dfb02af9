"""Files that a command writes."""

from collections.abc import Iterable
from pathlib import Path


def require_writable(path: Path) -> None:
    """Find out whether a file can be written, before the work that fills it; leaves it as it is.

    Raises:
        OSError: it cannot; the message says why.
    """
    try:
        is_new = not path.exists()
        with path.open("ab"):
            pass
        if is_new:
            path.unlink()
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> OSError:
    """The error of a file that cannot be opened to write, with advice."""
    return OSError(
        f"cannot write {path} ({error.strerror}): choose a file in a folder that exists and can be "
        "written"
    )


def require_distinct(*written: Path | None, read: Iterable[Path | None] = ()) -> None:
    """Find out whether a command would write one file over another, or over one that it reads.

    Args:
        written: the files that it writes; None is none.
        read: the files that it is given, where one may be named twice; None is none.

    Raises:
        ValueError: two of the files are one.
    """
    inputs = {_identity(path) for path in read if path is not None}
    outputs = set[object]()
    for path in written:
        if path is None:
            continue
        if _identity(path) in inputs:
            raise ValueError(f"{path} is read and would be overwritten: write to another file")
        if _identity(path) in outputs:
            raise ValueError(f"{path} is named for two things: choose another file for one of them")
        outputs.add(_identity(path))


def _identity(path: Path) -> object:
    """An identity that all names of a file share, its links included."""
    try:
        status = path.stat()
    except OSError:  # it is not there yet
        return path.resolve()
    return status.st_dev, status.st_ino


def replace_content(path: Path, content: bytes) -> None:
    """Replace a file at once: a reader finds the old or the new one, after an interrupt too.

    Raises:
        OSError: it cannot be written.
    """
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.write_bytes(content)
    unfinished.replace(path)
