"""Gather the definitions that an agent needs, from all modules, in an order in which they run."""

import builtins
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from submission.bundle.naming import (
    Builtin,
    Meaning,
    OwnNames,
    Symbol,
    Use,
    bundle_names,
    renamed,
)
from submission.bundle.references import Reference
from submission.bundle.sources import (
    BundleError,
    Definition,
    LibraryImport,
    Module,
    ProjectImport,
    read_module,
)


@dataclass
class Closure:
    """Everything that a set of symbols needs."""

    modules: list[Module] = field(default_factory=list)
    """The modules that contribute, each after those whose definitions it uses."""
    sources: dict[str, list[str]] = field(default_factory=dict)
    """The definitions that each of them contributes, in the order of its source."""
    imports: list[str] = field(default_factory=list)
    """Statements that import from libraries, sorted."""
    names: dict[Meaning, str] = field(default_factory=dict)
    """The name of everything in the bundle."""
    future: bool = False
    """Whether a module asks for `from __future__ import annotations`."""


@dataclass(frozen=True)
class _ModuleItself:
    """The meaning of a name that stands for a module of the project."""

    name: str


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

    def resolve(self, module: str, reference: Reference) -> tuple[Meaning, int]:
        """The meaning of a reference in a module, and how many parts of its path name it.

        Raises:
            BundleError: it has none, or means a module as a value.
        """
        path, place = reference.path, (self.module(module).path, reference.line)
        meaning, parts = self._meaning(module, path[0], place), 1
        while isinstance(meaning, _ModuleItself):
            if parts == len(path):
                raise BundleError(
                    *place,
                    f"cannot bundle the module {meaning.name} as a value: name what you use of it, "
                    f"or write `from {meaning.name} import NAME`",
                )
            meaning = self._member(meaning.name, path[parts], place)
            parts += 1
        if parts > 1 and parts == len(path) and reference.changes:
            raise BundleError(*place, f"cannot bundle a change of another module's {path[-1]}")
        return meaning, parts

    def _meaning(self, module: str, name: str, place: tuple[Path, int]) -> Meaning | _ModuleItself:
        source = self.module(module)
        if name in source.definitions:
            return Symbol(module, name)
        match source.imports.get(name):
            case LibraryImport() as library_import:
                return library_import
            case ProjectImport(module=origin, name=original, line=line):
                here = source.path, line
                if not self.path(origin).is_file():
                    raise BundleError(*here, f"there is no module {origin}")
                return (
                    _ModuleItself(origin)
                    if original is None
                    else self._member(origin, original, here)
                )
        if hasattr(builtins, name):
            return Builtin(name)
        raise BundleError(*place, f"{name} is used or imported, but not defined here")

    def _member(self, module: str, name: str, place: tuple[Path, int]) -> Meaning | _ModuleItself:
        """The meaning of `module.name`."""
        inner = f"{module}.{name}"
        source = self.module(module)
        defined = name in source.definitions or name in source.imports
        if not self.path(inner).is_file():
            if not defined:
                raise BundleError(*place, f"{module} defines no {name}")
            return self._meaning(module, name, place)
        if defined:
            raise BundleError(*place, f"{inner} is a module, and {module} defines {name} as well")
        return _ModuleItself(inner)


def close(tree: SourceTree, start: list[Symbol], own: OwnNames) -> Closure:
    """Gather what `start` needs, and give everything a name of its own.

    Args:
        tree: where it is looked up.
        start: what is needed.
        own: names that the bundle defines itself.

    Raises:
        BundleError: a construct that cannot be carried over.
    """
    return _Gatherer(tree).gather(start, own)


class _Gatherer:
    """Follows the references from definition to definition."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree = tree
        self.uses: dict[Definition, list[Use]] = {}

    def gather(self, start: list[Symbol], own: OwnNames) -> Closure:
        pending = [self.definition(symbol) for symbol in start]
        while pending:
            definition = pending.pop()
            if definition not in self.uses:
                self.uses[definition] = list(self.uses_in(definition))
                pending += self.needed_by(definition)
        self.refuse_rebinding()
        names = bundle_names(self.uses, own)
        modules = [self.tree.module(name) for name in self.ordered_modules()]
        return Closure(
            modules,
            {module.name: self.sources(module.name, names) for module in modules},
            sorted(
                meaning.statement(name)
                for meaning, name in names.items()
                if isinstance(meaning, LibraryImport)
            ),
            names,
            any(module.future for module in modules),
        )

    def definition(self, symbol: Symbol) -> Definition:
        module = self.tree.module(symbol.module)
        if symbol.name not in module.definitions:
            raise BundleError(module.path, 1, f"{symbol.name} is not defined at the top level")
        return module.definitions[symbol.name]

    def uses_in(self, definition: Definition) -> Iterator[Use]:
        """Resolve the references of a definition, but for those in strings."""
        for reference in definition.references:
            if not reference.quoted:
                self.refuse_hidden_builtin(definition, reference)
                yield Use(reference, *self.tree.resolve(definition.module, reference))

    def refuse_hidden_builtin(self, definition: Definition, reference: Reference) -> None:
        """Above a module's own `max`, and in it, the name has two meanings one after the other."""
        module, name = self.tree.module(definition.module), reference.path[0]
        hiding = module.definitions.get(name) or module.imports.get(name)
        if hiding is None or reference.changes or not hasattr(builtins, name):
            return
        if definition.line <= hiding.line:
            raise BundleError(
                module.path, reference.line, f"{name} may mean the builtin here: rename your own"
            )

    def quoted_uses_in(self, definition: Definition) -> Iterator[Use]:
        """Resolve those in strings that have a meaning: nothing evaluates them, so some may not."""
        for reference in definition.references:
            if reference.quoted:
                with suppress(BundleError):
                    yield Use(reference, *self.tree.resolve(definition.module, reference))

    def needed_by(self, definition: Definition) -> list[Definition]:
        return [
            self.definition(use.meaning)
            for use in self.uses[definition]
            if isinstance(use.meaning, Symbol)
        ]

    def sources(self, module: str, names: Mapping[Meaning, str]) -> list[str]:
        definitions = [definition for definition in self.uses if definition.module == module]
        return [
            renamed(
                definition,
                [*self.uses[definition], *self.quoted_uses_in(definition)],
                names,
            )
            for definition in sorted(definitions, key=lambda definition: definition.line)
        ]

    def refuse_rebinding(self) -> None:
        """A name that is imported keeps its first value when its module rebinds it.

        In one file it would not, as it does not where it is read as `module.name`.
        """
        readers: dict[Meaning, set[str]] = defaultdict(set)
        for definition, uses in self.uses.items():
            for use in uses:
                if use.parts == 1 and not use.reference.changes:
                    readers[use.meaning].add(definition.module)
        for definition, uses in self.uses.items():
            for use in uses:
                name, *attributes = use.reference.path
                is_rebound = use.reference.changes and not attributes
                others = readers[use.meaning] - {definition.module}
                if is_rebound and name not in definition.names and others:
                    raise BundleError(
                        definition.path,
                        use.reference.line,
                        f"`global {name}`, which {min(others)} imports",
                    )

    def ordered_modules(self) -> list[str]:
        needs: dict[str, set[str]] = {definition.module: set() for definition in self.uses}
        for definition in self.uses:
            needs[definition.module] |= {needed.module for needed in self.needed_by(definition)}
        try:
            return list(
                TopologicalSorter(
                    {name: sorted(needs[name] - {name}) for name in sorted(needs)}
                ).static_order()
            )
        except CycleError as error:
            modules: list[str] = error.args[1]
            path = self.tree.module(modules[0]).path
            raise BundleError(
                path, 1, f"modules need each other: {' -> '.join(modules)}"
            ) from error
