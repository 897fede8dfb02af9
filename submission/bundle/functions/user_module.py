"""A user's module: its source, its present values, and statements added for the file."""

import ast
import builtins
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from types import ModuleType
from typing import Any

from submission.bundle.functions.user_session import Session, SessionReader, Stop
from submission.bundle.sources import LibraryImport, Module, ProjectImport

NO_FILE = Path("<cells>")


@dataclass
class UserModule:
    """A module whose functions go into a file, together with the `project`.

    Raises:
        BundleError: it is not Python.
    """

    name: str
    namespace: dict[str, Any] = field(repr=False)
    session: Session
    project: frozenset[str] = field(repr=False)

    def __post_init__(self) -> None:
        self.parsed = self._read(self.session.text, 0, 1, self.session.stops)
        """The source, and the statements added to it."""
        self._imported: dict[tuple[str, str | None], str] = {}
        self._end = self.session.text.count("\n") + 2

    @property
    def path(self) -> Path:
        """Its file, or a stand-in for messages."""
        return self.session.path or NO_FILE

    def knows(self, name: str) -> bool:
        """Whether the source defines or imports a name."""
        return name in self.parsed.definitions or name in self.parsed.imports

    def name_of(self, value: Any) -> str | None:
        """The name that the source gives to this very object, or None."""
        own = getattr(value, "__name__", None)
        if isinstance(own, str) and self.namespace.get(own) is value and self.knows(own):
            return own
        return self._names.get(id(value))

    @cached_property
    def _names(self) -> dict[int, str]:
        return {id(value): name for name, value in self.namespace.items() if self.knows(name)}

    def import_of(self, value: Any) -> str | None:
        """A name for a module or a module's definition; None for other values.

        An import is added if need be.
        """
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
            is_project = module.partition(".")[0] in self.project
            self.parsed.imports[bound] = (
                ProjectImport(module, name, line=1)
                if is_project
                else LibraryImport(module, name, None if bound == own else bound, line=1)
            )
            self._imported[module, name] = bound
        return self._imported[module, name]

    def add(self, text: str, line: int | None = None) -> None:
        """Add statements, behind a line or at the end; a new value replaces those of its name."""
        added = self._read(text, len(self.session.text), self._end if line is None else line)
        self._end += text.count("\n") + 1
        for name, written in added.definitions.items():
            former = [] if written[0].replaces(name) else self.parsed.definitions[name]
            self.parsed.definitions[name] = [*former, *written]

    def restore(self, node: ast.FunctionDef) -> str:
        """Make this definition of a function the only one of its name."""
        written = self.parsed.definitions[node.name]
        self.parsed.definitions[node.name] = [one for one in written if one.line == node.lineno]
        return node.name

    def fresh(self, stem: str) -> str:
        """A name that is not used here."""
        stem = stem if stem.isidentifier() else "carried"
        names = chain([stem], (f"{stem}_{number}" for number in count(2)))
        taken = {*self.namespace, *dir(builtins)}
        return next(name for name in names if name not in taken and not self.knows(name))

    def _read(self, text: str, start: int, line: int, stops: Sequence[Stop] = ()) -> Module:
        reader = SessionReader(self.name, self.path, text, self.project, start, line)
        return reader.read(stops)
