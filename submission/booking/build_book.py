"""From a board to its opening book or its repertoire, by way of a checkpoint."""

from collections.abc import Mapping
from concurrent.futures import BrokenExecutor, Executor

import numpy as np

from agents.book.building import solve_positions
from agents.book.format import BookContent
from agents.book.positions import BookScope, positions_by_ply
from agents.book.repertoire import RepertoireScope
from agents.book.repertoire_building import RepertoireBuilder
from agents.book.repertoire_format import encode_repertoire
from submission.booking.checkpoint import Checkpoint
from submission.progress import OnProgress


class UnfinishedBook(Exception):
    """The computation has stopped; the message says why, how far it got, and how to go on."""


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
        on_progress: told how many positions are done.

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
        on_progress: told how many positions of a ply are done.

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


def _unfinished(stop: BaseException, done: str) -> UnfinishedBook:
    interrupted = isinstance(stop, KeyboardInterrupt)
    reason = "Interrupted" if interrupted else "A worker died, perhaps for want of memory"
    return UnfinishedBook(f"{reason}: {done}. The same command with --resume goes on from there.")
