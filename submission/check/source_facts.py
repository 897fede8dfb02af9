"""What a submission's source says of itself: its imports and its definitions."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

WORKER = Path(__file__).with_name("source_worker.py")

PARSING_SECONDS = 30

DefinitionKind = Literal["function", "class", "import", "assignment"]


@dataclass(frozen=True, slots=True)
class Definition:
    """A name that the source defines outside of functions and classes."""

    name: str
    line: int
    """From 1."""
    kind: DefinitionKind


@dataclass(frozen=True, slots=True)
class Import:
    """A module that the sources import, and where the interpreter that plays has it from."""

    module: str
    """Its top-level name."""
    origin: Literal["standard", "packed", "installed", "missing"]
    """Packed are those that lie beside the file that Kaggle loads."""
    distributions: tuple[str, ...]
    """Those of an installed module, as far as they are known."""


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What parsing shows; by default that it has failed."""

    imports: tuple[Import, ...] | None = None
    """Those anywhere in the submission's sources, by name; None where parsing fails."""
    definitions: tuple[Definition, ...] = ()
    """In the order of the source; empty where parsing fails."""

    def standard_imports(self) -> tuple[str, ...] | None:
        """The imported modules of Python's standard library; None where parsing fails."""
        if self.imports is None:
            return None
        return tuple(entry.module for entry in self.imports if entry.origin == "standard")

    def other_imports(self) -> tuple[str, ...] | None:
        """The imported modules that must come from elsewhere; None where parsing fails."""
        if self.imports is None:
            return None
        return tuple(entry.module for entry in self.imports if entry.origin != "standard")


def read_source(source: Path, python: Path | None = None) -> SourceFacts:
    """Parse a submission in a process of its own; nothing of it is executed.

    Args:
        source: the file that Kaggle loads; what it may import is packed beside it.
        python: the interpreter whose grammar and packages count; by default this one.
    """
    try:
        answer = subprocess.run(  # noqa: S603
            [python or sys.executable, "-I", str(WORKER), str(source)],
            capture_output=True,
            check=True,
            timeout=PARSING_SECONDS,
        )
    except subprocess.SubprocessError:
        return SourceFacts()
    facts = json.loads(answer.stdout)
    return SourceFacts(
        imports=tuple(
            Import(module, origin, tuple(distributions))
            for module, origin, distributions in facts["imports"]
        ),
        definitions=tuple(Definition(*entry) for entry in facts["definitions"]),
    )
