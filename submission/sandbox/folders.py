"""Temporary folders, locked by their owners and removed with everything in them.

The next run removes the folders of owners that were killed. Where folders cannot be locked, as on
Windows, that is left to the system.
"""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ModuleNotFoundError:  # as on Windows
    fcntl = None  # type: ignore[assignment]

from submission.sandbox.inside.containment import SHARED_MEMORY

PREFIX = "connectx-"

OWNED = "connectx-run-"  # the prefix of the names of locked folders
REMOVAL_SECONDS = 5.0  # how long others may still write into a folder that is being removed
PAUSE = 0.002  # seconds between two attempts

BY_NUMBER = os.scandir in os.supports_fd and {os.chmod, os.open, os.rename} <= os.supports_dir_fd
"""Whether folders can be reached by file descriptors, which outlast their paths."""

FOLDER_ALONE = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
"""The flags that open a folder, but no link to one."""


@contextlib.contextmanager
def owned_folder(parent: Path | None = None) -> Iterator[Path]:
    """An empty folder of this process, removed when the block ends.

    It lies in `parent`, by default the folder for temporary files. Folders there whose owners have
    ended are removed first.

    Raises:
        OSError: it cannot be made.
    """
    parent = parent or Path(tempfile.gettempdir())
    remove_abandoned(parent)
    with contextlib.ExitStack() as stack:
        while True:  # before it is locked, another run may take it for abandoned
            folder = Path(tempfile.mkdtemp(prefix=OWNED, dir=parent)).resolve()
            try:
                is_locked = stack.enter_context(_locked(folder))
            except BlockingIOError:
                continue
            if not is_locked:
                with contextlib.suppress(OSError):
                    folder = folder.rename(folder.with_name(PREFIX + folder.name[len(OWNED) :]))
            if folder.exists():
                break
        stack.callback(remove_folder, folder)
        yield folder


def remove_abandoned(parent: Path) -> None:
    """Remove the folders whose owners were killed before they could do so."""
    for folder in list(parent.glob(f"{OWNED}*")):
        with contextlib.suppress(BlockingIOError), _locked(folder) as is_abandoned:
            if is_abandoned:
                remove_folder(folder)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Lock a folder until the block ends; return whether it is locked and this user's own.

    Raises:
        BlockingIOError: another run has locked it.
    """
    is_locked = False
    with contextlib.ExitStack() as stack:
        try:
            if fcntl is not None:
                number = os.open(folder, FOLDER_ALONE)
                stack.callback(os.close, number)
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                is_locked = os.fstat(number).st_uid == os.getuid()
        except BlockingIOError:
            raise
        except OSError:
            pass  # some network file systems know no locks
        yield is_locked


def remove_folder(folder: Path) -> None:
    """Remove a folder into which processes that are being ended may still write.

    Nothing is raised, whatever the folder contains; what cannot be removed stays.
    """
    end = time.monotonic() + REMOVAL_SECONDS
    while True:
        with contextlib.suppress(OSError, RecursionError):
            if folder.is_symlink():
                folder.unlink()
            else:
                _clear(folder)
                folder.rmdir()
        if not os.path.lexists(folder) or time.monotonic() > end:
            return
        time.sleep(PAUSE)


def clear_shared_memory(process_id: int) -> None:
    """Remove what is left in the shared memory of a process, unless this process shares it."""
    own = Path(f"/proc/{process_id}/root{SHARED_MEMORY}")
    with contextlib.suppress(OSError):
        if own.stat().st_dev != SHARED_MEMORY.stat().st_dev:
            _clear(own)


def _clear(folder: Path) -> None:
    """Remove what is in a folder.

    The folders in it are moved to its top one by one, and cleared there, so that neither their
    depth nor the length of their paths matters.
    """
    if not BY_NUMBER:
        shutil.rmtree(folder, ignore_errors=True)  # recursive, but paths are short there
        return
    folder.chmod(0o700)
    with _opened(folder) as top:
        moved = _clear_level(top, top)
        for name in moved:
            with contextlib.suppress(OSError), _opened(name, top) as number:
                moved += _clear_level(number, top)
                os.rmdir(name, dir_fd=top)


@contextlib.contextmanager
def _opened(folder: str | Path, parent: int | None = None) -> Iterator[int]:
    number = os.open(folder, FOLDER_ALONE, dir_fd=parent)
    try:
        yield number
    finally:
        os.close(number)


def _clear_level(folder: int, top: int) -> list[str]:
    """Remove the files of a folder, and move its folders to the top; return their new names."""
    moved = []
    with os.scandir(folder) as entries:
        found = list(entries)
    for entry in found:
        with contextlib.suppress(OSError):
            if entry.is_dir(follow_symlinks=False):
                name = os.urandom(16).hex()
                os.chmod(entry.name, 0o700, dir_fd=folder)  # else it cannot be moved
                os.rename(entry.name, name, src_dir_fd=folder, dst_dir_fd=top)
                moved.append(name)
            else:
                os.unlink(entry.name, dir_fd=folder)
    return moved
