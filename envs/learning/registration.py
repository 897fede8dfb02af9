"""Registers the environments with Gymnasium and PettingZoo, as soon as either is imported."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import NamedTuple


class Listed(NamedTuple):
    """A game in the registries, by names, so that its class need not be loaded."""

    name: str  # as on the command line
    rules: str  # the name of its class
    ids: tuple[str, ...] = ()

    @property
    def gymnasium_ids(self) -> tuple[str, ...]:
        """The ids of its environments: by default, one made from the class's name."""
        return self.ids or (f"connectx/{self.rules}-v0",)


def register_environments(
    ids: Iterable[str], listed: Callable[[], Sequence[Listed]]
) -> tuple[str, ...]:
    """Register the environments with each library, now if it is loaded, else on its import.

    So the rules and the searches never load either library, and `import envs` may come before or
    after their imports.
    """
    for library, register in REGISTERING.items():
        if sys.modules.get(library):
            register(listed())
        else:
            sys.meta_path.insert(0, _RegisteringFinder(library, register, listed))
    return tuple(ids)


def register_listed(listed: Sequence[Listed]) -> None:
    """Register games with the libraries that have been imported so far."""
    for library, register in REGISTERING.items():
        if sys.modules.get(library):
            register(listed)


def _register_with_gymnasium(listed: Iterable[Listed]) -> None:
    """Register the environments by name: their modules are imported when one is made."""
    import gymnasium  # imported here, because not everybody who imports `envs` needs it

    for game in listed:
        for environment_id in game.gymnasium_ids:
            if environment_id not in gymnasium.registry:
                gymnasium.register(
                    environment_id,
                    entry_point=f"envs.learning.single_env:{game.rules}Env",
                    vector_entry_point=f"envs.learning.vector.vector_env:{game.rules}VectorEnv",
                )


def _register_with_pettingzoo(listed: Iterable[Listed]) -> None:
    import pettingzoo

    if not hasattr(pettingzoo, "register"):  # before 1.27
        return
    for game in listed:
        for environment_id in game.gymnasium_ids:
            if environment_id not in pettingzoo.aec_registry:
                pettingzoo.register(
                    "aec",
                    environment_id,
                    entry_point="envs.learning.pettingzoo_env:named_env",
                    kwargs={"name": game.name},
                )


Register = Callable[[Sequence[Listed]], None]
REGISTERING: Mapping[str, Register] = {
    "gymnasium": _register_with_gymnasium,
    "pettingzoo": _register_with_pettingzoo,
}
"""The functions that register environments with a library that has been imported."""


@dataclass(frozen=True)
class _RegisteringFinder(MetaPathFinder):
    """Registers the environments as soon as a library has been imported."""

    library: str
    enter: Register
    listed: Callable[[], Sequence[Listed]]

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.library:
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
            # An archive has one loader for all of its modules.
            if module.__name__ == self.library and self in sys.meta_path:
                sys.meta_path.remove(self)
                self.enter(self.listed())

        # Set on the loader itself, because others read the package's sources and data from it.
        vars(loader)["exec_module"] = execute_and_register
