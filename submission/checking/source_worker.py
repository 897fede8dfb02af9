"""Prints what a Python source imports and defines, as JSON.

A stand-alone script, run by path with `python -I`: parsing can end the interpreter that does it.
It does not execute the source. Argument: path of the source.
"""

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path

MOST_BYTES = 20_000_000
"""A longer source is not parsed: its syntax tree would take gigabytes."""


def imported_modules(tree: ast.Module) -> set[str]:
    """Top-level names of the modules imported anywhere in the source."""
    names = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


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
    facts = {
        "imports": sorted(imported_modules(tree)),
        "definitions": list(definitions(tree.body)),
    }
    sys.stdout.write(json.dumps(facts))


if __name__ == "__main__":
    main()
