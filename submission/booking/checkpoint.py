"""Scores or moves on disk while a book is computed, so that an interrupted computation can go on.

A text file: a first line that says what of, then a line for each position with its key
(`agents.book.positions`) and its score or column, in the order in which they were found.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from agents.book.positions import BookScope
from agents.book.repertoire import RepertoireScope

Scope = TypeVar("Scope", BookScope, RepertoireScope)


@dataclass(frozen=True)
class Checkpoint(Generic[Scope]):
    """The file with what has been found for one book or one board's repertoires."""

    path: Path
    scope: Scope

    def require_new(self) -> None:
        """See to it that nothing of an earlier run is there.

        Raises:
            FileExistsError: something is.
        """
        if self.path.exists():
            raise FileExistsError(
                f"{self.path} has what an earlier run found: go on from there with --resume, or "
                "delete it"
            )

    def read(self) -> dict[int, int]:
        """What was found, by key; nothing if no file is there. A line cut short is removed.

        Raises:
            OSError: the file cannot be read and written.
            ValueError: it is of something else, or a line of it is damaged.
        """
        content = self.path.read_bytes() if self.path.exists() else b""
        if not content:
            return {}
        *lines, cut_short = content.decode("ascii", "replace").split("\n")
        if lines[:1] != [self._first_line]:
            raise ValueError(
                f"{self.path} does not begin with {self._first_line!r}: it belongs to something "
                "else, so choose another --output"
            )
        os.truncate(self.path, len(content) - len(cut_short))
        return dict(self._pair(number, line) for number, line in enumerate(lines[1:], start=2))

    def append(self, found: Mapping[int, int]) -> None:
        """Add scores or columns by key."""
        with self.path.open("a", encoding="ascii", newline="\n") as file:
            if file.tell() == 0:
                file.write(f"{self._first_line}\n")
            file.writelines(f"{key} {number}\n" for key, number in found.items())

    @property
    def _first_line(self) -> str:
        scope = self.scope
        board = f"rows {scope.rows}, columns {scope.columns}, inarow {scope.inarow}"
        if isinstance(scope, BookScope):
            return f"connectx book scores 1: {board}, plies {scope.plies}"
        return f"connectx book moves 1: {board}"

    def _pair(self, number: int, line: str) -> tuple[int, int]:
        try:
            key, found = map(int, line.split())
        except ValueError:
            raise ValueError(
                f"{self.path}, line {number}: {line!r} is not a key and a score or column: "
                "delete this line"
            ) from None
        return key, found
