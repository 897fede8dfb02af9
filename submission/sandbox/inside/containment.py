"""Keeps the processes of players from the network and from the user's home, where Linux offers it.

They get an empty network of their own, and mounts of their own, in which an empty folder covers the
home, another covers the shared memory, and Kaggle's folder leads to the player's. Users other than
root need a user namespace for that, which a system or its container may refuse. A step that fails
changes nothing, and no agent fails because of it.

This runs in the process from which all players come, before it has threads, on the standard library
alone.
"""

import contextlib
import os
import socket
import struct
import sys
import tempfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from submission.sandbox.inside.file_guard import PROJECT, PROJECT_PLACES, SYSTEM_FOLDERS
from submission.sandbox.inside.kaggle_folder import KAGGLE_HOME

LINUX = sys.platform == "linux" and hasattr(os, "fork")
"""Whether the kernel can contain players: there they are forks, limited in memory, slowed down on
request, and no process escapes its supervisor. On any other system each player is a fresh process
(macOS' own libraries may fail in a fork), found through its parents, and ended after its time.
"""

NETWORK = "the network"
HOME = "the home folder"

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - Linux's; a contained process has its own there

# From Linux's `linux/sched.h`, `linux/mount.h`, `linux/sockios.h`, `linux/if.h`, `linux/prctl.h`
# and `linux/capability.h`.
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT = 1, 2, 4, 1 << 5
MS_BIND, MS_MOVE, MS_REC, MS_UNBINDABLE, MS_PRIVATE = 1 << 12, 1 << 13, 1 << 14, 1 << 17, 1 << 18
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
PR_SET_NO_NEW_PRIVS = 38
CAPABILITY_VERSION = 0x20080522

FILE_CAPABILITIES = 0b11111011
"""Root's capabilities to change owners, to bypass permissions, to kill, and to change user and
group. They cannot undo the containment."""

PACKAGES = ("kaggle_environments", "numba", "numpy")
"""The files of other packages lie beside the files of these."""

PLAYER = "player"
"""The name of a link to the player's home, in the folder of all players."""


def contain(folder: Path) -> tuple[str, ...]:
    """Cut this process and its descendants, whose folder is given, off from network and home.

    Returns:
        Those of NETWORK and HOME that the system lets this process cut off.
    """
    if not LINUX:
        return ()
    try:
        import ctypes

        system = _System(ctypes.CDLL(None, use_errno=True))
        _leave_namespaces(system)
    except Exception:  # players can do without whatever fails
        return ()
    kept_from = [NETWORK]
    with contextlib.suppress(Exception):
        system.mount(None, b"/", None, MS_REC | MS_PRIVATE, None)
        with contextlib.suppress(Exception):
            _cover_home(system, folder)
            kept_from.append(HOME)
        with contextlib.suppress(Exception):
            _cover_shared_memory(system, folder)
        _add_kaggle_home(system, folder)
    with contextlib.suppress(Exception):
        _drop_capabilities(system)
    return tuple(kept_from)


def link_player(home: Path) -> None:
    """Make Kaggle's folder lead to the home of a player, for contained processes."""
    link = home.with_name(PLAYER)
    with contextlib.suppress(OSError):  # as on Windows, where no process is contained
        link.unlink(missing_ok=True)
        link.symlink_to(home)


class _System:
    """Calls of the C library that raise an OSError when they fail."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._library, name)

        def checked(*arguments: Any) -> None:
            import ctypes

            if call(*arguments):
                number = ctypes.get_errno()
                raise OSError(number, f"{name}: {os.strerror(number)}")

        return checked


def _leave_namespaces(system: _System) -> None:
    """Enter an empty network namespace and a mount namespace of our own."""
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        system.unshare(CLONE_NEWNS | CLONE_NEWNET)
    else:
        system.unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    with contextlib.suppress(OSError):
        _raise_loopback()


def _raise_loopback() -> None:
    """Switch the loopback interface on, so that 127.0.0.1 answers."""
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def _cover_home(system: _System, folder: Path) -> None:
    """Mount over the home a folder that shows only its needed parts.

    After an OSError, or a KeyError for a user without a home, the home is not covered.
    """
    import pwd

    home = os.path.realpath(pwd.getpwuid(os.geteuid()).pw_dir)
    needed = _needed(home, [*_own_places(folder), *SYSTEM_FOLDERS])
    cover = tempfile.mkdtemp(dir=folder)
    flags = MS_NOSUID | MS_NODEV
    system.mount(b"tmpfs", os.fsencode(cover), b"tmpfs", flags, b"mode=755,size=1m")
    for place in needed:
        target = Path(cover, os.path.relpath(place, home))
        if not target.exists():
            target.mkdir(parents=True)
            system.mount(os.fsencode(place), bytes(target), None, MS_BIND | MS_REC, None)
    system.mount(os.fsencode(cover), os.fsencode(home), None, MS_MOVE, None)
    with contextlib.suppress(OSError):  # it may be needed itself, and in use
        Path(cover).rmdir()


def _cover_shared_memory(system: _System, folder: Path) -> None:
    """Mount an empty folder over the shared memory, unless something that is needed lies there."""
    if not _needed(str(SHARED_MEMORY), _own_places(folder)):
        flags = MS_NOSUID | MS_NODEV
        system.mount(b"tmpfs", bytes(SHARED_MEMORY), b"tmpfs", flags, b"mode=700,size=25%")


def _own_places(folder: Path) -> list[str]:
    """The folders of the players, of this project, of the interpreter and of libraries."""
    libraries = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    path = [entry for entry in sys.path if entry != str(PROJECT)]
    own = [str(folder), *map(str, PROJECT_PLACES), sys.prefix, sys.base_prefix]
    return [*own, *path, *libraries]


def _add_kaggle_home(system: _System, folder: Path) -> None:
    """Add Kaggle's folder without being root: in a mounted copy of `/` that then replaces it.

    After an OSError the root is unchanged.
    """
    root = tempfile.mkdtemp(dir=folder)
    flags = MS_NOSUID | MS_NODEV
    system.mount(b"tmpfs", os.fsencode(root), b"tmpfs", flags, b"mode=755,size=1m")
    system.mount(None, os.fsencode(root), None, MS_UNBINDABLE, None)  # or it would contain itself
    Path(root, KAGGLE_HOME[1:]).symlink_to(folder / PLAYER)
    with os.scandir("/") as entries:
        others = [entry for entry in entries if entry.path != KAGGLE_HOME]
    for entry in others:
        copy = Path(root, entry.name)
        if entry.is_symlink():
            copy.symlink_to(Path(entry).readlink())
            continue
        copy.mkdir() if entry.is_dir(follow_symlinks=False) else copy.touch()
        system.mount(os.fsencode(entry.path), bytes(copy), None, MS_BIND | MS_REC, None)
    system.mount(None, os.fsencode(root), None, MS_BIND | MS_REMOUNT | MS_RDONLY | flags, None)
    with contextlib.chdir(root):
        system.mount(b".", b"/", None, MS_MOVE, None)
        system.chroot(b".")
    Path(root).rmdir()


def _needed(home: str, folders: Iterable[str]) -> list[str]:
    """The given folders that lie in the home, under any of their names, the outer ones first.

    Raises OSError if there is no home, it is one of them, or their files lie elsewhere in it.
    """
    if not Path(home).is_dir():
        raise NotADirectoryError(home)
    named = {path for name in filter(None, folders) for path in (name, os.path.realpath(name))}
    needed = list(filter(os.path.isdir, sorted(named)))
    for package in PACKAGES:
        spec = find_spec(package)
        origin = Path(os.path.realpath((spec and spec.origin) or os.devnull))
        if origin.is_relative_to(home) and not any(map(origin.is_relative_to, needed)):
            raise FileNotFoundError(f"{package} lies in {origin}, to which links lead")
    if home == os.sep or any(Path(home).is_relative_to(path) for path in needed):
        raise FileExistsError(f"{home} is needed itself")
    return [path for path in needed if Path(path).is_relative_to(home)]


def _drop_capabilities(system: _System) -> None:
    """Drop the capabilities that could undo this, also for child processes."""
    import ctypes

    header = struct.pack("Ii", CAPABILITY_VERSION, 0)
    held = ctypes.create_string_buffer(24)
    system.capget(header, held)
    effective, permitted, *_ = struct.unpack("6I", held)
    kept = FILE_CAPABILITIES if os.geteuid() == 0 else 0
    system.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    system.capset(header, struct.pack("6I", effective & kept, permitted & kept, 0, 0, 0, 0))
