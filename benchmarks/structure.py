"""Measures the structure of the sources: files, lines, imports, and the files used by a command.

Neither is a benchmark of speed. The counts are compared with well-structured codebases, the files
used by a command with those before a change.
"""

import ast
import sys
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from os import sep
from pathlib import Path
from statistics import median
from types import FrameType
from typing import Any, NamedTuple

from benchmarks.results import Report, table

ROOT = Path(__file__).parents[1]
PACKAGES = ("envs", "agents", "submission")
PEERS = ("gymnasium", "httpx", "mctx", "pgx")


class Structure(NamedTuple):
    """The sources of a package, without `__init__.py` and data files."""

    name: str
    lines: Sequence[int]
    """The number of lines of each file."""
    imports: int
    """The number of import statements in all files."""


def structure_of(name: str, folder: Path) -> Structure:
    """Count the files below a folder."""
    sources = [
        path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.py"))
        if path.name != "__init__.py" and not path.stem.endswith("data")
    ]
    nodes = (node for source in sources for node in ast.walk(ast.parse(source)))
    imports = sum(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes)
    return Structure(name, [source.count("\n") for source in sources], imports)


def structures() -> list[Structure]:
    """The structures of our packages, and of the installed peers."""
    ours = [structure_of(name, ROOT / name) for name in PACKAGES]
    specs = [(name, find_spec(name)) for name in PEERS]
    return ours + [
        structure_of(name, Path(spec.origin).parent) for name, spec in specs if spec and spec.origin
    ]


def structure_report(counted: Sequence[Structure]) -> Report:
    """A row for each package."""
    rows = table(
        "package",
        "files",
        "lines",
        "median lines a file",
        "imports in 100 lines",
        words=["package"],
    )
    for name, lines, imports in counted:
        share = 100 * imports / sum(lines)
        rows.add_row(name, f"{len(lines)}", f"{sum(lines)}", f"{median(lines):.0f}", f"{share:.1f}")
    return [rows]


def files_passed(words: Sequence[str]) -> list[str]:
    """Run a `connectx` command, and list our files that it uses in this process, in order.

    A file is used when one of its functions is called; processes that the command starts are not
    followed.
    """
    from submission.cli import app

    passed: dict[str, None] = {}
    ours = tuple(f"{ROOT / package}{sep}" for package in PACKAGES)

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ours) and code.co_name != "<module>":
            passed[code.co_filename] = None

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        app(list(words), standalone_mode=False)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    paths = map(Path, passed)
    return [path.relative_to(ROOT).as_posix() for path in paths if path.name != "__init__.py"]
