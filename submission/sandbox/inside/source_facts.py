"""Facts about a submission's source: its imports and its definitions.

Parsing can crash the interpreter, and another interpreter may have another grammar and other
packages. So this file is also a script, run by its path with `python -I`, that prints the facts as
JSON. It uses only the standard library and does not execute the source.
"""

import ast
import builtins
import io
import json
import subprocess
import sys
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import asdict, dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple

OLDER_PYTHON, NEWER_PYTHON = (3, 11), (3, 12)  # Kaggle may play with either

PARSING_SECONDS = 30
MOST_BYTES = 20_000_000  # a longer source is not parsed: its syntax tree would take gigabytes
MOST_PACKED_BYTES = 2_000_000
"""The most bytes of a submission's other sources that are parsed, which takes some seconds."""

Origin = Literal["standard", "packed", "installed", "missing"]
"""Where a module comes from; "packed" means beside the file that Kaggle loads."""


class Definition(NamedTuple):
    """A name that the source defines outside functions and classes."""

    name: str
    line: int  # from 1
    kind: Literal["function", "class", "import", "assignment"]


class Import(NamedTuple):
    """A module that the sources import, and where the interpreter that plays finds it."""

    module: str  # its top-level name
    origin: Origin
    distributions: tuple[str, ...]  # the distributions of an installed module, as far as known
    is_guarded: bool
    """Whether it is imported in a `try` or a `with`, so that the sources may do without it."""


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """The facts about a source; the defaults stand for one that could not be parsed."""

    imports: tuple[Import, ...] | None = None
    """All imports in the submission's sources, by name; None if parsing fails."""
    definitions: tuple[Definition, ...] = ()
    """In source order; empty if parsing fails."""
    newer_line: int | None = None
    """The line, from 1, with syntax that `OLDER_PYTHON` lacks; None if there is none."""
    unreadable_line: int | None = None  # the same for syntax that `NEWER_PYTHON` lacks, too
    early_line: int | None = None
    """The line, from 1, of an annotation that Kaggle's Python evaluates too early, unlike the one
    that plays; None if there is none."""

    def modules(self, *, standard: bool) -> tuple[str, ...] | None:
        """The imports from Python's standard library, or all others; None if parsing fails."""
        if self.imports is None:
            return None
        return tuple(e.module for e in self.imports if (e.origin == "standard") is standard)


def read_source(source: Path, python: Path | None = None) -> SourceFacts:
    """Parse a submission in a process of its own, without executing any of it.

    Modules beside the file count as packed with it. The grammar and the packages are those of
    `python`, by default this interpreter.
    """
    try:
        answer = subprocess.run(  # noqa: S603
            [python or sys.executable, "-I", __file__, str(source)],
            capture_output=True,
            check=True,
            timeout=PARSING_SECONDS,
        )
    except subprocess.SubprocessError:
        return SourceFacts()
    import msgspec  # late: another interpreter that runs this file has only its own packages

    return msgspec.json.decode(answer.stdout, type=SourceFacts)


def _imported_modules(tree: ast.AST) -> Iterator[str]:
    """The full names of the modules that a part of the source imports."""
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom(module=str(name), level=0):
                yield name
            case ast.Call(
                func=ast.Name("import_module" | "__import__")
                | ast.Attribute(attr="import_module" | "__import__"),
                args=[ast.Constant(str(name)), *_],
            ) if name.partition(".")[0].isidentifier():
                yield name


def _guarded_modules(tree: ast.Module) -> Iterator[str]:
    """The full names of the modules that are imported where an exception may be caught."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Try | ast.TryStar | ast.With):
            yield from _imported_modules(node)


def _packed_trees(main: Path) -> Iterator[ast.Module]:
    """The parsed sources beside the file that Kaggle loads; unreadable ones are left out."""
    size = 0
    for path in sorted(main.parent.rglob("*.py")):
        size += path.stat().st_size
        if path != main and size <= MOST_PACKED_BYTES:
            try:
                yield ast.parse(path.read_bytes())
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


@cache
def _distributions() -> Mapping[str, list[str]]:
    """The distributions of each module; finding them takes as long as Python takes to start."""
    from importlib.metadata import packages_distributions

    return packages_distributions()


def _origin(module: str, folder: Path) -> Origin:
    """Where the interpreter finds a module, by its top-level name."""
    if module in sys.stdlib_module_names:
        return "standard"
    if (folder / module).is_dir() or any(folder.glob(f"{module}.*")):
        return "packed"
    return "installed" if _is_installed(module) else "missing"


def _imports(modules: Set[str], guarded: Set[str], folder: Path) -> Iterator[Import]:
    for name in sorted(modules):
        origin = _origin(name, folder)
        distributions = _distributions().get(name, ()) if origin == "installed" else ()
        yield Import(name, origin, tuple(sorted({*distributions})), name in guarded)


def _definitions(statements: list[ast.stmt]) -> Iterator[Definition]:
    """The top-level definitions, in order."""
    for statement in statements:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield Definition(statement.name, statement.lineno, "function")
            case ast.ClassDef():
                yield Definition(statement.name, statement.lineno, "class")
            case ast.Import() | ast.ImportFrom():
                for alias in statement.names:
                    name = alias.asname or alias.name.partition(".")[0]
                    yield Definition(name, statement.lineno, "import")
            case ast.Assign():
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        yield Definition(target.id, statement.lineno, "assignment")
            case _:
                for part in ("body", "handlers", "orelse", "finalbody"):
                    yield from _definitions(getattr(statement, part, []))


def _newer_line(text: str, python: tuple[int, int]) -> int | None:
    """The first line of a source that this Python can read, but the given older one cannot."""
    if sys.version_info[:2] <= python:
        return None
    try:
        ast.parse(text, feature_version=python)
    except SyntaxError as error:
        return error.lineno
    return next(_newer_fields(text), None) if python < (3, 12) else None


def _newer_fields(text: str) -> Iterator[int]:
    """The lines of f-strings with fields that only Python 3.12 can read (PEP 701).

    Before 3.12, a field could contain no comment, no backslash and no quote of the f-strings around
    it, and a new line only if these had triple quotes.
    """
    quotes = list[str]()  # of the f-strings around the token, the outermost first
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        if kind == "FSTRING_END":
            quotes.pop()
        around = quotes[:-1] if kind == "FSTRING_MIDDLE" else quotes
        forbidden = ["\\", *around, *("\n" for quote in around if len(quote) == 1)]
        if around and (kind == "COMMENT" or any(part in token.string for part in forbidden)):
            yield token.start[0]
        if kind == "FSTRING_START":
            quotes.append(token.string.lstrip("fFrR"))


def early_annotations(tree: ast.Module) -> Iterator[int]:
    """The lines of annotations with a name that has no value yet when the module is loaded.

    Python evaluates annotations at that time; from 3.14 on only when they are read (PEP 649).
    """
    origins = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    if not any(node.module == "__future__" or node.names[0].name == "*" for node in origins):
        yield from early_among(tree.body, {*dir(builtins)})


def early_among(statements: Iterable[ast.stmt], known: set[str]) -> Iterator[int]:
    """The same for the statements of a scope, which add their names to `known`."""
    for statement in statements:
        for annotation in _annotations(statement):
            if any(node.id not in known for node in _names(annotation)):
                yield annotation.lineno
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                known.add(statement.name)
            case ast.ClassDef():
                yield from early_among(statement.body, {*known})
                known.add(statement.name)
            case ast.Import() | ast.ImportFrom():
                known |= {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
            case ast.If(test=ast.Name("TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                yield from early_among(statement.orelse, known)
            case _:
                known |= {node.id for node in _names(statement) if isinstance(node.ctx, ast.Store)}
                for part in ("body", "handlers", "orelse", "finalbody", "cases"):
                    yield from early_among(getattr(statement, part, []), known)


def _annotations(statement: ast.stmt) -> Iterator[ast.expr]:
    """The annotations that are evaluated when a statement runs."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            arguments = [node for node in ast.walk(statement.args) if isinstance(node, ast.arg)]
            annotations = [*(argument.annotation for argument in arguments), statement.returns]
            yield from filter(None, annotations)
        case ast.AnnAssign():
            yield statement.annotation


def _names(node: ast.AST) -> Iterator[ast.Name]:
    return (each for each in ast.walk(node) if isinstance(each, ast.Name))


def main() -> None:
    """Print the facts about the source that the command line names."""
    source = Path(sys.argv[1])
    if source.stat().st_size > MOST_BYTES:
        sys.exit(f"{source} is longer than {MOST_BYTES} bytes")
    text = source.read_text(encoding="utf-8")
    tree = ast.parse(text)
    trees = [tree, *_packed_trees(source)]
    modules, guarded = (
        {name.partition(".")[0] for each in trees for name in find(each)}
        for find in (_imported_modules, _guarded_modules)
    )
    facts = SourceFacts(
        tuple(_imports(modules, guarded, source.parent)),
        tuple(_definitions(tree.body)),
        _newer_line(text, OLDER_PYTHON),
        _newer_line(text, NEWER_PYTHON),
        next(early_annotations(tree), None) if sys.version_info >= (3, 14) else None,
    )
    sys.stdout.write(json.dumps(asdict(facts)))


if __name__ == "__main__":
    main()
