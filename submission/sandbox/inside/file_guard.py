"""Hides from a submission what Kaggle's machine does not have: this project, and other files.

It works in the player's process: such files seem not to exist, as on Kaggle, and Kaggle's own
folder leads to the submission's. It does not see files opened by native code, or by programs that a
submission starts.
"""

import errno
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from submission.kaggle import kaggle_environments
from submission.sandbox.inside.kaggle_folder import KAGGLE_FOLDER, translate_paths
from submission.sandbox.inside.network_guard import REACHED_FOR, NetworkGuard

PROJECT = Path(__file__).resolve().parents[3]  # the folder in which this project's packages lie

PROJECT_PACKAGES = ("agents", "envs", "submission")

PROJECT_MODULES = (*PROJECT_PACKAGES, "connectx")

PROJECT_PLACES = (*(PROJECT / name for name in PROJECT_PACKAGES), PROJECT / "connectx.py")
"""The paths of these packages and modules."""

SYSTEM_FOLDERS = (
    *("/bin", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/proc"),
    *("/run", "/sbin", "/sys", "/usr", "/Library", "/System"),
)
"""The folders of the operating system, much the same on all machines."""

WINDOWS_DEVICES = "\\\\.\\"  # the prefix of `nul` and other devices

OTHER_FOLDERS = ("/boot", "/home", "/media", "/mnt", "/opt", "/root", "/srv", "/var")
"""Folders that every machine has, with different contents."""

TEMPORARY_FOLDERS = ("/tmp", "/var/tmp")  # noqa: S108
"""Kaggle's machine has them too, but empty."""

CLOCK_TICK = 0.1  # seconds by which times of files may lag behind the clock
MOST_TOLD = 20  # the most paths to report; more show nothing new


class FileGuard:
    """Decides which paths Kaggle's machine has.

    Args:
        own: the folders of the submission, first the one that Kaggle names KAGGLE_FOLDER.
        sources: real paths of files that Python reads to show a traceback.
        tell: called once for each hidden path that is accessed, and for each attempt to reach the
            network, with REACHED_FOR before its target.
    """

    def __init__(
        self, own: Sequence[Path], sources: Iterable[str], tell: Callable[[str], None]
    ) -> None:
        interpreter = [sys.prefix, sys.base_prefix, *sys.path]
        system = [*SYSTEM_FOLDERS, os.environ.get("SYSTEMROOT", "")]
        # Unresolved, because installers fill these folders with links to elsewhere.
        self._interpreter = _prefixes(interpreter)
        self._places = (
            *_prefixes(
                map(os.path.realpath, filter(None, [*interpreter, *system, *map(str, own)]))
            ),
            WINDOWS_DEVICES,
        )
        self._temporary = _prefixes(map(os.path.realpath, TEMPORARY_FOLDERS))
        self._ways = (*self._places, *self._temporary, *_prefixes(OTHER_FOLDERS))
        self._agent = own[0]
        self._sources = frozenset(sources)
        self._begin = time.time() - CLOCK_TICK
        self._stat = os.stat
        self._access = os.access
        self._told = set[str]()
        self._tell = tell

    def install(self) -> None:
        """Guard this process and its forks from now on."""

        def guarded_stat(path: Any, **options: Any) -> os.stat_result:
            self.require(path)
            return self._stat(path, **options)

        def guarded_access(path: Any, mode: int, **options: Any) -> bool:
            try:
                self.require(path)
            except FileNotFoundError:
                return False
            return self._access(path, mode, **options)

        os.stat = guarded_stat
        os.access = guarded_access
        if os.path.realpath(KAGGLE_FOLDER) != os.path.realpath(self._agent):
            translate_paths(str(self._agent.parent))
        sys.addaudithook(self._audit)
        sys.addaudithook(NetworkGuard(lambda what: self._tell_once(REACHED_FOR + what)).audit)

    def require(self, path: Any, flags: int = os.O_RDONLY) -> None:
        """Raise the system's error for a missing file if a path is hidden; file descriptors pass.

        Raises:
            FileNotFoundError: this machine has it, and Kaggle's does not.
        """
        path = os.fspath(path) if hasattr(path, "__fspath__") else path
        if not isinstance(path, str | bytes) or not path:
            return
        named = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - for speed
        real = os.path.realpath(named)
        if _prefix(named).startswith(self._interpreter) or not self._hides(real, flags):
            return
        self._tell_once(real)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    def _tell_once(self, what: str) -> None:
        if what not in self._told and len(self._told) < MOST_TOLD:
            self._told.add(what)
            self._tell(what)

    def _hides(self, real: str, flags: int) -> bool:
        folder = _prefix(real)
        leads_on = any(way.startswith(folder) for way in self._ways)
        if folder.startswith(self._places) or real in self._sources or leads_on:
            return False
        is_created = bool(flags & os.O_CREAT)
        try:
            changed = self._stat(os.path.split(real)[0] if is_created else real).st_ctime
        except OSError:
            return False  # let the system itself raise its error
        is_temporary = folder.startswith(self._temporary)
        return not (is_temporary and (is_created or changed >= self._begin))

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            self.require(path, flags or 0)
        elif event in ("os.listdir", "os.scandir", "ctypes.dlopen"):
            self.require(arguments[0])


def _prefixes(folders: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(_prefix, filter(None, folders)))


def _prefix(folder: str) -> str:
    """The common prefix of all paths in a folder, spelled as this system spells it."""
    return os.path.normcase(folder).rstrip(os.sep) + os.sep


class ProjectHider(MetaPathFinder):
    """Finds modules of certain names only if they are the submission's own.

    The places to hide are the packages and modules of these names, and the folder of
    kaggle_environments, which has an `agents` module of its own on the search path.
    """

    def __init__(self, names: Iterable[str], places: Iterable[Path]) -> None:
        self._names = frozenset(names)
        self._places = [place.resolve() for place in places]

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder`."""
        if fullname not in self._names:
            return None
        for entry in sys.path:
            spec = PathFinder.find_spec(fullname, [entry], target)
            if spec is not None and not self._is_hidden(spec):
                return spec
        raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)

    def _is_hidden(self, spec: ModuleSpec) -> bool:
        places = [spec.origin, *(spec.submodule_search_locations or [])]
        return any(
            Path(place).resolve().is_relative_to(hidden)
            for place in places
            if place is not None
            for hidden in self._places
        )


def hide_project() -> None:
    """Keep this process from importing the project; modules already imported keep working.

    For a process that `child_command` has started.
    """
    sys.path.remove(str(PROJECT))  # packages beside the project may be for another Python
    kaggle = Path(str(kaggle_environments().__file__)).parent
    if kaggle.parent != PROJECT:
        sys.path[:] = [entry for entry in sys.path if entry != str(PROJECT)]
    for module in list(sys.modules):
        if module.partition(".")[0] in PROJECT_MODULES:
            del sys.modules[module]
    places = [*PROJECT_PLACES, kaggle]
    sys.meta_path.insert(0, ProjectHider(PROJECT_MODULES, places))
