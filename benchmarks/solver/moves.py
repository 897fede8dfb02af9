"""Times the perfect agent's moves in random positions of all plies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean
from time import perf_counter

from agents.perfect import PerfectAgent
from agents.solver.position_bounds import sign
from benchmarks.results import Report, table
from benchmarks.solver.make_positions import random_moves
from benchmarks.solver.solver_peer import MISSING, BitBully
from envs.board import state_from_moves
from envs.connectx import ConnectFour

ENV = ConnectFour()
CELLS = 42
GROUPS = (range(9), range(9, 10), range(10, 11), range(11, 12), range(12, 16), range(16, CELLS))


@dataclass(frozen=True)
class TimedMove:
    """A timed move in a position of a random game."""

    ply: int
    seconds: float
    is_good: bool | None
    """Whether it keeps the result or, with `resistance=longest`, the exact score; None without
    BitBully."""


def time_moves(per_ply: int, seed: int, resistance: str) -> Iterator[TimedMove]:
    """Time a move in positions of random games, each with an empty table."""
    rng, judge = Random(seed), _judge()
    late = state_from_moves(ENV, random_moves(CELLS - 6, rng))
    for ply in range(CELLS):
        for _ in range(per_ply):
            moves = random_moves(ply, rng)
            state = state_from_moves(ENV, moves)
            agent = PerfectAgent(time_limit=None, resistance=resistance)
            agent.search(ENV, late)  # creates the solver and its table
            begun = perf_counter()
            column = agent.act(ENV, state)
            seconds = perf_counter() - begun
            is_good = None if judge is None else _is_good(judge, moves, column, resistance)
            yield TimedMove(ply, seconds, is_good)


def move_report(timed: Sequence[TimedMove]) -> Report:
    """The seconds per move, by the number of plies played."""
    rows = table("plies", "positions", "mean", "slowest", words=("plies",))
    for plies in GROUPS:
        seconds = [move.seconds for move in timed if move.ply in plies]
        if seconds:
            name = str(plies[0]) if len(plies) == 1 else f"{plies[0]} to {plies[-1]}"
            rows.add_row(name, str(len(seconds)), f"{fmean(seconds):.4f}", f"{max(seconds):.3f}")
    judged = [move.is_good for move in timed if move.is_good is not None]
    return [
        "The perfect agent's moves in positions of random games, each with an empty table of "
        "64 MB: seconds by the clock",
        rows,
        f"Moves that are mistakes: {judged.count(False)} of {len(judged)}" if judged else MISSING,
    ]


def _judge() -> BitBully | None:
    try:
        return BitBully(book=True)
    except ModuleNotFoundError:
        return None


def _is_good(judge: BitBully, moves: str, column: int, resistance: str) -> bool:
    scores = judge.scores_of_moves(moves)
    best, chosen = max(scores.values()), scores[column]
    return chosen == best if resistance == "longest" else sign(chosen) == sign(best)
