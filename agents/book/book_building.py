"""Building opening books and repertoires, with a checkpoint from which an interrupted run goes on.

The checkpoint is a text file: a first line that says what is computed, then a line for each
position with its key (`agents.book.book_positions`) and its score or column, in the order in which
they were found.
"""

import os
from collections.abc import Mapping
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from agents.agent import OnProgress
from agents.book.book_format import BookContent, encode_repertoire
from agents.book.book_positions import BookScope, positions_by_ply
from agents.book.repertoire import RepertoireScope
from agents.book.repertoire_building import RepertoireBuilder
from agents.book.shards import solve_positions

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
        """Read the findings by key, none if no file is there. A line cut short is removed.

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


def build_book(
    checkpoint: Checkpoint[BookScope],
    known: Mapping[int, int],
    executor: Executor,
    table_megabytes: int,
    on_progress: OnProgress,
) -> BookContent:
    """Solve what is not known of the checkpoint's book yet.

    Args:
        checkpoint: the scores go there as soon as they are found.
        known: scores by key of an earlier run.
        executor: any executor of the `concurrent.futures` kind.
        table_megabytes: size of each worker's transposition table.
        on_progress: takes the number of positions done.

    Raises:
        UnfinishedBook: Ctrl-C, or a worker process died.
    """
    scope = checkpoint.scope
    keys = positions_by_ply(scope)[-1].tolist()
    scores = {key: known[key] for key in keys if key in known}
    unknown = [key for key in keys if key not in known]
    on_progress(len(scores), len(keys), "")
    try:
        for found in solve_positions(scope, unknown, executor, table_megabytes):
            checkpoint.append(found)
            scores |= found
            on_progress(len(scores), len(keys), "")
    except (KeyboardInterrupt, BrokenExecutor) as stop:
        raise _unfinished(stop, f"{len(scores)} of {len(keys)} positions are solved") from stop
    return BookContent(scope, np.array([scores[key] for key in keys], np.int64))


def build_repertoire(
    checkpoint: Checkpoint[RepertoireScope],
    known: Mapping[int, int],
    executor: Executor,
    table_megabytes: int,
    on_progress: OnProgress,
) -> bytes:
    """Find what is not known of a repertoire's moves yet; its bytes.

    Args:
        checkpoint: the moves go there as soon as they are found.
        known: columns by key of an earlier run.
        executor: any executor of the `concurrent.futures` kind.
        table_megabytes: size of each worker's transposition table.
        on_progress: takes the number of positions of a ply that are done.

    Raises:
        UnfinishedBook: Ctrl-C, or a worker process died.
    """
    builder = RepertoireBuilder(
        checkpoint.scope, executor, table_megabytes, known, checkpoint.append, on_progress
    )
    try:
        return encode_repertoire(checkpoint.scope, builder.build())
    except (KeyboardInterrupt, BrokenExecutor) as stop:
        done = f"the moves of {len(builder.columns)} positions are found"
        raise _unfinished(stop, done) from stop


class UnfinishedBook(Exception):
    """The computation has stopped; the message says why, how far it got, and how to go on."""


def _unfinished(stop: BaseException, done: str) -> UnfinishedBook:
    interrupted = isinstance(stop, KeyboardInterrupt)
    reason = "Interrupted" if interrupted else "A worker died, perhaps for want of memory"
    return UnfinishedBook(f"{reason}: {done}. The same command with --resume goes on from there.")
