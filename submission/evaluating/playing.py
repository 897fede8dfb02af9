"""Games in the processes of an executor, as they come."""

from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import islice

from submission.evaluating.game import play_game
from submission.evaluating.game_record import GameRecord
from submission.evaluating.game_specification import GameSpecification

IN_FLIGHT = 256
"""How many games an executor holds at a time: enough for as many workers, and few to call off."""


def play_games(
    specifications: Iterator[GameSpecification], executor: Executor | None
) -> Generator[GameRecord, None, None]:
    """Play the games and yield each as it ends; closing the iterator calls off what has not begun.

    Args:
        specifications: asked for the next game only when there is room for it.
        executor: any of the `concurrent.futures` kind; None plays in this process.

    Raises:
        BrokenExecutor: the executor can play no more; all games that ended have been yielded.
    """
    if executor is None:
        yield from map(play_game, specifications)
        return
    waiting: set[Future[GameRecord]] = set()
    try:
        while True:
            for specification in islice(specifications, IN_FLIGHT - len(waiting)):
                waiting.add(executor.submit(play_game, specification))
            if not waiting:
                return
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=_has_failed):
                yield future.result()
    finally:
        for future in waiting:
            future.cancel()


def _has_failed(future: Future[GameRecord]) -> bool:
    return future.exception() is not None
