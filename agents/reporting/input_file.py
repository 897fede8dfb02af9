"""Files that a command is given."""

import os
import stat
from io import FileIO
from pathlib import Path

NO_WAITING = getattr(os, "O_NONBLOCK", 0)
"""Opens a named pipe at once, whether or not there is anybody at its other end."""


def read_content(path: str | Path, advice: str, kind: str = "") -> bytes:
    """Read a plain file.

    Args:
        path: the file.
        advice: says in the message of an error what to do instead.
        kind: says there what the file is, as in `the table `, before the path.

    Raises:
        OSError: it cannot be read, or it is a device or a named pipe, which need have no end.
    """
    try:
        with FileIO(path, "rb", opener=open_plain) as file:
            return file.readall()
    except OSError as error:
        raise OSError(f"cannot read {kind}{path} ({error.strerror}): {advice}") from error


def open_plain(path: str, flags: int) -> int:
    """Open a plain file as `os.open`, without waiting for anything; also a folder, which is empty.

    Raises:
        OSError: it cannot be opened, or it is something else.
    """
    descriptor = os.open(path, flags | NO_WAITING, 0o666)
    kind = os.fstat(descriptor).st_mode
    if stat.S_ISREG(kind) or stat.S_ISDIR(kind):  # Python refuses a folder in its own words
        return descriptor
    os.close(descriptor)
    raise OSError(None, "it is no plain file")
