"""Modules as the bundler sees them: top-level definitions, imports, and what it cannot carry."""

import ast
import symtable
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

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


@dataclass(frozen=True)
class Definition:
    """A top-level function, class or assignment, with its comments."""

    module: str
    names: tuple[str, ...]
    line: int
    source: str
    uses: frozenset[str]
    """Names that are looked up at module level."""
    rebinds: frozenset[str]
    """Names that it rebinds by a `global` statement."""


@dataclass(frozen=True)
class ProjectImport:
    """`from module import name`, of a module that goes into the bundle."""

    module: str
    line: int


@dataclass(frozen=True)
class LibraryImport:
    """An import of the standard library or of an installed package, as a statement of its own."""

    statement: str
    line: int


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
    return _Reader(name, path, project).read()


class _Reader:
    """Goes through the statements of one module."""

    def __init__(self, name: str, path: Path, project: frozenset[str]) -> None:
        self.path = path
        self.project = project
        try:
            self.text = path.read_text(encoding="utf-8")
            self.tree = ast.parse(self.text)
        except UnicodeDecodeError as error:
            raise BundleError(path, 1, f"not UTF-8: {error}") from error
        except SyntaxError as error:
            raise BundleError(path, error.lineno or 1, f"not Python: {error.msg}") from error
        self.lines = self.text.splitlines()
        self.module = Module(name, path, (ast.get_docstring(self.tree) or "").strip())

    def read(self) -> Module:
        last_line = 0
        for statement, following in zip(self.tree.body, [*self.tree.body[1:], None], strict=True):
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
            if top in self.project:
                raise self.error(
                    statement, f"`import {alias.name}`: write `from {alias.name} import NAME`"
                )
            text = f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")
            self.bind(alias.asname or top, LibraryImport(text, statement.lineno), statement)

    def read_import_from(self, statement: ast.ImportFrom) -> None:
        if statement.module == "__future__":
            self.module.future = True
            return
        if statement.level or statement.module is None:
            raise self.error(statement, "a relative import: write the module's full name")
        in_project = statement.module.partition(".")[0] in self.project
        for alias in statement.names:
            if alias.name == "*":
                raise self.error(statement, "a star import: name what is imported")
            if not in_project:
                text = f"from {statement.module} import {alias.name}"
                text += f" as {alias.asname}" if alias.asname else ""
                imported = LibraryImport(text, statement.lineno)
                self.bind(alias.asname or alias.name, imported, statement)
            elif alias.asname:
                raise self.error(
                    statement, f"the alias {alias.asname} for {alias.name}: use one name everywhere"
                )
            else:
                project_import = ProjectImport(statement.module, statement.lineno)
                self.bind(alias.name, project_import, statement)

    def bind(self, name: str, imported: ProjectImport | LibraryImport, statement: ast.stmt) -> None:
        self.require_new(name, statement)
        self.module.imports[name] = imported

    def define(
        self, names: tuple[str, ...], statement: ast.stmt, following: ast.stmt | None
    ) -> None:
        for name in names:
            self.require_new(name, statement)
        self.refuse_project_imports(statement)
        table = symtable.symtable(
            "\n" * (statement.lineno - 1) + ast.unparse(statement), str(self.path), "exec"
        )
        uses = _global_names(table)
        for name in sorted(uses & LOADER_NAMES):
            raise self.error(statement, f"{name}, which is not the same in Kaggle's loader")
        rebinds = frozenset(
            name
            for node in ast.walk(statement)
            if isinstance(node, ast.Global)
            for name in node.names
        )
        definition = Definition(
            self.module.name,
            names,
            statement.lineno,
            self.source_of(statement, following),
            uses,
            rebinds,
        )
        self.module.definitions |= dict.fromkeys(names, definition)

    def source_of(self, statement: ast.stmt, following: ast.stmt | None) -> str:
        """The lines of a statement, the comments right above it, and the docstring below it."""
        decorators = getattr(statement, "decorator_list", [])
        first = min(node.lineno for node in (statement, *decorators)) - 1
        while first > 0 and self.lines[first - 1].startswith("#"):
            first -= 1
        last = statement.end_lineno
        match following:
            case ast.Expr(value=ast.Constant(value=str())):
                last = following.end_lineno
        return dedent("\n".join(self.lines[first:last]))

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


def _global_names(table: symtable.SymbolTable) -> frozenset[str]:
    """The names that a piece of code looks up in the module that it stands in."""
    top_level = table.get_type() == "module"
    names = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_referenced() and (top_level or symbol.is_global())
    }
    return frozenset(names.union(*(_global_names(child) for child in table.get_children())))
