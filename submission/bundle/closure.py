"""Collects the definitions that an agent needs, in an order in which they can run."""

import ast
import builtins
import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import chain

from submission.bundle.definitions import BundleError, Definition
from submission.bundle.loading import Loading
from submission.bundle.naming import Meaning, OwnNames, Symbol, Use, bundle_names, renamed
from submission.bundle.package_files import with_content
from submission.bundle.source_tree import SourceTree
from submission.bundle.sources import Import, Module
from submission.sandbox.inside.source_facts import early_among


@dataclass(frozen=True)
class Closure:
    """The definitions that a set of symbols needs."""

    modules: Sequence[Module]
    """The modules that contribute, each after those whose definitions it uses."""
    definitions: Sequence[Definition]  # from these modules, in source order
    sources: Mapping[str, list[str]]  # the texts of these definitions, by module
    playing: set[Definition]  # the definitions that may be called after loading
    imports: list[str]  # statements that import from libraries, sorted
    names: Mapping[Meaning, str]  # the name of each thing in the bundle
    future: bool  # whether it needs `from __future__ import annotations`


def close(tree: SourceTree, start: list[Symbol], own: OwnNames) -> Closure:
    """Collect and name the definitions that `start` needs; the bundle's `own` names are taken.

    Raises:
        BundleError: a construct that cannot be bundled.
    """
    loading = Loading(tree, start)
    uses: dict[Definition, list[Use]] = {}
    needs: dict[str, set[str]] = defaultdict(set)  # the modules that each module needs
    pending = [one for symbol in start for one in loading.lasting(symbol)]
    while pending:
        definition = pending.pop()
        if definition not in uses:
            uses[definition] = tree.uses(definition)
            meanings = (use.meaning for use in uses[definition])
            symbols = (meaning for meaning in meanings if isinstance(meaning, Symbol))
            needed = [*chain.from_iterable(map(loading.lasting, symbols))]
            needs[definition.module].update(one.module for one in needed)
            pending += needed
        if not pending:
            pending += loading.missing(uses)
    loading.refuse_hidden_builtins(uses)
    _refuse_rebinding([*chain.from_iterable(uses.values())])
    names = bundle_names(uses, own)
    modules = [tree.module(name) for name in _ordered(tree, needs)]
    definitions = sorted(uses, key=lambda one: (one.line, one.start))
    sources: dict[str, list[str]] = {module.name: [] for module in modules}
    for one in definitions:
        used = tree.known_uses(one)  # also those in string annotations
        sources[one.module].append(with_content(one, used, renamed(one, used, names)))
    imports = sorted(
        meaning.statement(name) for meaning, name in names.items() if isinstance(meaning, Import)
    )
    future = any(module.future or _is_named_early(module, definitions) for module in modules)
    _refuse_texts_in_dataclasses(definitions, future)
    return Closure(modules, definitions, sources, loading.playing(), imports, names, future)


def _refuse_rebinding(uses: Sequence[Use]) -> None:
    """Refuse code that rebinds a global name which other modules import.

    The importing modules would keep the first value; in one file they would see the new one.
    """
    readers: dict[Meaning, set[str]] = defaultdict(set)
    for use in uses:
        if use.parts == 1 and not use.reference.changes:
            readers[use.meaning].add(use.definition.module)
    for use in uses:
        name = use.reference.path[0]
        others = readers[use.meaning] - {use.definition.module}
        if use.reference.binds and name not in use.definition.names and others:
            raise use.error(
                f"cannot bundle `global {name}`: {min(others)} uses {name} too, and only in a "
                "bundle would it see the new value"
            )


def _is_named_early(module: Module, definitions: Sequence[Definition]) -> bool:
    """Whether an annotation has a name that has no value yet when Kaggle's Python evaluates it.

    Python 3.14 evaluates annotations when they are read.
    """
    own = [one.statement for one in definitions if one.module == module.name]
    known = {*dir(builtins), *module.imports}
    return sys.version_info >= (3, 14) and any(early_among(own, known))


LOOKED_UP = re.compile(r"['\"]?(?:\w+\.)?(ClassVar|InitVar|KW_ONLY)\b")
"""Annotations by which dataclasses recognise names that are not ordinary fields."""


def _refuse_texts_in_dataclasses(definitions: Sequence[Definition], future: bool) -> None:
    """Refuse `ClassVar` and the like as strings, which the `__future__` import makes of them.

    Dataclasses look up the meaning of a string in the class's module, which Kaggle's loader does
    not create, and so would take these names for fields.
    """
    fields = [
        (one, field)
        for one in definitions
        for node in one.nodes
        if isinstance(node, ast.ClassDef)
        and any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
        for field in node.body
        if isinstance(field, ast.AnnAssign)
        and (future or isinstance(field.annotation, ast.Constant))
    ]
    for one, field in fields:
        if found := LOOKED_UP.match(ast.unparse(field.annotation)):
            raise one.error(
                field,
                f"cannot bundle {found[1]} as text, which a dataclass cannot look up in Kaggle's "
                "loader: write it without quotes and without `from __future__ import annotations`, "
                "and put names that are defined further down in quotes",
            )


def _ordered(tree: SourceTree, needs: Mapping[str, set[str]]) -> list[str]:
    """The names of the modules, each after those that it needs."""
    graph = {name: sorted(needs[name] - {name}) for name in sorted(needs)}
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        modules: list[str] = error.args[1]
        problem = f"modules need one another to be loaded: {' -> '.join(modules)}"
        raise BundleError(tree.module(modules[0]).path, 1, problem) from error
