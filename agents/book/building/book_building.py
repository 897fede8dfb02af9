"""Building opening books and repertoires, with a checkpoint to resume a run.

The checkpoint is a text file: a first line that names the computation, then a line for each
position with its key (`agents.book.book_positions`) and its score or column, in the order of their
computation.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from agents.agent import OnProgress
from agents.book.book_format import BookContent, encode_repertoire
from agents.book.book_positions import BookScope, most_positions, positions_by_ply, stones_of_keys
from agents.book.building.repertoire_building import RepertoireBuilder
from agents.book.building.shards import run_shards, scores_of_keys
from agents.book.repertoire import RepertoireScope, promising_moves
from agents.reporting.input_file import read_content
from agents.reporting.output_file import GrowingFile, growing_file
from agents.solver.position_bounds import trivial_bounds
from envs.bitboard import BoardMasks, has_run
from envs.board import BoardState
from envs.compiled.jit import Words

MOST_POSITIONS = 2**24
"""The limit after any ply of a book: three times the number after twelve plies of Connect Four."""
HEADING = "connectx book"  # the start of the first line of every checkpoint
LONGEST_QUOTE = 60  # the most characters of a line that an error message quotes

Finding = TypeVar("Finding")
Scope = TypeVar("Scope", BookScope, RepertoireScope)


class FindingsFile(ABC, Generic[Finding]):
    """A checkpoint file: findings by the keys of their positions."""

    def __init__(self, path: Path, *headings: str) -> None:
        self.path = path
        self.headings = headings  # first lines of runs that this one can continue
        self.heading = headings[-1]  # its own first line: what is computed
        self.count = 0
        """The number of findings, including those of this run, once the file is `opened`."""
        self.was_torn = False  # whether the last line was incomplete when the file was opened
        self._file: GrowingFile
        self._untold: list[str]
        """The lines to write before the next findings: the heading, until it is in the file."""

    @abstractmethod
    def line(self, key: int, finding: Finding) -> str:
        """The line of a finding."""

    @abstractmethod
    def finding(self, line: str, heading: str) -> tuple[int, Finding]:
        """The key and the finding of a line of the run with this heading.

        The ValueError for an invalid line says what is expected.
        """

    def joined(self, earlier: Finding, finding: Finding) -> Finding:
        """Merge two findings of one position; a ValueError if they contradict each other."""
        if earlier != finding:
            raise ValueError(finding)
        return earlier

    @contextmanager
    def opened(self, resume: bool) -> Iterator[dict[int, Finding]]:
        """Lock the file for this run in the `with` block; the findings of earlier runs by key.

        Raises:
            FileExistsError: there are findings, but `resume` is false.
            OSError: the file cannot be read and written, or another run is using it.
            ValueError: it belongs to another computation, or has an impossible line.
        """
        with growing_file(self.path) as self._file:
            try:
                content = self._file.read()
                found, torn = self._parsed(content)
                if content and not resume:
                    raise FileExistsError(
                        f"{self.path} has the findings of an earlier run: go on with "
                        "--resume, or delete it"
                    )
                self._file.cut(len(content) - len(torn))
                self.count, self.was_torn = len(found), bool(torn)
                is_told = f"{self.heading}\n".encode() in content
                self._untold = [] if is_told else [self.heading]
                yield found
            finally:
                with suppress(OSError):  # on Windows an open file cannot be removed
                    if not self.path.stat().st_size:
                        self.path.unlink()

    def read(self) -> dict[int, Finding]:
        """Read the findings by key; an incomplete last line is skipped."""
        return self._parsed(read_content(self.path, "name a checkpoint"))[0]

    def append(self, found: Mapping[int, Finding]) -> None:
        """Add findings by key, while the file is `opened`."""
        lines = [self.line(key, finding) for key, finding in found.items()]
        self._file.append("".join(f"{line}\n" for line in self._untold + lines).encode("ascii"))
        self.count, self._untold = self.count + len(lines), []

    def _parsed(self, content: bytes) -> tuple[dict[int, Finding], str]:
        """The findings of a file, and an incomplete last line."""
        *lines, torn = content.decode("ascii", "replace").split("\n")
        if not lines and self.heading.startswith(torn):
            return {}, torn
        begun = [line for line in lines if line.startswith(HEADING)]
        if not begun or begun[0] != lines[0] or not {*begun} <= {*self.headings}:
            raise ValueError(
                f"{self.path} does not belong to {self.heading!r}: choose another --output"
            )
        found = dict[int, Finding]()
        for number, line in enumerate(lines, start=1):
            if line in begun:
                heading = line
                continue
            place = f"{self.path}, line {number}: {line[:LONGEST_QUOTE]!r}"
            try:
                key, finding = self.finding(line, heading)
            except ValueError as error:
                raise ValueError(f"{place} is not {error}: delete this line") from None
            try:
                found[key] = self.joined(found[key], finding) if key in found else finding
            except ValueError:
                raise ValueError(f"{place} contradicts an earlier line: delete one") from None
        return found, torn


class Checkpoint(FindingsFile[int], Generic[Scope]):
    """The checkpoint of a book's scores, or of a board's columns by `RepertoireBuilder.choice`."""

    def __init__(self, path: Path, scope: Scope, choice: str = "best") -> None:
        board = board_words(scope.rows, scope.columns, scope.inarow)
        chosen = "" if choice == "best" else f", {choice}"
        heading = f"{HEADING} moves 1: {board}{chosen}"
        if isinstance(scope, BookScope):
            heading = f"{HEADING} scores 1: {board}, plies {scope.plies}"
        super().__init__(path, heading)
        self.scope: Scope = scope
        self.choice = choice

    def line(self, key: int, finding: int) -> str:
        """The line of a score or column."""
        return f"{key} {finding}"

    def finding(self, line: str, heading: str) -> tuple[int, int]:
        """The key and the score or column of a line."""
        try:
            key, found = map(int, line.split())
        except ValueError:
            raise ValueError("a key and a score or column") from None
        state = position_of_key(self.scope.board, key)
        if state is None or not self._can_have(state, found):
            raise ValueError("a position with a score or column that it can have")
        return key, found

    def _can_have(self, state: BoardState, found: int) -> bool:
        board = self.scope.board
        if isinstance(self.scope, BookScope):
            least, most = trivial_bounds(board, state.mover, state.mask)
            return state.ply == self.scope.plies and least <= found <= most
        columns = promising_moves(board, state)
        return len(columns) > 1 and found in columns


def position_of_key(board: BoardMasks, key: int) -> BoardState | None:
    """The unfinished position with a key, or None."""
    state = BoardState.of_stones(*stones_of_keys(board, key))
    both = state.mover, state.mask ^ state.mover
    has_line = any(has_run(stones, board.rows, board.inarow) for stones in both)
    in_turn = state.mover.bit_count() == state.ply // 2
    goes_on = in_turn and not has_line and state.mask != board.board
    return state if goes_on and state.key == key else None


def board_words(rows: int, columns: int, inarow: int) -> str:
    """The name of a board in the first line of a checkpoint."""
    return f"rows {rows}, columns {columns}, inarow {inarow}"


def build_book(
    checkpoint: Checkpoint[BookScope],
    known: Mapping[int, int],
    executor: Executor,
    table_megabytes: int,
    on_progress: OnProgress,
) -> BookContent:
    """Solve the missing positions of the checkpoint's book.

    Raises:
        UnfinishedBook: Ctrl-C, or a worker process died.
        ValueError: there are too many positions of some ply.
    """
    scope = checkpoint.scope
    keys = _positions(scope).tolist()
    scores = {key: known[key] for key in keys if key in known}
    unknown = [key for key in keys if key not in known]
    on_progress(len(scores), len(keys), "")
    with told_how_to_go_on(lambda: f"{len(scores)} of {len(keys)} positions are solved"):
        work = partial(scores_of_keys, scope, table_megabytes)
        for found in run_shards(executor, work, unknown):
            checkpoint.append(found)
            scores |= found
            on_progress(len(scores), len(keys), "")
    return BookContent(scope, np.array([scores[key] for key in keys], np.int64))


def _positions(scope: BookScope) -> Words:
    """The keys of the positions after the last ply; a ValueError if earlier plies have too many."""
    plies = positions_by_ply(scope, MOST_POSITIONS)
    most = most_positions(len(plies[-1]))
    if any(len(keys) > most for keys in plies):
        raise ValueError(
            f"there are fewer positions after {scope.plies} plies than after an earlier ply: "
            "choose fewer plies"
        )
    return plies[-1]


def build_repertoire(
    checkpoint: Checkpoint[RepertoireScope],
    known: Mapping[int, int],
    executor: Executor,
    table_megabytes: int,
    on_progress: OnProgress,
) -> bytes:
    """Find the missing moves of a repertoire, and return its bytes; raises `UnfinishedBook`."""
    builder = RepertoireBuilder(
        checkpoint.scope,
        executor,
        table_megabytes,
        dict(known),
        checkpoint.append,
        on_progress,
        checkpoint.choice,
    )
    with told_how_to_go_on(lambda: f"the moves of {len(builder.columns)} positions are found"):
        return encode_repertoire(checkpoint.scope, builder.build())


class UnfinishedBook(Exception):
    """A computation has stopped; the message says why, how far it got, and how to continue."""


@contextmanager
def told_how_to_go_on(done: Callable[[], str]) -> Iterator[None]:
    """Turn Ctrl-C and the death of a worker into `UnfinishedBook`; `done` returns the progress."""
    try:
        yield
    except (KeyboardInterrupt, BrokenExecutor) as stop:
        interrupted = isinstance(stop, KeyboardInterrupt)
        reason = "Interrupted" if interrupted else "A worker died, perhaps because memory ran out"
        raise UnfinishedBook(
            f"{reason}: {done()}. The same command with --resume goes on from there."
        ) from stop
