"""Makes sets of positions: drawn from games of fallible players, solved, and selected."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from enum import Enum
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from random import Random
from typing import NamedTuple, TypeVar

from agents.agent import OnProgress
from agents.book.building.shards import run_shards
from agents.book.opening_book import shipped_book_of
from agents.policy.training.labelling import LOOK_AHEADS, RANDOM_SHARES, fallible_player
from agents.solver.solver import Solver
from envs.board import BoardState
from submission.grading.solved_positions import (
    GAME,
    LAST_PLY,
    Outcome,
    PositionSet,
    PositionSettings,
    SolvedPosition,
    two_plies_decide,
)

Item = TypeVar("Item")


class Style(Enum):
    """A style of positions to draw."""

    THOUGHT = "thought"  # two plies of look-ahead do not determine the column
    TACTICS = "tactics"  # they do

    @property
    def plies(self) -> range:
        """The numbers of plies after which something can be at stake in such a position."""
        return range(LAST_PLY) if self is Style.THOUGHT else range(5, LAST_PLY + 1)

    def admits(self, state: BoardState) -> bool:
        """Whether an unfinished position is of this style."""
        return two_plies_decide(state) is (self is Style.TACTICS)


CANDIDATES = {Style.THOUGHT: 12, Style.TACTICS: 2}
"""Positions drawn for each one that is kept, because some kinds are rare."""

BATCH = 6  # positions that a worker draws and solves in one task


class Draw(NamedTuple):
    """A position to draw."""

    seed: int
    style: Style
    ply: int
    number: int


def make_position_set(
    settings: PositionSettings, executor: Executor, on_progress: OnProgress
) -> PositionSet:
    """Make a set of solved positions; the same settings give the same ones.

    Raises:
        ChildProcessError: a worker process died.
    """
    draws = [
        Draw(settings.seed, style, ply, number)
        for style, share in CANDIDATES.items()
        for ply in style.plies
        if ply in settings.plies
        for number in range(share * settings.per_ply)
    ]
    candidates: defaultdict[int, list[SolvedPosition]] = defaultdict(list)
    for position in _by_workers(draw_and_solve, draws, executor, on_progress):
        candidates[position.ply].append(position)
    selected = [select(candidates[ply], settings.per_ply) for ply in sorted(candidates)]
    return PositionSet(tuple(chain(*selected)), settings)


def solve_all(
    games: Sequence[str], executor: Executor, on_progress: OnProgress
) -> list[SolvedPosition]:
    """Solve the positions after these moves, in order; raises like `make_position_set`."""
    return _by_workers(_solved, games, executor, on_progress)


def _by_workers(
    work: Callable[[Sequence[Item]], list[SolvedPosition]],
    items: Sequence[Item],
    executor: Executor,
    on_progress: OnProgress,
) -> list[SolvedPosition]:
    """The position of each item, in order; equal items are solved once."""
    distinct, found = [*dict.fromkeys(items)], dict[Item, SolvedPosition]()
    on_progress(0, len(distinct), "")
    try:
        for batch in run_shards(executor, work, distinct, BATCH):
            found |= batch
            on_progress(len(found), len(distinct), "")
    except BrokenExecutor as error:
        raise ChildProcessError(
            "a worker process died, perhaps out of memory: run the command again with fewer workers"
        ) from error
    return [found[item] for item in items]


def _solved(games: Iterable[str]) -> list[SolvedPosition]:
    return [*map(solved, games)]


def draw_and_solve(draws: Iterable[Draw]) -> list[SolvedPosition]:
    """Draw some positions, each with its own random numbers, and solve them."""
    generators = ((draw, Random(f"{draw.seed}/{draw.ply}/{draw.number}")) for draw in draws)
    return _solved(drawn_moves(draw.style, draw.ply, rng) for draw, rng in generators)


def solved(moves: str) -> SolvedPosition:
    """Solve the position after these moves."""
    position = SolvedPosition(moves, ())
    bounds = _solver().scores(position.state)
    scores = (bounds.get(column) for column in range(GAME.columns))
    return SolvedPosition(moves, tuple(score.lower if score else None for score in scores))


@lru_cache(maxsize=1)
def _solver() -> Solver:
    """The solver of a worker; its table is shared by all positions."""
    return Solver(GAME, book=shipped_book_of(GAME))


def drawn_moves(style: Style, ply: int, rng: Random) -> str:
    """Draw the moves of a game, counted from 1, to a position after `ply` plies."""
    while True:
        players = [
            fallible_player(rng.choice(LOOK_AHEADS), rng.choice(RANDOM_SHARES)) for _ in (1, 2)
        ]
        moves = ""
        state = GAME.initial_state()
        while len(moves) < ply and GAME.get_available_actions(state):
            chances = players[len(moves) % 2](GAME, state)
            (action,) = rng.choices(list(chances), list(chances.values()))
            state = GAME.get_next_state(state, action)
            moves += str(action + 1)
        if len(moves) == ply and GAME.get_available_actions(state) and style.admits(state):
            return moves


def select(candidates: Iterable[SolvedPosition], count: int) -> list[SolvedPosition]:
    """Select up to `count` positions of one ply, of each kind those that were drawn first.

    Half of them are hard and a sixth tactical; in the others some columns keep the outcome and some
    do not, or the game is lost and can be lost sooner. Each kind takes wins, draws and losses in
    turn. If a kind has too few, the other kinds, in this order, make up for it. No two positions
    are equal or mirror images.
    """
    distinct = [each for each in _distinct(candidates) if len(each.best) < len(each.legal)]
    kinds = [
        list(_in_turn([position for position in distinct if is_of_kind(position)]))
        for is_of_kind in (attrgetter("is_hard"), attrgetter("is_tactical"), _is_other)
    ]
    half, sixth = (count + 1) // 2, count // 6
    shares = [half, sixth, count - half - sixth]
    selected = [kind[:share] for kind, share in zip(kinds, shares, strict=True)]
    left_out = [kind[share:] for kind, share in zip(kinds, shares, strict=True)]
    return [*chain(*selected), *chain(*left_out)][:count]


def _is_other(position: SolvedPosition) -> bool:
    at_stake = position.is_at_stake or position.outcome is Outcome.LOSS
    return at_stake and not position.is_hard and not position.is_tactical


def _in_turn(positions: Sequence[SolvedPosition]) -> Iterator[SolvedPosition]:
    """A win, a draw, a loss, and so on, until all are taken."""
    queues = [
        deque(position for position in positions if position.outcome is outcome)
        for outcome in (Outcome.WIN, Outcome.DRAW, Outcome.LOSS)
    ]
    while any(queues):
        yield from [queue.popleft() for queue in queues if queue]


def _distinct(positions: Iterable[SolvedPosition]) -> list[SolvedPosition]:
    """The first of any positions that are equal or mirror images of each other."""
    first: dict[BoardState, SolvedPosition] = {}
    for position in positions:
        first.setdefault(position.state.smaller_image(GAME.rows, GAME.columns), position)
    return list(first.values())
