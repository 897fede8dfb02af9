"""Keeps this project from the submissions that it runs: it is absent on Kaggle, too."""

import sys
from collections.abc import Iterable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from submission.isolation.child_process import PROJECT
from submission.kaggle import kaggle_environments

PROJECT_PACKAGES = ("agents", "envs", "submission")


class ProjectHider(MetaPathFinder):
    """Finds modules of certain names anywhere but where they are not the submission's.

    Args:
        names: the project's packages.
        folders: the folders to hide these names in: those of the packages themselves, and that of
            kaggle_environments, which has an `agents` module of its own on the search path.
    """

    def __init__(self, names: Iterable[str], folders: Iterable[Path]) -> None:
        self._names = frozenset(names)
        self._folders = [folder.resolve() for folder in folders]

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
            Path(place).resolve().is_relative_to(folder)
            for place in places
            if place is not None
            for folder in self._folders
        )


def hide_project() -> None:
    """From now on this process cannot import the project; what has been imported runs on.

    For a process that `child_command` has started.
    """
    sys.path.remove(str(PROJECT))  # first: packages beside the project may be of another Python
    kaggle = Path(str(kaggle_environments().__file__)).parent
    if kaggle.parent != PROJECT:
        sys.path[:] = [entry for entry in sys.path if entry != str(PROJECT)]
    for module in list(sys.modules):
        if module.partition(".")[0] in PROJECT_PACKAGES:
            del sys.modules[module]
    folders = [*(PROJECT / name for name in PROJECT_PACKAGES), kaggle]
    sys.meta_path.insert(0, ProjectHider(PROJECT_PACKAGES, folders))
