"""Gather the definitions that an agent needs, from all modules, in an order in which they run."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from submission.bundle.definitions import BundleError, Definition
from submission.bundle.loading import Loading
from submission.bundle.naming import Meaning, OwnNames, Symbol, Use, bundle_names, renamed
from submission.bundle.package_files import with_content
from submission.bundle.source_tree import SourceTree
from submission.bundle.sources import LibraryImport, Module


@dataclass
class Closure:
    """Everything that a set of symbols needs."""

    modules: list[Module] = field(default_factory=list)
    """The modules that contribute, each after those whose definitions it uses."""
    definitions: list[Definition] = field(default_factory=list)
    """What they contribute, in the order of their sources."""
    sources: dict[str, list[str]] = field(default_factory=dict)
    """The texts of that, by module."""
    playing: set[Definition] = field(default_factory=set)
    """Those that may be called after loading."""
    imports: list[str] = field(default_factory=list)
    """Statements that import from libraries, sorted."""
    names: dict[Meaning, str] = field(default_factory=dict)
    """The name of everything in the bundle."""
    future: bool = False
    """Whether a module asks for `from __future__ import annotations`."""


def close(tree: SourceTree, start: list[Symbol], own: OwnNames) -> Closure:
    """Gather what `start` needs, and give everything a name of its own.

    Args:
        tree: where it is looked up.
        start: what is needed.
        own: names that the bundle defines itself.

    Raises:
        BundleError: a construct that cannot be carried over.
    """
    return _Gatherer(tree, start).gather(own)


class _Gatherer:
    """Follows the references from definition to definition."""

    def __init__(self, tree: SourceTree, start: list[Symbol]) -> None:
        self.tree = tree
        self.start = start
        self.loading = Loading(tree, start)
        self.uses: dict[Definition, list[Use]] = {}

    def gather(self, own: OwnNames) -> Closure:
        pending = [one for symbol in self.start for one in self.loading.lasting(symbol)]
        while pending:
            self.follow(pending)
            pending = list(self.loading.missing(self.uses))
        self.loading.refuse_hidden_builtins(self.uses)
        self.refuse_rebinding()
        names = bundle_names(self.uses, own)
        modules = [self.tree.module(name) for name in self.ordered_modules()]
        definitions = sorted(self.uses, key=lambda one: (one.line, one.start))
        sources: dict[str, list[str]] = {module.name: [] for module in modules}
        for one in definitions:
            uses = [*self.uses[one], *self.quoted_uses_in(one)]
            sources[one.module].append(with_content(one, uses, renamed(one, uses, names)))
        return Closure(
            modules,
            definitions,
            sources,
            self.loading.playing(),
            sorted(
                meaning.statement(name)
                for meaning, name in names.items()
                if isinstance(meaning, LibraryImport)
            ),
            names,
            any(module.future for module in modules),
        )

    def follow(self, pending: list[Definition]) -> None:
        """Keep definitions, and what they need."""
        while pending:
            definition = pending.pop()
            if definition not in self.uses:
                self.uses[definition] = self.tree.uses(definition)
                pending += self.needed_by(definition)

    def quoted_uses_in(self, definition: Definition) -> Iterator[Use]:
        """Resolve those in strings that have a meaning: nothing evaluates them, so some may not."""
        for reference in definition.references:
            if reference.quoted:
                with suppress(BundleError):
                    yield Use(reference, *self.tree.resolve(definition.module, reference))

    def needed_by(self, definition: Definition) -> list[Definition]:
        return [
            needed
            for use in self.uses[definition]
            if isinstance(use.meaning, Symbol)
            for needed in self.loading.lasting(use.meaning)
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
