"""Modules as the bundler sees them: top-level definitions, imports, and what it cannot carry."""

import ast
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from submission.bundle.references import Reference, SourceText, find_references

LOADER_NAMES = frozenset(
    {"__file__", "__loader__", "__name__", "__package__", "__path__", "__spec__"}
)
"""Module attributes that Kaggle's loader leaves out or sets to something else."""


NEVER_ON_KAGGLE = ("TYPE_CHECKING", "typing.TYPE_CHECKING", "__name__ == '__main__'")
"""Conditions of which only the `else` goes into a bundle."""


class BundleError(ValueError):
    """A construct that cannot be carried over into one file; says where it is."""

    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}")


@dataclass(frozen=True, eq=False)
class Definition:
    """A top-level function, class or assignment, with its comments."""

    module: str
    path: Path
    names: tuple[str, ...]
    line: int
    source: str = field(repr=False)
    start: int
    """Offset of the source in its module."""
    references: tuple[Reference, ...] = field(repr=False)
    local_names: frozenset[str] = field(repr=False)
    """Names that a scope inside of it binds."""


@dataclass(frozen=True)
class ProjectImport:
    """An import of what goes into the bundle: of a name of a module or, without name, of itself."""

    module: str
    name: str | None
    line: int = field(compare=False)


@dataclass(frozen=True)
class LibraryImport:
    """An import of the standard library or of an installed package."""

    module: str
    name: str | None
    """Of what is imported from the module; None for the module."""
    alias: str | None
    line: int = field(compare=False)

    @property
    def bound(self) -> str:
        """The name that it defines."""
        return self.alias or self.name or self.module.partition(".")[0]

    def statement(self, bound: str) -> str:
        """The statement that imports it under a name."""
        imported = self.name or self.module
        text = (
            f"import {imported}" if self.name is None else f"from {self.module} import {imported}"
        )
        keeps = bound == self.bound and self.alias is None
        return text if keeps else f"{text} as {bound}"


@dataclass
class Module:
    """A parsed module."""

    name: str
    path: Path
    summary: str
    definitions: dict[str, Definition] = field(default_factory=dict)
    imports: dict[str, ProjectImport | LibraryImport] = field(default_factory=dict)
    future: bool = False
    """Whether it has `from __future__ import annotations`."""


def read_module(name: str, path: Path, project: frozenset[str]) -> Module:
    """Parse a module.

    Args:
        name: its import name.
        path: its file.
        project: top-level names of the packages and modules that go into the bundle.

    Raises:
        OSError: the file cannot be read.
        BundleError: a construct that the bundler cannot carry over.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BundleError(path, 1, f"not UTF-8: {error}") from error
    return _parsed(name, path, text, project)


@lru_cache(maxsize=256)
def _parsed(name: str, path: Path, text: str, project: frozenset[str]) -> Module:
    """The module of a text; most bundles of a match are made of the same ones."""
    return _Reader(name, path, text, project).read()


class _Reader:
    """Goes through the statements of one module."""

    def __init__(self, name: str, path: Path, text: str, project: frozenset[str]) -> None:
        self.path = path
        self.text = text
        self.project = project
        try:
            self.tree = ast.parse(text)
        except SyntaxError as error:
            raise BundleError(path, error.lineno or 1, f"not Python: {error.msg}") from error
        self.source_text = SourceText(self.text)
        self.module = Module(name, path, (ast.get_docstring(self.tree) or "").strip())

    def read(self) -> Module:
        last_line = 0
        for statement, following in zip(self.tree.body, [*self.tree.body, None][1:], strict=True):
            if statement.lineno <= last_line:
                raise self.error(statement, "two statements on one line")
            last_line = statement.end_lineno or statement.lineno
            self.read_statement(statement, following)
        return self.module

    def read_statement(self, statement: ast.stmt, following: ast.stmt | None) -> None:
        match statement:
            case ast.Expr(value=ast.Constant(value=str())):
                pass  # a docstring: of the module, or kept with the assignment before it
            case ast.Import():
                self.read_import(statement)
            case ast.ImportFrom():
                self.read_import_from(statement)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.define((statement.name,), statement, following)
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                pass
            case ast.Assign(targets=targets) if all(isinstance(t, ast.Name) for t in targets):
                names = tuple(t.id for t in targets if isinstance(t, ast.Name))
                self.define(names, statement, following)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                self.define((name,), statement, following)
            case ast.If(orelse=otherwise) if ast.unparse(statement.test) in NEVER_ON_KAGGLE:
                for other in otherwise:
                    self.read_statement(other, None)
            case _:
                kind = type(statement).__name__
                raise self.error(statement, f"a module-level side effect ({kind} statement)")

    def read_import(self, statement: ast.Import) -> None:
        for alias in statement.names:
            top = alias.name.partition(".")[0]
            imported: ProjectImport | LibraryImport
            if top in self.project:
                module = alias.name if alias.asname else top
                imported = ProjectImport(module, None, statement.lineno)
            else:
                imported = LibraryImport(alias.name, None, alias.asname, statement.lineno)
            self.bind(alias.asname or top, imported, statement)

    def read_import_from(self, statement: ast.ImportFrom) -> None:
        module = statement.module
        if module == "__future__":
            self.module.future = True
            return
        if statement.level or module is None:
            raise self.error(statement, "a relative import: write the module's full name")
        for alias in statement.names:
            if alias.name == "*":
                raise self.error(statement, "a star import: name what is imported")
            imported: ProjectImport | LibraryImport
            if module.partition(".")[0] in self.project:
                imported = ProjectImport(module, alias.name, statement.lineno)
            else:
                imported = LibraryImport(module, alias.name, alias.asname, statement.lineno)
            self.bind(alias.asname or alias.name, imported, statement)

    def bind(self, name: str, imported: ProjectImport | LibraryImport, statement: ast.stmt) -> None:
        known = self.module.imports.get(name)
        if known is None or known != imported:
            self.require_new(name, statement)
        self.module.imports[name] = imported

    def define(
        self, names: tuple[str, ...], statement: ast.stmt, following: ast.stmt | None
    ) -> None:
        for name in names:
            self.require_new(name, statement)
        self.refuse_project_imports(statement)
        references, local_names = find_references(statement, self.source_text)
        for reference in references:
            name = reference.path[0]
            if name in LOADER_NAMES and not reference.quoted:
                raise BundleError(
                    self.path,
                    reference.line,
                    f"cannot bundle {name}, which is not the same in Kaggle's loader",
                )
        start, end = self.extent(statement, following)
        definition = Definition(
            self.module.name,
            self.path,
            names,
            statement.lineno,
            self.text[start:end],
            start,
            references,
            local_names,
        )
        self.module.definitions |= dict.fromkeys(names, definition)

    def extent(self, statement: ast.stmt, following: ast.stmt | None) -> tuple[int, int]:
        """The lines of a statement, the comments right above it, and the docstring below it."""
        decorators = getattr(statement, "decorator_list", [])
        lines = self.source_text.lines
        first = min(node.lineno for node in (statement, *decorators))
        while first > 1 and lines[first - 2].startswith("#"):
            first -= 1
        last = statement.end_lineno or statement.lineno
        match following:
            case ast.Expr(value=ast.Constant(value=str()), end_lineno=int(line)):
                last = line
        return self.source_text.line_start(first), self.source_text.line_start(last + 1) - 1

    def require_new(self, name: str, statement: ast.stmt) -> None:
        if name in self.module.definitions or name in self.module.imports:
            raise self.error(statement, f"{name} is defined twice")

    def refuse_project_imports(self, statement: ast.stmt) -> None:
        for node in ast.walk(statement):
            match node:
                case ast.Import(names=names):
                    modules = [alias.name for alias in names]
                case ast.ImportFrom(level=level, module=module):
                    modules = ["." if level else str(module)]
                case _:
                    continue
            for name in modules:
                if name == "." or name.partition(".")[0] in self.project:
                    raise self.error(node, "a project import inside a definition: move it up")

    def error(self, node: ast.AST, problem: str) -> BundleError:
        return BundleError(self.path, getattr(node, "lineno", 1), f"cannot bundle {problem}")
