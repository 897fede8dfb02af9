"""Prints what a submission imports and defines, as JSON.

A stand-alone script, run by path with `python -I`: parsing can end the interpreter that does it.
It does not execute the source. Argument: path of the source that Kaggle loads.
"""

import ast
import json
import sys
from collections.abc import Iterator, Set
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

MOST_BYTES = 20_000_000
"""A longer source is not parsed: its syntax tree would take gigabytes."""

MOST_PACKED_BYTES = 2_000_000
"""Of the other sources of a submission only so many bytes are parsed, which takes some seconds."""


def imported_modules(tree: ast.Module) -> Iterator[str]:
    """Full names of the modules imported anywhere in the source."""
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


def packed_trees(main: Path) -> Iterator[ast.Module]:
    """The sources beside the one that Kaggle loads, as far as they can be parsed."""
    size = 0
    for path in sorted(main.parent.rglob("*.py")):
        size += path.stat().st_size
        if path != main and size <= MOST_PACKED_BYTES:
            try:
                yield ast.parse(path.read_bytes())
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue


def is_installed(module: str) -> bool:
    """Whether this interpreter has a module of its own, or the user has added it."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def classified(modules: Set[str], folder: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Each top-level name with where it comes from, and its distributions where it is installed."""
    distributions = packages_distributions() if modules - sys.stdlib_module_names else {}
    for name in sorted(modules):
        if name in sys.stdlib_module_names:
            yield name, "standard", []
        elif (folder / name).is_dir() or any(folder.glob(f"{name}.*")):
            yield name, "packed", []
        elif is_installed(name):
            yield name, "installed", sorted(set(distributions.get(name, ())))
        else:
            yield name, "missing", []


def definitions(statements: list[ast.stmt]) -> Iterator[tuple[str, int, str]]:
    """Name, line and kind of what the module's own level defines, in order."""
    for statement in statements:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield statement.name, statement.lineno, "function"
            case ast.ClassDef():
                yield statement.name, statement.lineno, "class"
            case ast.Import() | ast.ImportFrom():
                for alias in statement.names:
                    name = alias.asname or alias.name.partition(".")[0]
                    yield name, statement.lineno, "import"
            case ast.Assign():
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        yield target.id, statement.lineno, "assignment"
            case _:
                for part in ("body", "handlers", "orelse", "finalbody"):
                    yield from definitions(getattr(statement, part, []))


def main() -> None:
    """Describe the source that the command line names."""
    source = Path(sys.argv[1])
    if source.stat().st_size > MOST_BYTES:
        sys.exit(f"{source} is longer than {MOST_BYTES} bytes")
    tree = ast.parse(source.read_text(encoding="utf-8"))
    modules = {
        name.partition(".")[0]
        for source_tree in (tree, *packed_trees(source))
        for name in imported_modules(source_tree)
    }
    facts = {
        "imports": list(classified(modules, source.parent)),
        "definitions": list(definitions(tree.body)),
    }
    sys.stdout.write(json.dumps(facts))


if __name__ == "__main__":
    main()
