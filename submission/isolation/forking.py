"""Forks that do one thing and end."""

import contextlib
import os
import traceback
from collections.abc import Callable
from pathlib import Path


def fork(work: Callable[[], None]) -> int:
    """Have a fork of this process do some work and end with it; returns the fork's process id."""
    process_id = os.fork()
    if process_id:
        return process_id
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def close_all_files_but(*kept: int) -> None:
    """Close what a fork has inherited, other than the standard files.

    What still refers to a closed file must not be used or collected any more.
    """
    for file in [int(entry.name) for entry in Path("/dev/fd").iterdir()]:
        if file > 2 and file not in kept:
            with contextlib.suppress(OSError):
                os.close(file)
