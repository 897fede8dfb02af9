"""Which definitions an agent needs, from all modules together, in an order in which they run."""

import builtins
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from submission.bundle.sources import (
    BundleError,
    Definition,
    LibraryImport,
    Module,
    ProjectImport,
    read_module,
)

Symbol = tuple[str, str]
"""A module and a name in it."""


@dataclass
class Closure:
    """Everything that a set of symbols needs."""

    modules: list[Module] = field(default_factory=list)
    """The modules that contribute, each after those whose definitions it uses."""
    definitions: dict[str, list[Definition]] = field(default_factory=dict)
    """What each of them contributes, in the order of its source."""
    imports: list[str] = field(default_factory=list)
    """Statements that import from libraries, sorted."""
    future: bool = False
    """Whether a module asks for `from __future__ import annotations`."""


class SourceTree:
    """The modules that may go into a bundle, read when they are asked for.

    Args:
        roots: for each top-level name its package folder or its module file.
    """

    def __init__(self, roots: dict[str, Path]) -> None:
        self.roots = roots
        self._modules: dict[str, Module] = {}

    def module(self, name: str) -> Module:
        """The parsed module of this import name."""
        if name not in self._modules:
            self._modules[name] = read_module(name, self.path(name), frozenset(self.roots))
        return self._modules[name]

    def path(self, name: str) -> Path:
        """The file of a module."""
        top, *rest = name.split(".")
        path = self.roots[top].joinpath(*rest)
        if path.is_dir():
            return path / "__init__.py"
        return path if path.suffix == ".py" else path.with_suffix(".py")

    def resolve(self, module: str, name: str) -> Symbol | LibraryImport | None:
        """Where a name of a module is defined; None for a builtin.

        Raises:
            BundleError: nowhere.
        """
        source = self.module(module)
        if name in source.definitions:
            return module, name
        match source.imports.get(name):
            case LibraryImport() as library_import:
                return library_import
            case ProjectImport(module=origin, line=line):
                if not self.path(origin).is_file():
                    raise BundleError(source.path, line, f"there is no module {origin}")
                if self.path(f"{origin}.{name}").is_file():
                    raise BundleError(
                        source.path,
                        line,
                        f"cannot bundle the module {origin}.{name} as a name: "
                        f"write `from {origin}.{name} import NAME`",
                    )
                return self.resolve(origin, name)
        if hasattr(builtins, name):
            return None
        raise BundleError(source.path, 1, f"{name} is used or imported, but not defined here")


def close(tree: SourceTree, start: list[Symbol]) -> Closure:
    """Gather what `start` needs.

    Raises:
        BundleError: a construct that cannot be carried over, or a name with two meanings.
    """
    return _Gatherer(tree).gather(start)


class _Gatherer:
    """Follows the names from definition to definition, and sees to it that each has one meaning."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree = tree
        self.found: dict[str, set[Definition]] = {}
        self.needs: dict[str, set[str]] = {}
        self.meanings: dict[str, tuple[object, Path, int]] = {}
        self.imports: set[str] = set()

    def gather(self, start: list[Symbol]) -> Closure:
        pending = [self.locate(module, name) for module, name in start]
        while pending:
            target = pending.pop()
            if isinstance(target, Definition) and target not in self.found.setdefault(
                target.module, set()
            ):
                self.found[target.module].add(target)
                pending += self.visit(target)
        self.refuse_rebinding()
        modules = [self.tree.module(name) for name in self.ordered_modules()]
        return Closure(
            modules,
            {
                name: sorted(definitions, key=lambda definition: definition.line)
                for name, definitions in self.found.items()
            },
            sorted(self.imports),
            any(module.future for module in modules),
        )

    def locate(self, module: str, name: str) -> Definition | None:
        """The definition behind a name, or None where it comes from a library or is built in."""
        match self.tree.resolve(module, name):
            case LibraryImport(statement=statement, line=line):
                self.claim(name, statement, self.tree.module(module).path, line)
                self.imports.add(statement)
                return None
            case (str(origin), str(original)):
                return self.tree.module(origin).definitions[original]
        return None

    def visit(self, definition: Definition) -> list[Definition | None]:
        """Enter a definition; gives those that it uses."""
        path = self.tree.module(definition.module).path
        for name in definition.names:
            if hasattr(builtins, name):
                raise BundleError(path, definition.line, f"{name} hides a builtin: rename it")
            self.claim(name, definition, path, definition.line)
        used = [self.locate(definition.module, name) for name in sorted(definition.uses)]
        others = {other.module for other in used if other is not None} - {definition.module}
        self.needs.setdefault(definition.module, set()).update(others)
        return list(used)

    def claim(self, name: str, meaning: object, path: Path, line: int) -> None:
        """Give a name its meaning in the bundle, where all modules share one namespace."""
        known, known_path, known_line = self.meanings.setdefault(name, (meaning, path, line))
        if known != meaning:
            raise BundleError(
                path, line, f"{name} has another meaning in {known_path}:{known_line}: rename one"
            )

    def refuse_rebinding(self) -> None:
        """An imported name keeps its first value when its module rebinds it; in one file not."""
        every = [definition for definitions in self.found.values() for definition in definitions]
        for rebinding in every:
            for user in every:
                shared = rebinding.rebinds & user.uses
                if user.module != rebinding.module and shared:
                    path = self.tree.module(rebinding.module).path
                    name = min(shared)
                    raise BundleError(
                        path, rebinding.line, f"`global {name}`, which {user.module} imports"
                    )

    def ordered_modules(self) -> list[str]:
        needs = {name: sorted(self.needs.get(name, ())) for name in sorted(self.found)}
        try:
            return list(TopologicalSorter(needs).static_order())
        except CycleError as error:
            modules: list[str] = error.args[1]
            path = self.tree.module(modules[0]).path
            raise BundleError(
                path, 1, f"modules need each other: {' -> '.join(modules)}"
            ) from error
