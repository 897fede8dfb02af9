"""Modules as the bundler sees them: their top-level definitions and imports."""

import ast
import builtins
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.util import resolve_name
from pathlib import Path

from submission.bundle.definitions import CALLED_LATER, BundleError, Definition
from submission.bundle.references import bound_by, find_names, first_line
from submission.bundle.scopes import SourceText

NEVER_ON_KAGGLE = ("TYPE_CHECKING", "typing.TYPE_CHECKING", "__name__ == '__main__'")
"""Conditions that are false on Kaggle: only their `else` goes into a bundle."""

MAIN = "__main__"  # the module name of a script that is run, and of a notebook


@dataclass(frozen=True)
class Import:
    """An import of a module, or of a name in it."""

    module: str
    name: str | None = None  # None for the module itself
    alias: str | None = None
    is_bundled: bool = False  # whether the module itself goes into the bundle
    line: int = field(default=1, compare=False)

    @property
    def bound(self) -> str:
        """The name that the import defines."""
        return self.alias or self.name or self.module.partition(".")[0]

    def statement(self, bound: str) -> str:
        """The import statement that binds it to this name."""
        text = f"from {self.module} import {self.name}" if self.name else f"import {self.module}"
        keeps = bound == self.bound and self.alias is None
        return text if keeps else f"{text} as {bound}"


@dataclass
class Module:
    """A parsed module."""

    name: str
    path: Path
    summary: str
    definitions: dict[str, list[Definition]] = field(default_factory=dict)
    """The statements that define or change each name, in order."""
    imports: dict[str, Import] = field(default_factory=dict)
    running: list[Definition] = field(default_factory=list)
    """Statements that may call functions that change other names: by decorators, for example, or as
    classes that inherit `__init_subclass__` or have a metaclass."""
    unfinished: set[str] = field(default_factory=set)
    """Names that left-out statements, such as one still running, define or change."""
    for_types: set[str] = field(default_factory=set)
    """Names that exist only during type checking, for annotations."""
    future: bool = False  # whether it has `from __future__ import annotations`

    @cached_property
    def hides_builtins(self) -> dict[str, int]:
        """The builtins that the module redefines, and the lines where it does."""
        lines = {name: imported.line for name, imported in self.imports.items()}
        lines |= {name: written[0].line for name, written in self.definitions.items()}
        return {name: line for name, line in lines.items() if hasattr(builtins, name)}


def is_off_on_kaggle(statement: ast.If) -> bool:
    """Whether the body of a statement does not run on Kaggle."""
    return ast.unparse(statement.test) in NEVER_ON_KAGGLE


def _only_binds(statement: ast.AST) -> bool:
    """Whether a statement does nothing but bind names.

    `TABLE[key] = 1` changes a part of a value, and a call as a statement may do anything.
    """
    match statement:
        case ast.Assign() | ast.AnnAssign():
            return not any(
                isinstance(node, ast.Attribute | ast.Subscript)
                and not isinstance(node.ctx, ast.Load)
                for node in ast.walk(statement)
            )
        case ast.Try(body, handlers, otherwise, final):
            return all(map(_only_binds, [*body, *handlers, *otherwise, *final]))
        case ast.ExceptHandler(body=body):
            return all(map(_only_binds, body))
    return isinstance(statement, CALLED_LATER | ast.Import | ast.ImportFrom | ast.Pass)


def read_module(name: str, path: Path, project: frozenset[str]) -> Module:
    """Parse a module; `project` has the top-level names of the modules that can be bundled.

    Raises:
        OSError: the file cannot be read.
        BundleError: a construct that cannot be bundled.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BundleError(path, 1, f"not UTF-8: {error}") from error
    return _parsed(name, path, text, project)


@lru_cache(maxsize=256)
def _parsed(name: str, path: Path, text: str, project: frozenset[str]) -> Module:
    """Parse a module; cached, since most bundles of a match share their modules."""
    return ModuleReader(name, path, text, project).read()


@dataclass
class ModuleReader:
    """Reads the statements of one module, or of a text at an offset and a line in one."""

    name: str
    path: Path
    text: str
    project: frozenset[str]
    start: int = 0
    line: int = 1

    def __post_init__(self) -> None:
        try:
            self.tree = ast.parse(self.text)
        except SyntaxError as error:
            raise BundleError(self.path, error.lineno or 1, f"not Python: {error.msg}") from error
        self.source_text = SourceText(self.text, self.start, self.line)
        self.module = Module(self.name, self.path, (ast.get_docstring(self.tree) or "").strip())

    def read(self) -> Module:
        """Read and return the module."""
        for statement, following in zip(self.tree.body, [*self.tree.body, None][1:], strict=True):
            self._read_statement(statement, following)
        return self.module

    def _read_statement(self, statement: ast.stmt, following: ast.stmt | None) -> None:
        match statement:
            case ast.Expr(value=ast.Constant(value=str())):
                pass  # a docstring: of the module, or kept with the assignment before it
            case ast.Import():
                self._read_import(statement)
            case ast.ImportFrom():
                self._read_import_from(statement)
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                pass
            case ast.AnnAssign(target=ast.Name(), value=None):
                pass  # an annotation without a value
            case ast.If(body=body, orelse=otherwise) if is_off_on_kaggle(statement):
                condition = ast.unparse(statement.test)
                if "TYPE_CHECKING" in condition:
                    for inner in body:
                        self.module.for_types |= find_names(inner, self.source_text).bound
                has_run = self.name == MAIN and "__name__" in condition
                for inner in body if has_run else otherwise:
                    self._read_statement(inner, None)
            case _:
                self._keep(statement, following)

    def _read_import(self, statement: ast.Import) -> None:
        for alias in statement.names:
            top = alias.name.partition(".")[0]
            module = top if top in self.project and alias.asname is None else alias.name
            self._bind(alias, module, None, statement)

    def _read_import_from(self, statement: ast.ImportFrom) -> None:
        if statement.module == "__future__":
            self.module.future = True
            return
        module = self._origin(statement)
        for alias in self._aliases(statement, module):
            self._bind(alias, module, alias.name, statement)

    def _origin(self, statement: ast.ImportFrom) -> str:
        own = self.name
        package = own if self.path.name == "__init__.py" else own.rpartition(".")[0]
        if statement.level and not package:
            raise self._error(statement, "a relative import: write the module's full name")
        return resolve_name("." * statement.level + (statement.module or ""), package)

    def _aliases(self, statement: ast.ImportFrom, module: str) -> list[ast.alias]:
        if statement.names[0].name == "*":
            raise self._error(statement, "a star import: name what is imported")
        return statement.names

    def _bind(
        self, alias: ast.alias, module: str, imported: str | None, statement: ast.stmt
    ) -> None:
        """Record an import of a module's name `imported`, or of the module itself if it is None."""
        bound, is_bundled = bound_by(alias), module.partition(".")[0] in self.project
        meaning = Import(module, imported, alias.asname, is_bundled, statement.lineno)
        if self.module.imports.get(bound) != meaning:
            self._require_new(bound, statement)
        self.module.imports[bound] = meaning

    def _keep(self, statement: ast.stmt, following: ast.stmt | None) -> None:
        """Record a statement as the only one that defines its names."""
        if not _only_binds(statement):
            kind = type(statement).__name__
            raise self._error(
                statement,
                f"a module-level side effect ({kind} statement): give a name its final value "
                "at once, as in TABLE = filled_table()",
            )
        definition = self._definition(statement, following)
        for name in sorted(definition.names):
            self._require_new(name, statement)
        changed = definition.changed_at_once & self.module.definitions.keys()
        self._record(definition, definition.names | changed)

    def _record(self, definition: Definition, names: Iterable[str]) -> None:
        """Record a statement among those that define or change these names."""
        for name in names:
            self.module.definitions.setdefault(name, []).append(definition)
        statement = definition.statement
        is_derived = isinstance(statement, ast.ClassDef) and (statement.bases or statement.keywords)
        if definition.decorators or is_derived or not definition.is_called_later:
            self.module.running.append(definition)

    def _definition(self, statement: ast.stmt, following: ast.stmt | None) -> Definition:
        extent = self._extent(statement, following)
        return Definition(self.name, self.path, statement, self.source_text, *extent)

    def _extent(self, statement: ast.stmt, following: ast.stmt | None) -> tuple[int, int]:
        """The extent of a statement, with the comments right above and the docstring below it."""
        start, end = self.source_text.span(statement)
        lines, first = self.source_text.lines, first_line(statement)
        last = statement.end_lineno or statement.lineno
        before = self.source_text.between(self.source_text.line_start(statement.lineno), start)
        behind = self.source_text.between(end, self.source_text.line_start(last + 1) - 1)
        if before.strip() or behind.partition("#")[0].strip(" \t;"):
            return start, end  # it shares its lines with other statements
        while first > 1 and lines[first - 2].startswith("#"):
            first -= 1
        match following:
            case ast.Expr(value=ast.Constant(value=str()), end_lineno=int(line)):
                last = line
        return self.source_text.line_start(first), self.source_text.line_start(last + 1) - 1

    def _require_new(self, name: str, statement: ast.stmt) -> None:
        if name in self.module.definitions or name in self.module.imports:
            raise self._error(statement, f"{name} is defined twice")

    def _error(self, node: ast.AST, problem: str) -> BundleError:
        return BundleError(self.path, getattr(node, "lineno", 1), f"cannot bundle {problem}")
