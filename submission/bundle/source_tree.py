"""The modules that may go into a bundle, and the meanings of their names."""

import builtins
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from submission.bundle.definitions import BundleError, Definition
from submission.bundle.naming import Builtin, Meaning, Symbol, Use
from submission.bundle.scopes import Reference
from submission.bundle.sources import Import, Module, read_module

NOTEBOOK_BUILTINS = ("display", "get_ipython")
"""Builtins that only a notebook has."""


class SourceTree:
    """The modules that may go into a bundle, read on demand.

    Args:
        project: the package folder or the module file of each top-level name.
        own: the same for a user's modules, which the project's modules do not see: in these,
            `import random` means the library even if the user has a `random.py`.
    """

    def __init__(self, project: Mapping[str, Path], own: Mapping[str, Path] | None = None) -> None:
        self.roots = {**(own or {}), **project}
        self._project = frozenset(project)
        self._modules: dict[str, Module] = {}
        self._uses: dict[Definition, list[Use]] = {}
        self._are_there: dict[str, bool] = {}
        self.carried = set[Symbol]()
        """Names whose final values are written out, so that no statement has to fill them in."""

    def module(self, name: str) -> Module:
        """The parsed module of this import name."""
        if name not in self._modules:
            self._modules[name] = read_module(name, self.path(name), self.known_to(name))
        return self._modules[name]

    def known_to(self, module: str) -> frozenset[str]:
        """The top-level names of the bundled modules that a module can import."""
        is_project = module.partition(".")[0] in self._project
        return self._project if is_project else frozenset(self.roots)

    def path(self, name: str) -> Path:
        """The file of a module."""
        top, *rest = name.split(".")
        path = self.roots[top].joinpath(*rest)
        if path.is_dir():
            return path / "__init__.py"
        return path if path.suffix == ".py" else path.with_suffix(".py")

    def is_there(self, name: str) -> bool:
        """Whether a module of this import name has a file."""
        if name not in self._are_there:
            self._are_there[name] = self.path(name).is_file()
        return self._are_there[name]

    def definitions(self, symbol: Symbol) -> list[Definition]:
        """The statements that define a name, in their order; BundleError if there are none."""
        module = self.module(symbol.module)
        if symbol.name not in module.definitions:
            raise BundleError(module.path, 1, f"{symbol.name} is not defined at the top level")
        return module.definitions[symbol.name]

    def needed(self, symbol: Symbol) -> list[Definition]:
        """The statements that define a name that goes into the bundle."""
        return self.definitions(symbol)

    def holds_data(self, symbol: Symbol) -> bool:
        """Whether a name is known to hold data, which call nothing."""
        return False

    def uses(self, definition: Definition) -> list[Use]:
        """The uses in a definition, except in strings; BundleError if one cannot be bundled."""
        if definition not in self._uses:
            definition.require_portable(self.known_to(definition.module))
            self._uses[definition] = [
                self._use(definition, reference)
                for reference in definition.references
                if not reference.quoted
            ]
        return self._uses[definition]

    def known_uses(self, definition: Definition) -> list[Use]:
        """The uses in a definition that have a meaning, including those in strings."""
        found = list[Use]()
        for reference in definition.references:
            with suppress(BundleError):
                found.append(self._use(definition, reference))
        return found

    def undefined(self, module: str, name: str, place: tuple[Path, int]) -> Meaning:
        """The meaning of an undefined name; BundleError unless it is only for type checking."""
        if name in self.module(module).for_types:
            return Builtin(name)
        raise BundleError(*place, f"{name} is used or imported, but not defined here")

    def _use(self, definition: Definition, reference: Reference) -> Use:
        """The meaning of a reference; BundleError if it has none, or means a module as a value."""
        path, place = reference.path, (definition.path, reference.line)
        meaning, parts = self._meaning(definition.module, path[0], place), 1
        while isinstance(meaning, Import) and meaning.is_bundled:
            if parts == len(path):
                raise BundleError(
                    *place,
                    f"cannot bundle the module {meaning.module} as a value: name what you use of "
                    f"it, or write `from {meaning.module} import NAME`",
                )
            meaning = self._member(meaning.module, path[parts], place)
            parts += 1
        if parts > 1 and parts == len(path) and reference.changes:
            raise BundleError(*place, f"cannot bundle a change of another module's {path[-1]}")
        return Use(definition, reference, meaning, parts)

    def _meaning(self, module: str, name: str, place: tuple[Path, int]) -> Meaning:
        source = self.module(module)
        if name in source.definitions:
            return Symbol(module, name)
        if imported := source.imports.get(name):
            if not imported.is_bundled:
                return imported
            here = source.path, imported.line
            if not self.is_there(imported.module):
                raise BundleError(*here, f"there is no {self.path(imported.module)}")
            return self._member(imported.module, imported.name, here) if imported.name else imported
        if hasattr(builtins, name) and name not in NOTEBOOK_BUILTINS:
            return Builtin(name)
        return self.undefined(module, name, place)

    def _member(self, module: str, name: str, place: tuple[Path, int]) -> Meaning:
        inner, source = f"{module}.{name}", self.module(module)
        imported = source.imports.get(name)
        is_itself = imported is None or (
            (imported.module, imported.name) in ((inner, None), (module, name))
        )
        defined = name in source.definitions or not is_itself
        if not self.is_there(inner):
            if not defined:
                raise BundleError(*place, f"{module} defines no {name}")
            return self._meaning(module, name, place)
        if defined:
            raise BundleError(*place, f"{inner} is a module, and {module} defines {name} as well")
        return Import(inner, is_bundled=True)


def modules_in(folder: Path) -> dict[str, Path]:
    """The modules and packages in a folder, by the names under which their neighbours import them.

    A folder without `__init__.py` is a package if it has been imported as one. A file is left out
    if it is named like a module of the standard library that has already been imported.
    """
    packages = [
        each
        for each in folder.iterdir()
        if (each / "__init__.py").is_file()
        or str(each) in getattr(sys.modules.get(each.name), "__path__", ())
    ]
    found = {path.stem: path for path in [*folder.glob("*.py"), *packages]}
    return {name: path for name, path in found.items() if not _is_of_the_library(name, folder)}


def _is_of_the_library(name: str, folder: Path) -> bool:
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    is_loaded = name in sys.stdlib_module_names and name in sys.modules
    return is_loaded and folder not in Path(file).parents
