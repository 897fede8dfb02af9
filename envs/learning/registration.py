"""The environments in Gymnasium's registry: as soon as Gymnasium is imported, and no sooner."""

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from envs.games import GAMES

GYMNASIUM = "gymnasium"


def register_with_gymnasium() -> tuple[str, ...]:
    """Register the environments at once where Gymnasium is loaded, else when it is imported.

    So the rules and the searches never load Gymnasium, and `import envs` may stand before or after
    `import gymnasium`.

    Returns:
        The ids that `gymnasium.make` knows from then on.
    """
    if GYMNASIUM in sys.modules:
        register_environments()
    else:
        sys.meta_path.insert(0, _GymnasiumFinder())
    return tuple(name for entry in GAMES.values() for name in entry.gymnasium_ids)


def register_environments() -> None:
    """Enter the environments with the names of their classes: a class is loaded when it is made."""
    import gymnasium  # not sooner: whoever imports `envs` may not need it

    for entry in GAMES.values():
        rules = entry.rules.__name__
        for environment_id in entry.gymnasium_ids:
            gymnasium.register(
                environment_id,
                entry_point=f"envs.learning.single_env:{rules}Env",
                vector_entry_point=f"envs.learning.vector.vector_env:{rules}VectorEnv",
            )


class _GymnasiumFinder(MetaPathFinder):
    """Finds Gymnasium as the other finders do, and registers the environments after its import."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != GYMNASIUM:
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
            if module.__name__ == GYMNASIUM and self in sys.meta_path:
                sys.meta_path.remove(self)
                register_environments()

        # On the loader itself, which others ask for the package's sources and data.
        vars(loader)["exec_module"] = execute_and_register
