"""Games in the processes of an executor, as they come."""

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from itertools import islice

from submission.evaluating.arenas.game import play_game
from submission.evaluating.arenas.game_specification import GameSpecification
from submission.evaluating.game_record import GameRecord

IN_FLIGHT = 256
"""How many games an executor holds at a time, which is enough for as many workers."""


def play_games(
    specifications: Iterable[GameSpecification],
    is_needed: Callable[[GameSpecification], bool],
    executor: Executor | None,
) -> Generator[GameRecord, None, None]:
    """Play the games that are needed and yield each as it ends.

    Games are called off as soon as they are not needed any more, and when the iterator is closed;
    those that have begun go on, and are not waited for.

    Args:
        specifications: asked for the next game only when there is room for it.
        is_needed: asked again after each game.
        executor: any of the `concurrent.futures` kind; None plays in this process.

    Raises:
        BrokenExecutor: the executor can play no more; all games that ended have been yielded.
    """
    needed = filter(is_needed, specifications)
    if executor is None:
        yield from map(play_game, needed)
        return
    waiting: dict[Future[GameRecord], GameSpecification] = {}
    try:
        while True:
            for specification in islice(needed, IN_FLIGHT - len(waiting)):
                waiting[executor.submit(play_game, specification)] = specification
            if not waiting:
                return
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=_has_failed):
                del waiting[future]
                yield _record(future)
            for future in [each for each in waiting if not is_needed(waiting[each])]:
                del waiting[future]
                future.cancel()
    finally:
        for future in waiting:
            future.cancel()


def _has_failed(future: Future[GameRecord]) -> bool:
    return future.cancelled() or future.exception() is not None


def _record(future: Future[GameRecord]) -> GameRecord:
    if future.cancelled():
        raise BrokenExecutor("the executor has called off a game")
    return future.result()
