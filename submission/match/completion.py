"""Whether work was done to its end, or why not."""

from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum


class Completion(StrEnum):
    """Whether all was done that was asked for, or why not."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    WORKER_DIED = "worker died"
    UNFINISHED = "unfinished"
    """Games are missing in a results file, and may be being played at this moment."""


@dataclass
class Ending:
    """How work in a `with` block of `early_end` has ended."""

    completion: Completion = Completion.COMPLETE


@contextmanager
def early_end() -> Iterator[Ending]:
    """Let Ctrl-C and the death of workers end the `with` block alone, and note it."""
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
    """Say why something is missing, if it is.

    Args:
        completion: how the work has ended.
        done: what there is of it, as in "3 of 8 games".
        advice: against the death of workers.
    """
    match completion:
        case Completion.COMPLETE:
            return []
        case Completion.INTERRUPTED:
            return [f"Interrupted after {done}."]
        case Completion.UNFINISHED:
            return [f"So far {done} have been played."]
    return [
        f"The workers died after {done}, for want of memory, or with their scheduler: {advice}."
    ]
