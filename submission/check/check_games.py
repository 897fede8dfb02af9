"""The games of a check, and playing them at the same time where that distorts no timing."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Event
from time import monotonic

from submission.checking.game_watch import Limits
from submission.checking.observed_game import GamePlan, ObservedGame, Seats
from submission.checking.supervision import play_game

FULL_SIZE = (6, 7, 4)

FULL_SECONDS = 8.0
"""How long a game at the full time limit is played, from the end of its first move, at full
speed."""

SHORT_ACT_TIMEOUT = 0.1
"""Seconds for a move in the further games."""

SHORT_SECONDS = 1.5
"""As FULL_SECONDS, in the further games."""

DECIDING_SEATS: tuple[Seats, ...] = ((1,), (2,), (1, 2))

FIRST_GAMES = 2
"""How many games are played before all others: those against the `random` agent."""

FURTHER_GAMES: tuple[tuple[tuple[int, int, int], Seats], ...] = (
    (FULL_SIZE, (1, 2)),
    ((4, 5, 3), (1,)),
    ((4, 5, 3), (2,)),
    ((7, 8, 4), (1,)),
    ((7, 8, 4), (2,)),
    ((10, 12, 5), (1,)),
    ((10, 12, 5), (2,)),
    ((1, 1, 1), (1,)),
)
"""Rows, columns and inarow, and the seats."""

MOST_WORKERS = 2


def planned_games(limits: Limits, seconds: float | None = None) -> list[GamePlan]:
    """All games of a check, in the order in which they are played.

    The first three decide: those against Kaggle's `random` agent, and that against itself, with
    which Kaggle validates a submission. The others show whether the submission depends on the
    board's size or on the time to think.

    Args:
        limits: what the submission may take.
        seconds: how long a game that decides is played, from the end of its first move; by default
            FULL_SECONDS, and longer at a lower speed, as the others are in any case.
    """
    full = FULL_SECONDS / limits.speed if seconds is None else seconds
    short = SHORT_SECONDS / limits.speed
    deciding = [
        GamePlan(*FULL_SIZE, seats, limits.act_timeout, full, decides=True)
        for seats in DECIDING_SEATS
    ]
    further = [
        GamePlan(*size, seats, SHORT_ACT_TIMEOUT, short, decides=False)
        for size, seats in FURTHER_GAMES
    ]
    return deciding + further


def play_games(
    plans: Sequence[GamePlan],
    staged: Path,
    limits: Limits,
    *,
    python: Path | None,
    patience: float,
    on_game: Callable[[GamePlan], None],
) -> list[ObservedGame]:
    """Play games, one process a core and at most two at the same time.

    Args:
        plans: the games, in the order in which they begin.
        staged: folder with the submission.
        limits: what the submission may take.
        python: the interpreter that plays; None for this one.
        patience: seconds after which no game begins that does not decide.
        on_game: told, in the caller's thread, after each game.

    Returns:
        The records of the games that were played, in the order of the plans.
    """
    cancelled = Event()
    end = monotonic() + patience

    def play(plan: GamePlan) -> ObservedGame | None:
        if not plan.decides and monotonic() > end:
            return None
        return play_game(plan, staged, limits, python, cancelled.is_set)

    with ThreadPoolExecutor(min(MOST_WORKERS, os.cpu_count() or 1)) as pool:
        games = {pool.submit(play, plan): plan for plan in plans}
        try:
            for game in as_completed(games):
                game.result()
                on_game(games[game])
        except BaseException:
            cancelled.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [record for game in games if (record := game.result()) is not None]
