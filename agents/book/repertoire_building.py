"""Computing a repertoire, in shards that any executor can run.

A player's plies are taken one after the other: the moves of one ply, and every reply to them, give
the positions of the next.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import lru_cache
from typing import NamedTuple

from agents.book.building import SHARD_POSITIONS, run_shards
from agents.book.opening_book import shipped_book_of
from agents.book.repertoire import (
    RepertoireScope,
    Stones,
    bit_key,
    cells_in,
    column_of,
    promising_moves,
)
from agents.book.retrieval import BitField, make_bit_field
from agents.clock import Clock
from agents.exact.exact_moves import ExactMoves
from agents.exact.prospects import Prospects
from agents.exact.solver import Solver
from envs.board import BoardState
from envs.board_kernels import BoardMasks, has_run
from envs.connectx import ConnectX

OnMoves = Callable[[Mapping[int, int]], None]
"""Takes the columns, by the keys of their positions, that have been found."""
OnPly = Callable[[int, int, str], None]
"""Told how many positions of a ply are done, of how many, and which ply it is."""


class MoveShard(NamedTuple):
    """Positions whose moves are to be found, and how: all that a worker has to be told."""

    scope: RepertoireScope
    positions: tuple[Stones, ...]
    table_megabytes: int


class RepertoireBuilder:
    """Finds the moves of a repertoire.

    Args:
        scope: what it is to hold.
        executor: any executor of the `concurrent.futures` kind.
        table_megabytes: size of each worker's transposition table.
        known: columns of an earlier run, by key.
        on_moves: takes each new column as soon as it is found.
        on_ply: told of the progress.
    """

    def __init__(
        self,
        scope: RepertoireScope,
        executor: Executor,
        table_megabytes: int,
        known: Mapping[int, int],
        on_moves: OnMoves,
        on_ply: OnPly,
    ) -> None:
        self.scope = scope
        self.board = scope.board
        self.columns = dict(known)
        """The column of every position found so far that has several promising moves, by key."""
        self._executor = executor
        self._table_megabytes = table_megabytes
        self._on_moves = on_moves
        self._on_ply = on_ply
        self._bits: dict[int, int] = {}

    def build(self) -> BitField:
        """Find all moves.

        Raises:
            concurrent.futures.BrokenExecutor: a worker died.
        """
        begin = Stones(0, 0)
        after_one = {reply.key: reply for reply in next_positions(self.board, begin)}
        self._find_all_plies({begin.key: begin})
        self._find_plies_of(1, {begin.key: begin})
        self._find_plies_of(2, after_one)
        return make_bit_field(self._bits)

    def _find_all_plies(self, positions: dict[int, Stones]) -> None:
        for ply in range(self.scope.all_plies + 1):
            self._find(positions, f"all positions, ply {ply} of {self.scope.all_plies}")
            following = (next_positions(self.board, stones) for stones in positions.values())
            positions = {stones.key: stones for group in following for stones in group}

    def _find_plies_of(self, player: int, positions: dict[int, Stones]) -> None:
        last = self.scope.plies_of(player)
        for ply in range(player - 1, last + 1, 2):
            self._find(positions, f"player {player}, ply {ply} of {last}")
            replies = (
                reply
                for stones in positions.values()
                for moved in self._moved(stones)
                for reply in next_positions(self.board, moved)
            )
            positions = {stones.key: stones for stones in replies}

    def _moved(self, stones: Stones) -> Iterator[Stones]:
        """The position after the repertoire's move, unless that ends the game."""
        moves = promising_moves(self.board, *stones)
        column = self.columns.get(stones.key)
        for move in moves:
            if len(moves) == 1 or column_of(self.board, move) == column:
                yield from after(self.board, stones, move)

    def _find(self, positions: Mapping[int, Stones], ply: str) -> None:
        """Find the moves of positions, and enter their bits."""
        choices = {
            key: moves
            for key, stones in sorted(positions.items())
            if len(moves := promising_moves(self.board, *stones)) > 1
        }
        unknown = [positions[key] for key in choices if key not in self.columns]
        done = len(choices) - len(unknown)
        self._on_ply(done, len(choices), ply)
        for found in find_columns(self.scope, unknown, self._executor, self._table_megabytes):
            self._on_moves(found)
            self.columns |= found
            done += len(found)
            self._on_ply(done, len(choices), ply)
        for key, moves in choices.items():
            self._enter(positions[key], [column_of(self.board, move) for move in moves])

    def _enter(self, stones: Stones, columns: Sequence[int]) -> None:
        """Enter the bits of a position's promising moves, up to the one that it is."""
        chosen = columns.index(self.columns[stones.key])
        for rank in range(min(chosen + 1, len(columns) - 1)):
            self._bits[bit_key(stones, rank)] = int(rank == chosen)


def next_positions(board: BoardMasks, stones: Stones) -> Iterator[Stones]:
    """The positions after each move that does not end the game, of two mirror images one."""
    for move in cells_in((stones.mask + board.bottom) & board.board):
        for child in after(board, stones, move):
            yield one_of_images(board, child)


def after(board: BoardMasks, stones: Stones, move: int) -> Iterator[Stones]:
    """The position after a move; none where it ends the game."""
    mover, mask = stones
    if not has_run(mover | move, board.rows, board.inarow) and mask | move != board.board:
        yield Stones(mover ^ mask, mask | move)


def one_of_images(board: BoardMasks, stones: Stones) -> Stones:
    """A position or its mirror image, whichever has the smaller key."""
    image = stones.mirrored(board)
    return image if image.key < stones.key else stones


def find_columns(
    scope: RepertoireScope,
    positions: Sequence[Stones],
    executor: Executor,
    table_megabytes: int,
) -> Iterator[dict[int, int]]:
    """Find the repertoire's columns; they come by key, shard by shard, as soon as one is done.

    Neighbours in the order of the positions share a shard and so the solver's memory.
    """
    shards = [
        MoveShard(scope, tuple(positions[start : start + SHARD_POSITIONS]), table_megabytes)
        for start in range(0, len(positions), SHARD_POSITIONS)
    ]
    for shard, columns in run_shards(executor, columns_of_shard, shards):
        keys = (stones.key for stones in shard.positions)
        yield dict(zip(keys, columns, strict=True))


def columns_of_shard(shard: MoveShard) -> list[int]:
    """The columns of a shard's positions, in their order."""
    *board, _, _, _ = shard.scope
    prospects = _prospects(ConnectX(*board), shard.table_megabytes)
    return [
        best_column(prospects, BoardState(*stones, player=1 + stones.ply % 2, won=False))
        for stones in shard.positions
    ]


def best_column(prospects: Prospects, state: BoardState) -> int:
    """The one of the exactly best moves that leaves a fallible opponent most ways to go wrong."""
    exact_moves, no_end = prospects.exact_moves, Clock()
    score = exact_moves.score(state, no_end)
    best = exact_moves.best(state, score, no_end, no_end)
    first = exact_moves.hardest_to_answer(state, score, best, no_end)
    if score > 0:
        return first
    best.sort(key=lambda move: move != first)
    return prospects.best(state, best, no_end)


@lru_cache(maxsize=1)
def _prospects(env: ConnectX, table_megabytes: int) -> Prospects:
    """What a worker judges moves with; it remembers what it learnt from the shards before."""
    solver = Solver(env, table_megabytes, book=shipped_book_of(env))
    return Prospects(ExactMoves(solver))
