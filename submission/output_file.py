"""Files that a command writes."""

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


def require_distinct(*paths: Path | None) -> None:
    """Find out whether a command would write one file over another.

    Raises:
        ValueError: two of the files are one.
    """
    named = [path.resolve() for path in paths if path is not None]
    for path in named:
        if named.count(path) > 1:
            raise ValueError(f"{path} is named for two things: choose another file for one of them")


def replace_content(path: Path, content: bytes) -> None:
    """Write a file so that whoever reads it, after an interrupt too, finds the old or the new one.

    Raises:
        OSError: it cannot be written.
    """
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.write_bytes(content)
    unfinished.replace(path)
