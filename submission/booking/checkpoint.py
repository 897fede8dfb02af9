"""Scores on disk while a book is computed, so that an interrupted computation can go on.

A text file: a first line that says of which book, then a line for each position with its key
(`agents.book.positions`) and its score, in the order in which they were solved.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agents.book.positions import BookScope


@dataclass(frozen=True)
class Checkpoint:
    """The file with the scores of one book."""

    path: Path
    scope: BookScope

    def require_new(self) -> None:
        """See to it that no earlier scores are there.

        Raises:
            FileExistsError: some are.
        """
        if self.path.exists():
            raise FileExistsError(
                f"{self.path} has the scores of an earlier run: go on from them with --resume, or "
                "delete it"
            )

    def read(self) -> dict[int, int]:
        """The scores by key; none where there is no file. A line that was cut short is removed.

        Raises:
            OSError: the file cannot be read and written.
            ValueError: it is none of this book, or a line of it is damaged.
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
        return dict(self._score(number, line) for number, line in enumerate(lines[1:], start=2))

    def append(self, scores: Mapping[int, int]) -> None:
        """Add scores by key."""
        with self.path.open("a", encoding="ascii", newline="\n") as file:
            if file.tell() == 0:
                file.write(f"{self._first_line}\n")
            file.writelines(f"{key} {score}\n" for key, score in scores.items())

    @property
    def _first_line(self) -> str:
        scope = self.scope
        return (
            f"connectx book scores 1: rows {scope.rows}, columns {scope.columns}, "
            f"inarow {scope.inarow}, plies {scope.plies}"
        )

    def _score(self, number: int, line: str) -> tuple[int, int]:
        try:
            key, score = map(int, line.split())
        except ValueError:
            raise ValueError(
                f"{self.path}, line {number}: {line!r} is not a key and a score: delete this line"
            ) from None
        return key, score
