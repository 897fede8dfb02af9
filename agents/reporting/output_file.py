"""Files that a command writes, and their locks against a second command.

A file is replaced atomically: the new content goes to a new temporary file beside it, with a random
name; this is flushed to disk and takes the place and the mode of the old file. If the path is a
symbolic link, the link stays and its target is replaced; other hard links keep the old content.
Only plain files are written: a device keeps nothing, and a named pipe would wait for a reader. The
temporary file is locked, so if its writer was killed, the next one in the folder can remove it.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from io import FileIO
from pathlib import Path
from time import monotonic, time

from agents.reporting.input_file import open_plain

if sys.platform == "win32":
    import msvcrt
else:
    try:
        import fcntl
    except ModuleNotFoundError:
        fcntl = None  # type: ignore[assignment]

FOLLOW_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
NO_ROOM = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))

SYNC_SECONDS = 1.0
"""Seconds between flushes: a power cut loses what was appended since; a killed process loses
nothing."""

PARTS = ".connectx-{}.part"  # the names of temporary files

SPARED_SECONDS = 60.0
"""On Windows a temporary file must be closed for a moment before it is renamed, so other runs do
not remove files younger than this."""

LOCKED_BYTE = 2**31 - 2
"""On Windows no other process can read a locked byte, so it lies beyond the end of the file."""


def require_writable(path: Path) -> None:
    """Raise OSError unless a file can be replaced; to be called before the work that fills it."""
    with _successor(path):
        pass


def replace_content(path: Path, content: bytes) -> None:
    """Replace a file atomically: readers find the old or the new one, even after an interrupt.

    Raises:
        OSError: it cannot be written; the message says why. The file is unchanged.
    """
    replace_parts(path, [content])


def replace_parts(path: Path, parts: Iterable[bytes]) -> None:
    """Replace a file as `replace_content` does, by parts; only one at a time need be in memory."""
    with _successor(path) as (file, new, target):
        for part in parts:
            _write(file, part)
        os.fsync(file)
        if sys.platform == "win32":  # which cannot rename an open file
            file.close()
        new.replace(target)
        _sync_folder(target.parent)


def replace_text(path: Path, text: str) -> None:
    """Replace a file by a text in UTF-8, with its line ends as they are; see `replace_content`.

    What UTF-8 lacks is escaped as in Python: parts of file names that are not valid UTF-8.
    """
    replace_content(path, text.encode(errors="backslashreplace"))


@contextmanager
def _successor(path: Path) -> Iterator[tuple[FileIO, Path, Path]]:
    """A new, empty file, its path and the path to replace; unless renamed, the file is removed."""
    try:
        target, mode = _target(path)
        _remove_abandoned(target.parent)
        file, new = _new_part(target, mode)
        try:
            if mode is not None:
                new.chmod(mode)  # the umask may have cleared some bits
            yield file, new, target
        finally:
            file.close()
            with suppress(OSError):
                new.unlink()
    except OSError as error:
        raise _unwritable(path, error) from error


def _target(path: Path) -> tuple[Path, int | None]:
    """The plain file that a path leads to, and its mode; None if there is none yet."""
    mode = None
    if path == Path("-"):
        raise OSError(None, "it must be a file, not standard output")
    with suppress(FileNotFoundError):
        found = path.stat().st_mode
        if not stat.S_ISREG(found):
            what = os.strerror(errno.EISDIR) if stat.S_ISDIR(found) else "it is not a plain file"
            raise OSError(None, what)
        if not os.access(path, os.W_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        mode = stat.S_IMODE(found)
    # Only a link is resolved: the absolute path in a deep folder may be too long.
    return Path(os.path.realpath(path)) if path.is_symlink() else path, mode


def _open_new(path: str, flags: int, mode: int | None) -> int:
    """Create a file that is as private as the one that it replaces."""
    return os.open(path, flags | FOLLOW_NO_LINK, 0o666 if mode is None else mode & 0o777)


def _new_part(target: Path, mode: int | None) -> tuple[FileIO, Path]:
    """A new, locked file beside another one; another is made if it is removed before the lock."""
    while True:
        new = target.with_name(PARTS.format(os.urandom(8).hex()))
        file = FileIO(new, "xb", opener=partial(_open_new, mode=mode))
        if _try_to_lock(file, new):
            return file, new
        file.close()
        with suppress(OSError):
            new.unlink()


def _remove_abandoned(folder: Path) -> None:
    """Remove the temporary files of writers that were killed."""
    for part in folder.glob(PARTS.format("*")):
        with suppress(OSError):
            if sys.platform == "win32":  # which cannot remove an open file
                if time() - part.stat().st_mtime > SPARED_SECONDS:
                    part.unlink()
            else:
                with _opened(part, "rb+", FOLLOW_NO_LINK) as file:
                    _take_lock(file)
                    part.unlink()


def _write(file: FileIO, content: bytes) -> None:
    """Write all of a content, which the system may accept in several pieces."""
    left = memoryview(content)
    while left:
        left = left[file.write(left) :]


def _sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk, where the system can."""
    if hasattr(os, "O_DIRECTORY"):
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _unwritable(path: Path, error: OSError) -> OSError:
    advice = "choose a file in a folder that exists and can be written"
    if error.errno in NO_ROOM:
        advice = "make room there, or choose a file in another place"
    return OSError(f"cannot write {path} ({error.strerror}): {advice}")


# --- files that grow, and files locked for one run


@dataclass(slots=True)
class GrowingFile:
    """A file to which this run alone appends; `growing_file` opens it."""

    path: Path
    file: FileIO
    synced: float = field(default_factory=monotonic)
    """When it was last flushed to the disk, in seconds of the monotonic clock."""

    def read(self) -> bytes:
        """All of its content."""
        self.file.seek(0)
        return self.file.readall()

    def append(self, lines: bytes, *, is_last: bool = False) -> None:
        """Write lines in one piece; they reach the disk about once a second and at the end."""
        try:
            _write(self.file, lines)
            if is_last or monotonic() - self.synced >= SYNC_SECONDS:
                os.fsync(self.file)
                self.synced = monotonic()
        except OSError as error:
            raise OSError(
                f"cannot write {self.path} ({error.strerror}): fix that and go on with --resume"
            ) from error

    def cut(self, size: int) -> None:
        """Keep the first `size` bytes."""
        self.file.truncate(size)


@contextmanager
def growing_file(path: Path) -> Iterator[GrowingFile]:
    """A file to append to, locked against other runs until the `with` block ends.

    Raises:
        OSError: it cannot be written, or another run is using it.
    """
    with _locked(path, path, 0) as file:
        growing = GrowingFile(path, file)
        yield growing
        growing.append(b"", is_last=True)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Lock a file that is replaced repeatedly against other runs, until the `with` block ends.

    The lock is on an empty file beside it, which is removed at the end. If the process is killed,
    that file stays until the end of the next run, but its lock ends with the process. Raises as
    `growing_file`.
    """
    try:
        target, _ = _target(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    lock = target.with_name(f".{target.name}.lock")
    with _locked(lock, path, FOLLOW_NO_LINK) as file:
        try:
            yield
        finally:
            if sys.platform == "win32":  # which cannot remove an open file
                file.close()
            with suppress(OSError):
                lock.unlink()


@contextmanager
def _locked(file_path: Path, path: Path, flags: int) -> Iterator[FileIO]:
    """Open a file to append, and lock it where the file system can; messages name `path`."""
    try:
        _target(path)  # refuses what is no plain file
        opened = _opened(file_path, "ab+", flags)
    except OSError as error:
        raise _unwritable(path, error) from error
    with opened as file:
        if not _try_to_lock(file, file_path):
            raise BlockingIOError(
                f"another run is using {path}: wait until it ends, or choose another file"
            )
        yield file


def _opened(path: Path, mode: str, flags: int) -> FileIO:
    return FileIO(path, mode, opener=lambda name, own: open_plain(name, own | flags))


def _try_to_lock(file: FileIO, path: Path) -> bool:
    """Lock a file until it is closed, where the file system can; False if another run has it."""
    try:
        _take_lock(file)
        return _is_at(path, file)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # some network file systems have no locks
        return True


def _is_at(path: Path, file: FileIO) -> bool:
    """Whether a file still has its path; another run may have removed it before it was locked."""
    if sys.platform == "win32":  # where no other run can remove it
        return True
    return path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat())


def _take_lock(file: FileIO) -> None:
    """Lock a file until it is closed; if it is locked, BlockingIOError or PermissionError."""
    if sys.platform == "win32":
        file.seek(LOCKED_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        file.seek(0)
    elif fcntl is None:
        raise OSError(None, "there are no locks")
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
