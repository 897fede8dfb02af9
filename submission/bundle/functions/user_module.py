"""A user's module: the relevant part of its source, its current values, and added statements."""

import ast
import builtins
import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, count
from types import ModuleType
from typing import Any

from submission.bundle.definitions import Definition, imported_names, imported_tops
from submission.bundle.functions.user_session import Session, Stop
from submission.bundle.references import bound_by
from submission.bundle.sources import Import, ModuleReader, is_off_on_kaggle

FRONT_DOORS = ("connectx", "submission", "submission.front_door")
"""The modules that build and evaluate players."""

PATH_CHANGE = re.compile(r"sys\.path\.")  # the start of a call that changes where modules are found


@dataclass
class UserModule:
    """A user's module whose functions go into a file; BundleError if it is not Python."""

    name: str
    namespace: dict[str, Any] = field(repr=False)
    session: Session
    project: frozenset[str] = field(repr=False)

    def __post_init__(self) -> None:
        self.path, text, stops = self.session.path, self.session.text, self.session.stops
        reader = SessionReader(self.name, self.path, text, self.project, stops=stops)
        self.parsed = reader.read()
        """The source, with the statements added to it."""
        self._imported: dict[tuple[str, str | None], str] = {}
        self._end = text.count("\n") + 2

    def knows(self, name: str) -> bool:
        """Whether the source defines or imports a name."""
        return name in self.parsed.definitions or name in self.parsed.imports

    def name_of(self, value: Any) -> str | None:
        """The name that the source gives to this object, by identity; None if it has none."""
        own = getattr(value, "__name__", None)
        if isinstance(own, str) and self.namespace.get(own) is value and self.knows(own):
            return own
        return self._names.get(id(value))

    def forget_names(self) -> None:
        """Look up anew which objects the names refer to, because the namespace has changed."""
        vars(self).pop("_names", None)

    @cached_property
    def _names(self) -> dict[int, str]:
        return {
            id(value): name
            for name, value in self.namespace.items()
            if self.knows(name)
            and not any(  # a loop may be left out
                isinstance(one.statement, ast.For | ast.AsyncFor | ast.While) and name in one.names
                for one in self.parsed.definitions.get(name, ())
            )
        }

    def import_of(self, value: Any) -> str | None:
        """A name for a module or a module's definition, imported if needed; otherwise None."""
        if isinstance(value, ModuleType):
            return self.import_from(value.__name__, None)
        module, name = (getattr(value, key, None) for key in ("__module__", "__name__"))
        if not isinstance(module, str) or not isinstance(name, str) or module == self.name:
            return None
        if module not in sys.modules or vars(sys.modules[module]).get(name) is not value:
            return None
        is_builtin = module == builtins.__name__ and not self.knows(name)
        return name if is_builtin else self.import_from(module, name)

    def import_from(self, module: str, name: str | None) -> str:
        """A name for another module's `name`, or for the module itself if `name` is None."""
        if (module, name) not in self._imported:
            own = name or module
            bound = self.fresh(own.rpartition(".")[2])
            is_bundled = module.partition(".")[0] in self.project
            alias = None if bound == own else bound
            self.parsed.imports[bound] = Import(module, name, alias, is_bundled)
            self._imported[module, name] = bound
        return self._imported[module, name]

    def add(self, text: str, line: int | None = None) -> None:
        """Add statements after a line or at the end; a new value replaces a name's former ones."""
        start, line = len(self.session.text), self._end if line is None else line
        reader = SessionReader(self.name, self.path, text, self.project, start, line)
        self._end += text.count("\n") + 1
        for name, written in reader.read().definitions.items():
            former = [] if written[0].replaces(name) else self.parsed.definitions[name]
            self.parsed.definitions[name] = [*former, *written]

    def credit(self, name: str, statement: Definition) -> None:
        """Count a statement that has run among those that give a name its value."""
        written = {*self.parsed.definitions[name], statement}
        self.parsed.definitions[name] = sorted(written, key=lambda one: one.line)

    def restore(self, node: ast.FunctionDef) -> str:
        """Make this definition of a function the only one with its name; return the name."""
        written = self.parsed.definitions[node.name]
        self.parsed.definitions[node.name] = [one for one in written if one.line == node.lineno]
        return node.name

    def fresh(self, stem: str) -> str:
        """A name that is not used here."""
        stem = stem if stem.isidentifier() else "carried"
        names = chain([stem], (f"{stem}_{number}" for number in count(2)))
        taken = {*self.namespace, *dir(builtins)}
        return next(name for name in names if name not in taken and not self.knows(name))


@dataclass
class SessionReader(ModuleReader):
    """Keeps every statement that has run, under the names that it defines or changes.

    A loop or another statement that is still running is left out, and so is one that has raised,
    that builds or evaluates players, which needs this package, or that awaits something outside a
    function, which only cells can do.
    """

    stops: Sequence[Stop] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        self._asking = set[str]()  # the functions that build or evaluate players
        self._rebound = self._find_rebound()

    def _read_statement(self, statement: ast.stmt, following: ast.stmt | None) -> None:
        match statement:
            case _ if any(stop.line < statement.lineno <= stop.until for stop in self.stops):
                pass
            case ast.Expr(value=ast.Call(func=called)) if PATH_CHANGE.match(ast.unparse(called)):
                pass  # a single file has no other modules to find
            case ast.If() if is_off_on_kaggle(statement):
                super()._read_statement(statement, following)
            case _ if any(
                statement.lineno <= stop.line <= (statement.end_lineno or 0)
                and (following is None or following.lineno > stop.line)
                for stop in self.stops
            ):
                self.module.unfinished |= _defined_by(self._definition(statement, following))
            case ast.Try(body=body) if all(map(self._imports_own, body)):
                for inner in body:  # in one file these imports need no alternative
                    self._read_statement(inner, None)
            case ast.Import(names=names) | ast.ImportFrom(names=names) if self._rebound & {
                *map(bound_by, names)
            }:
                self._keep(statement, following)
            case ast.Assign():  # including `__all__`, which functions may read
                self._keep(statement, following)
            case _:
                super()._read_statement(statement, following)

    def _imports_own(self, statement: ast.stmt) -> bool:
        return bool(tops := imported_tops(statement)) and tops <= {"", *self.project}

    def _keep(self, statement: ast.stmt, following: ast.stmt | None) -> None:
        """Record a statement under every name that it binds or whose value it changes."""
        definition = self._definition(statement, following)
        asks = self._asks_this_package(definition)
        if definition.is_called_later:
            self._asking |= definition.names if asks else set()
        elif asks or any(
            isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith)
            or (isinstance(node, ast.comprehension) and node.is_async)
            for node in definition.nodes
        ):
            self.module.unfinished |= _defined_by(definition)
            return
        self._record(definition, _defined_by(definition))

    def _asks_this_package(self, definition: Definition) -> bool:
        """Whether a statement uses the front door, directly or through a function."""
        used = {one.path[0] for one in definition.references}
        imports = (self.module.imports.get(name) for name in used)
        return not used.isdisjoint(self._asking) or any(
            each is not None and each.module in FRONT_DOORS for each in imports
        )

    def _aliases(self, statement: ast.ImportFrom, module: str) -> list[ast.alias]:
        """What a statement imports from a module, with stars resolved.

        A star also imports modules that its module imports, such as `random`. These are left out if
        they are imported here, too, and `random.seed(1)` makes that import a definition.
        """
        if statement.names[0].name != "*":
            return statement.names
        found = vars(sys.modules[module]) if module in sys.modules else {}
        names = found.get("__all__", [name for name in found if not name.startswith("_")])
        return [ast.alias(name) for name in names if not self._has_imported(name, found.get(name))]

    def _has_imported(self, name: str, value: Any) -> bool:
        """Whether a definition of this name imports this module."""
        return isinstance(value, ModuleType) and any(
            value.__name__ in imported_names(one.statement)
            for one in self.module.definitions.get(name, ())
        )

    def _require_new(self, name: str, statement: ast.stmt) -> None:
        """Let a later import replace an earlier one: two stars may import the same name."""
        if name in self.module.definitions:
            super()._require_new(name, statement)

    def _find_rebound(self) -> set[str]:
        """The names that are bound in more than one way, if only by different imports."""
        ways = defaultdict[str, set[object]](set)
        for statement in self.tree.body:
            match statement:
                case ast.Import(names=names) | ast.ImportFrom(names=names):
                    for alias in names:
                        if alias.name != "*":
                            ways[bound_by(alias)].add(self._way(statement, alias))
                case _:
                    for name in _defined_by(self._definition(statement, None)):
                        ways[name].add(statement)
        return {name for name, found in ways.items() if len(found) > 1}

    def _way(self, statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> object:
        """What an import binds: the same for `import package.one` and `import package.two`."""
        if isinstance(statement, ast.ImportFrom):
            return statement.module, ast.dump(alias)
        is_own_package = alias.asname is None and bound_by(alias) in self.project
        return bound_by(alias) if is_own_package else ast.dump(alias)


def _defined_by(definition: Definition) -> frozenset[str]:
    """The names that a statement binds, or whose values it changes when it runs."""
    return definition.names | definition.changed_at_once
