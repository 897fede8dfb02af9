"""Computing a repertoire, in shards that any executor can run.

A player's plies are taken one after the other: the moves of one ply, and every reply to them, give
the positions of the next.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import lru_cache
from threading import local
from typing import NamedTuple

from agents.agent import Clock
from agents.book.building.shards import SHARD_POSITIONS, run_shards
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
from agents.solver.exact_moves import ExactMoves
from agents.solver.solver import Solver
from agents.traps.likely_replies import ExactJudge, Judge
from agents.traps.trap_search import Turn
from agents.traps.trap_setter import TrapSetter
from envs.bitboard import BoardMasks, has_run
from envs.board import BoardState
from envs.connectx import ConnectX

OnMoves = Callable[[Mapping[int, int]], None]
"""Takes the columns, by the keys of their positions, that have been found."""
OnPly = Callable[[int, int, str], None]
"""Takes the number of positions of a ply that are done, their total, and the ply."""


TRIALS = 40
"""Trials of the search for traps in a position that is not won."""


class MoveShard(NamedTuple):
    """Positions whose moves are to be found, and how: all that a worker has to be told."""

    scope: RepertoireScope
    positions: tuple[Stones, ...]
    table_megabytes: int
    choice: str
    """How the moves are chosen: one of `MoveChooser.choices`."""


class RepertoireBuilder:
    """Finds the moves of a repertoire.

    Args:
        scope: the board and the plies to cover.
        executor: any executor of the `concurrent.futures` kind.
        table_megabytes: size of each worker's transposition table.
        known: columns of an earlier run, by key.
        on_moves: takes each new column as soon as it is found.
        on_ply: takes the progress.
        choice: how the moves of what a player meets are chosen, one of `MoveChooser.choices`.
    """

    def __init__(
        self,
        scope: RepertoireScope,
        executor: Executor,
        table_megabytes: int,
        known: Mapping[int, int],
        on_moves: OnMoves,
        on_ply: OnPly,
        choice: str = "best",
    ) -> None:
        self.scope = scope
        self.board = scope.board
        self.columns = dict(known)
        """The column of every position found so far that has several promising moves, by key."""
        self._executor = executor
        self._table_megabytes = table_megabytes
        self._on_moves = on_moves
        self._on_ply = on_ply
        self._choice = choice
        self._bits: dict[int, int] = {}

    def build(self) -> BitField:
        """Find all moves.

        Raises:
            concurrent.futures.BrokenExecutor: a worker died.
        """
        begin = Stones(0, 0)
        after_one = {reply.key: reply for reply in next_positions(self.board, begin)}
        self._find_plies_of(1, {begin.key: begin})
        self._find_plies_of(2, after_one)
        self._find_all_plies({begin.key: begin})
        return make_bit_field(self._bits)

    def _find_all_plies(self, positions: dict[int, Stones]) -> None:
        for ply in range(self.scope.all_plies + 1):
            self._find(positions, f"all positions, ply {ply} of {self.scope.all_plies}", "first")
            following = (next_positions(self.board, stones) for stones in positions.values())
            positions = {stones.key: stones for group in following for stones in group}

    def _find_plies_of(self, player: int, positions: dict[int, Stones]) -> None:
        last = self.scope.plies_of(player)
        for ply in range(player - 1, last + 1, 2):
            self._find(positions, f"player {player}, ply {ply} of {last}", self._choice)
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

    def _find(self, positions: Mapping[int, Stones], ply: str, choice: str) -> None:
        """Find the moves of the positions of a ply, and enter their bits."""
        choices = {
            key: moves
            for key, stones in sorted(positions.items())
            if len(moves := promising_moves(self.board, *stones)) > 1
        }
        unknown = [positions[key] for key in choices if key not in self.columns]
        done = len(choices) - len(unknown)
        self._on_ply(done, len(choices), ply)
        shards = [
            MoveShard(
                self.scope,
                tuple(unknown[start : start + SHARD_POSITIONS]),
                self._table_megabytes,
                choice,
            )
            for start in range(0, len(unknown), SHARD_POSITIONS)
        ]
        for shard, columns in run_shards(self._executor, columns_of_shard, shards):
            found = dict(zip((stones.key for stones in shard.positions), columns, strict=True))
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


def columns_of_shard(shard: MoveShard) -> list[int]:
    """The columns of a shard's positions, in their order."""
    *board, _, _, _ = shard.scope
    chooser = _MEMORY.chooser(ConnectX(*board), shard.table_megabytes)
    chooser.forget()
    choose = chooser.choices[shard.choice]
    return [
        choose(BoardState(*stones, player=1 + stones.ply % 2, won=False))
        for stones in shard.positions
    ]


class MoveChooser:
    """Chooses moves of a repertoire; none of them gives a result away.

    Args:
        env: the game.
        table_megabytes: size of the solver's transposition table.
    """

    def __init__(self, env: ConnectX, table_megabytes: int) -> None:
        solver = Solver(env, table_megabytes, book=shipped_book_of(env))
        self.exact_moves = ExactMoves(solver)
        self._exact = TrapSetter(ExactJudge(solver))
        self._traps = TrapSetter(Judge(solver))
        self.choices: Mapping[str, Callable[[BoardState], int]] = {
            "first": self.first,
            "best": self.best,
            "traps": self.trap,
        }
        """By name: the column in a position in which the game goes on."""

    def forget(self) -> None:
        """Forget what was judged, but not the solver's table: memory would grow without end."""
        self._exact.forget()
        self._traps.forget()

    def first(self, state: BoardState) -> int:
        """The first exactly best move that is found."""
        score = self.exact_moves.score(state, Clock())
        return self.exact_moves.best(state, score, Clock(), Clock(0))[0]

    def best(self, state: BoardState) -> int:
        """Of the exactly best moves the one that leaves the opponent most to err in.

        Of moves that win it is the one after which most replies are mistakes: all of them win.
        """
        score = self.exact_moves.score(state, Clock())
        best = self.exact_moves.best(state, score, Clock(), Clock())
        if score > 0:
            return self.exact_moves.hardest_to_answer(state, score, best, Clock())
        return self._exact.best(state, Turn(score, tuple(best)), Clock(), TRIALS)

    def trap(self, state: BoardState) -> int:
        """Of the moves that keep the result the one after which a likely opponent errs most."""
        turn = self._traps.judge.turn(state, Clock())
        if turn.score > 0:
            return self.first(state)
        return self._traps.best(state, turn, Clock(), TRIALS)


class _Memory(local):
    """The chooser of each thread of a worker; it remembers what earlier shards have shown."""

    def __init__(self) -> None:
        self.chooser = lru_cache(maxsize=1)(MoveChooser)


_MEMORY = _Memory()
