"""What a grade says beside its figures, in sentences."""

from collections import Counter
from collections.abc import Iterator

from submission.evaluating.evaluation import Ending
from submission.grading.grade import Grade
from submission.grading.solved_position import SolvedPosition

RULES = (
    "Kept: the share of the moves that keep the win or the draw under best play, among the "
    "positions in which some move gives it away; a lost position has nothing to keep. Best: the "
    "share of the moves that no move scores more than, among all positions: the quickest win, the "
    "slowest loss. Half points lost: 2 where a win becomes a loss, 1 where it becomes a draw or a "
    "draw a loss. Hard: only one move keeps the result, and two plies of look-ahead do not show "
    "it. Tactical: they do, a win at once or the answer to a threat. Random: what a legal move, "
    "all equally often, gets on average. In brackets the 95 % interval (Wilson's). A failure "
    "counts as a loss."
)

EARLY_ENDINGS = {
    Ending.INTERRUPTED: "Interrupted: {answered} of {asked} positions were answered.",
    Ending.WORKER_DIED: (
        "A worker process died after {answered} of {asked} positions, perhaps for want of memory: "
        "run the command again with fewer --workers."
    ),
}


def title(grade: Grade) -> str:
    """Who was graded, and how."""
    return (
        f"{grade.player.name} in {len(grade.answers)} solved positions, "
        f"{grade.settings.act_timeout:g} s a move"
    )


def notes(grade: Grade) -> Iterator[str]:
    """An early end, the time taken, and a sentence for each kind of failure."""
    if grade.ending in EARLY_ENDINGS:
        yield EARLY_ENDINGS[grade.ending].format(answered=len(grade.answers), asked=grade.asked)
    seconds = [answer.seconds for answer in grade.answers if answer.failure is None]
    if seconds:
        mean = sum(seconds) / len(seconds)
        yield f"Seconds for a move: {mean:.3f} on average, {max(seconds):.3f} at most."
    yield from _failures(grade)


def where(position: SolvedPosition) -> str:
    """Where something happened."""
    return f"after {position.moves}" if position.moves else "on the empty board"


def _failures(grade: Grade) -> Iterator[str]:
    """A sentence for each status, with the first cause."""
    failures = [
        (answer.position, answer.failure) for answer in grade.answers if answer.failure is not None
    ]
    for status, count in Counter(failure.status for _, failure in failures).items():
        position, failure = next(pair for pair in failures if pair[1].status == status)
        yield f"{count} {status}, the first {where(position)}: {failure.cause}."
