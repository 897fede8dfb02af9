"""Finds out whether code reads files that Kaggle's machine does not have."""

import builtins
import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from typing import Any

from submission.sandbox.inside.file_guard import PROJECT_PLACES, SYSTEM_FOLDERS

INSTALLED = ("site-packages", "dist-packages")
"""Names of folders of installed packages, which Kaggle may lack."""
MACHINE_CODE = (".nbi", ".nbc")
"""Suffixes of Numba's cache files; without them it compiles."""


@contextmanager
def hidden_files(whose: str, mend: str) -> Iterator[None]:
    """Hide the user's files from this thread when it opens files.

    Files of Python, Numba, the system and this project stay visible, and so do those that the
    thread has written in the block; native code can see all files.

    Args:
        whose: the code that may read a file, for the message.
        mend: what the user can do about it.

    Raises:
        ValueError: the code tried to read a hidden file, even if it caught the error.
    """
    former = builtins.open, io.open
    asked, written = list[str](), set[Path]()
    thread = get_ident()
    is_over = False  # libraries may keep a reference to `opened`

    def opened(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        is_path = isinstance(file, str | bytes | os.PathLike)  # otherwise it is a descriptor
        if is_path and get_ident() == thread and not is_over:
            path = Path(os.fsdecode(file)).resolve()
            if "r" not in mode:
                written.add(path)
            elif path not in written and _is_of_the_user(path):
                asked.append(os.fsdecode(file))
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), asked[-1])
        return former[1](file, mode, *arguments, **options)

    builtins.open = io.open = opened
    try:
        yield
    finally:
        builtins.open, io.open = former
        is_over = True
        if asked:
            problem = f"{whose} reads {asked[0]}, which Kaggle's machine does not have"
            raise ValueError(f"{problem}: {mend}")


def _is_of_the_user(path: Path) -> bool:
    """Whether a resolved path leads to a file of the user's."""
    seen = map(Path, (sys.prefix, sys.base_prefix, *SYSTEM_FOLDERS))
    if {place.resolve() for place in (*seen, *PROJECT_PLACES)} & {path, *path.parents}:
        return False
    is_installed = bool({*INSTALLED} & {*path.parts}) or path.suffix in MACHINE_CODE
    return path.is_file() and not is_installed
