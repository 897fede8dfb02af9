"""Files that a command writes at its end."""

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
        raise OSError(
            f"cannot write {path} ({error.strerror}): choose a file in a folder that exists and "
            "can be written"
        ) from error
