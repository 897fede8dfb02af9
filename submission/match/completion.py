"""How work ended: complete, interrupted, or because its workers died."""

from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum


class Completion(StrEnum):
    """How the work has ended."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    WORKER_DIED = "worker died"
    UNFINISHED = "unfinished"
    """Games are missing in a results file, and another process may be playing them."""


@dataclass
class Ending:
    """How work in a `with` block of `early_end` has ended."""

    completion: Completion = Completion.COMPLETE


@contextmanager
def early_end() -> Iterator[Ending]:
    """Let Ctrl-C and the death of workers end only the `with` block, and record which it was."""
    ending = Ending()
    try:
        yield ending
    except KeyboardInterrupt:
        ending.completion = Completion.INTERRUPTED
    except BrokenExecutor:
        ending.completion = Completion.WORKER_DIED


def early_end_in_words(
    completion: Completion, done: str, advice: str = "take fewer --workers"
) -> list[str]:
    """Say why part of the work is missing, if it is; `done` is a text such as "3 of 8 games"."""
    words = {
        Completion.INTERRUPTED: f"Interrupted after {done}.",
        Completion.UNFINISHED: f"So far {done} have been played.",
        Completion.WORKER_DIED: (
            f"The workers died after {done}, perhaps because memory ran out or their scheduler "
            f"ended: {advice}."
        ),
    }
    return [words[completion]] if completion in words else []
