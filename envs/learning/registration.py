"""The environments in the registries of Gymnasium and PettingZoo: as soon as each is imported."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from envs.games import GAMES


def register_environments() -> tuple[str, ...]:
    """Register the environments at once with a library that is loaded, else when it is imported.

    So the rules and the searches never load either library, and `import envs` may stand before or
    after their imports.

    Returns:
        The ids that `gymnasium.make` knows from then on, and `pettingzoo.make` from 1.27 on.
    """
    for library, register in REGISTERING.items():
        if sys.modules.get(library):
            register()
        else:
            sys.meta_path.insert(0, _RegisteringFinder(library, register))
    return tuple(name for entry in GAMES.values() for name in entry.gymnasium_ids)


def _register_with_gymnasium() -> None:
    """Enter the names of the environments' classes: a class is loaded when it is made."""
    import gymnasium  # not sooner: whoever imports `envs` may not need it

    for entry in GAMES.values():
        rules = entry.rules.__name__
        for environment_id in entry.gymnasium_ids:
            gymnasium.register(
                environment_id,
                entry_point=f"envs.learning.single_env:{rules}Env",
                vector_entry_point=f"envs.learning.vector.vector_env:{rules}VectorEnv",
            )


def _register_with_pettingzoo() -> None:
    """Enter the environments of two agents under the same ids, where PettingZoo has a registry."""
    import pettingzoo

    if not hasattr(pettingzoo, "register"):  # before 1.27
        return
    for entry in GAMES.values():
        for environment_id in entry.gymnasium_ids:
            pettingzoo.register(
                "aec",
                environment_id,
                entry_point="envs.learning.pettingzoo_env:named_env",
                kwargs={"name": entry.name},
            )


REGISTERING: Mapping[str, Callable[[], None]] = {
    "gymnasium": _register_with_gymnasium,
    "pettingzoo": _register_with_pettingzoo,
}
"""By the names of the libraries: what enters the environments, once the library is loaded."""


class _RegisteringFinder(MetaPathFinder):
    """Finds a library as the other finders do, and registers the environments after its import."""

    def __init__(self, library: str, register: Callable[[], None]) -> None:
        self._library = library
        self._register = register

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._library:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        found = (finder.find_spec(fullname, path, target) for finder in others)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and spec.loader is not None:
            self._follow(spec.loader)
        return spec

    def _follow(self, loader: Loader) -> None:
        execute = loader.exec_module

        def execute_and_register(module: ModuleType) -> None:
            execute(module)
            # An archive has one loader for all that is in it.
            if module.__name__ == self._library and self in sys.meta_path:
                sys.meta_path.remove(self)
                self._register()

        # On the loader itself, which others ask for the package's sources and data.
        vars(loader)["exec_module"] = execute_and_register
