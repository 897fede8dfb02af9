"""`connectx book`."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from agents.agent import OnProgress
from agents.book.book_format import decode_repertoire, encode_book, traps_content
from agents.book.book_positions import BookScope
from agents.book.building.book_building import (
    Checkpoint,
    FindingsFile,
    UnfinishedBook,
    build_book,
    build_repertoire,
)
from agents.book.building.repertoire_building import columns_of_book
from agents.book.building.replies_file import RepliesFile, TrapScope
from agents.book.building.trap_book import (
    SCOUTS,
    build_traps,
    opponents_asked,
    strong_opponents,
)
from agents.book.repertoire import Repertoire, RepertoireScope
from agents.options import require_at_least
from agents.parallel.workers import CORES
from agents.reporting.output_file import replace_content, require_writable
from envs.connectx import ConnectX
from submission.cli.arguments import files_of_players, require_distinct, require_memory
from submission.cli.options import SOLVING, declared, flag, output, setting
from submission.executors.work import chosen_count, chosen_executor
from submission.reports import counted, size_in_words
from submission.terminal import progress_bar, say, status_line

BOOK_PLIES = 8
TRAP_MINUTES = 15.0


@declared(
    SOLVING,
    repertoire=flag("Find best moves, not scores, for all positions that their player can meet."),
    traps=flag("Where no win can be forced, find moves after which likely opponents err most."),
    opponent=setting(
        "AGENT",
        "With --traps: a likely opponent, such as alphazero:simulations=600; repeatable.",
        default="strong searches",
    ),
    minutes=setting(
        "M", "With --traps: how long to look for traps.", min=0, default=f"{TRAP_MINUTES:g}"
    ),
    improve=setting(
        "FILE",
        "With --traps: an earlier book of traps, or shipped; its moves are tried first, and stay "
        "where nothing better is found.",
        default="none",
    ),
    plies=setting(
        "N",
        "Number of plies that the book covers.",
        default="at most 8; with --repertoire or --traps, half of the board's cells less one",
    ),
    seat=setting("S", "Only for player 1 or 2.", default="2 with --traps, both with --repertoire"),
    all_plies=setting(
        "N",
        "With --repertoire: also a best move for every position up to this ply.",
        default="none",
        min=-1,
    ),
    resume=flag("Continue where an earlier run was interrupted."),
    table_megabytes=setting("MB", "Size of each worker's transposition table.", min=1),
    output=output(default="openings.cxbk, repertoire.cxrp or traps.cxrp"),
)
def book(
    repertoire: bool = False,
    traps: bool = False,
    opponent: list[str] | None = None,
    minutes: float | None = None,
    improve: str | None = None,
    plies: int | None = None,
    seat: int | None = None,
    all_plies: int = -1,
    resume: bool = False,
    workers: int = CORES,
    dask: str | None = None,
    table_megabytes: int = 512,
    rows: int = 6,
    columns: int = 7,
    inarow: int = 4,
    output: Path | None = None,
) -> None:
    """Solve a board's openings in advance.

    By default: the scores of all positions of the first plies.

    With --repertoire: an exactly best move for each position that can arise from the empty board
    when a player follows the repertoire, against any replies. Of several best moves it has the one
    that leaves a fallible opponent most ways to go wrong. To use it,
    `connectx build perfect --option repertoire=FILE`.

    With --traps: moves for a player who cannot win against perfect play, such as player 2 of
    Connect Four. They keep the result, too; in a lost position every move does. A search finds the
    moves after which the opponents given by --opponent most probably give something away; the
    longer it looks, the more it finds. Name quick opponents first: all but the first four are
    asked for their replies only after some looks at a position, fewer where one of these may err.
    To go on from a finished book, name it with --improve. To use the traps, `connectx build perfect
    --option traps=FILE`.

    Findings are saved at once, in FILE.scores, FILE.moves or FILE.replies, so that after Ctrl-C the
    same command with --resume goes on without loss; --traps may then take further opponents, named
    after the others. Exit status 1 after Ctrl-C.
    """
    board = rows, columns, inarow
    if dask is None:
        require_memory(table_megabytes, workers)
    if repertoire and traps:
        raise ValueError("--repertoire and --traps make different books: choose one")
    if not traps and (opponent or improve or minutes is not None):
        raise ValueError("--opponent, --minutes and --improve are only for --traps: add it")
    if not repertoire and all_plies >= 0:
        raise ValueError("--all-plies is only for --repertoire: add it")
    if seat not in (None, 1, 2):
        raise ValueError(f"the seat must be 1 or 2, not {seat}")
    writing = Writing(resume, workers, dask, table_megabytes)
    if not (repertoire or traps):
        if seat is not None:
            raise ValueError("--seat is only for --repertoire and --traps: add one of them")
        default = min(BOOK_PLIES, rows * columns - 1)
        scope = BookScope(*board, default if plies is None else plies)
        writing.write_scores(scope, output or Path("openings.cxbk"))
        return
    reach = max(0, rows * columns // 2 - 1) if plies is None else plies
    require_at_least("plies", reach, 0)
    if traps and seat is None:
        seat = 2
    moves = RepertoireScope(
        *board, all_plies, -1 if seat == 2 else reach, -1 if seat == 1 else reach
    )
    moves.check()
    if repertoire:
        writing.write_repertoire(moves, output or Path("repertoire.cxrp"))
        return
    require_distinct(output, read=files_of_players(opponent or ()))
    scope_of_traps = TrapScope(*board, seat or 2, tuple(opponent or strong_opponents(*board)))
    earlier = None if improve is None else _earlier_book(improve, scope_of_traps)
    scope_of_traps.check()
    seconds = 60.0 * (TRAP_MINUTES if minutes is None else minutes)
    writing.write_traps(scope_of_traps, moves, seconds, earlier, output or Path("traps.cxrp"))


@dataclass(frozen=True)
class Writing:
    """How books are built: by which workers, and whether an earlier run is continued."""

    resume: bool
    workers: int
    dask: str | None
    table_megabytes: int

    def write_scores(self, scope: BookScope, output: Path) -> None:
        """Write the scores of all positions of the first plies."""
        checkpoint = Checkpoint(_beside(output, "scores"), scope)
        with self._begun(checkpoint) as ([known], executor, show):
            content = build_book(checkpoint, known, executor, self.table_megabytes, show)
            replace_content(output, encode_book(content))
        _say_written(output, counted(len(content.deepest_scores), "scores"))

    def write_repertoire(self, scope: RepertoireScope, output: Path) -> None:
        """Write a best move for each position that its player meets."""
        checkpoint = Checkpoint(_beside(output, "moves"), scope)
        with self._begun(checkpoint) as ([known], executor, show):
            data = build_repertoire(checkpoint, known, executor, self.table_megabytes, show)
            replace_content(output, data)
        _say_written(output, f"the moves of {checkpoint.count} positions")

    def write_traps(
        self,
        scope: TrapScope,
        moves: RepertoireScope,
        seconds: float,
        earlier: Repertoire | None,
        output: Path,
    ) -> None:
        """Write traps, and best moves for the other positions that their player meets."""
        replies = RepliesFile(_beside(output, "replies"), scope)
        others = Checkpoint(_beside(output, "moves"), moves, "traps")
        megabytes = self.table_megabytes
        with self._begun(replies, others) as ([known, other_columns], executor, show):
            count = chosen_count(self.workers, self.dask)
            columns = dict[int, int]()
            if earlier is not None:
                show(0, 0, "reading the earlier book")
                columns = columns_of_book(earlier, scope.seat)
            traps = build_traps(replies, known, executor, count, megabytes, seconds, show, columns)
            columns |= {**other_columns, **traps}
            data = build_repertoire(others, columns, executor, megabytes, show)
            replace_content(output, data)
        _say_written(output, f"{len(traps)} traps, and the moves of the other positions")
        before = {key: opponents_asked(found) for key, found in known.items()}
        further = {*range(len(scope.opponents))}.difference(*before.values())
        if known and further:
            found = replies.read()
            beyond_scouts = [key for key, asked in before.items() if len(asked) > SCOUTS]
            close = beyond_scouts or [*before]
            asked = sum(not further.isdisjoint(opponents_asked(found[key])) for key in close)
            say(
                f"The further opponents have been asked in {asked} of the {len(close)} positions "
                "from before that were examined closely. Until they are asked in more of them, "
                "there may be fewer traps than before: go on with --resume and more --minutes."
            )

    @contextmanager
    def _begun(
        self, *files: FindingsFile[Any]
    ) -> Iterator[tuple[list[dict[int, Any]], Executor, OnProgress]]:
        """Lock the files; yield an earlier run's findings, the workers, and a progress display.

        An unfinished book ends the command.
        """
        try:
            with ExitStack() as stack:
                with status_line("Reading"):
                    known = [stack.enter_context(file.opened(self.resume)) for file in files]
                for file in files:
                    if file.was_torn:
                        told = f"The last line of {file.path} was incomplete"
                        say(f"{told}: its finding is computed again.")
                executor = stack.enter_context(chosen_executor(self.workers, self.dask))
                yield known, executor, stack.enter_context(progress_bar("Solving"))
        except UnfinishedBook as unfinished:
            say(str(unfinished))
            raise typer.Exit(1) from unfinished


def _earlier_book(file: str, scope: TrapScope) -> Repertoire:
    """The book of traps in a file, for the same board and seat; else a ValueError or OSError."""
    book = decode_repertoire(traps_content(file))
    if book.scope[:3] != scope[:3] or book.scope.plies_of(scope.seat) < 0:
        raise ValueError(
            f"{file} has no moves of player {scope.seat} on {ConnectX(*scope[:3])!r}: name another "
            "book for --improve"
        )
    return book


def _say_written(output: Path, content: str) -> None:
    say(f"Wrote {output}, {size_in_words(output.stat().st_size)}: {content}.")


def _beside(output: Path, ending: str) -> Path:
    """The file for the findings of a book, after a check that the book can be written."""
    require_writable(output)
    return output.with_name(f"{output.name}.{ending}")
