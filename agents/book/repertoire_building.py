"""Computing a repertoire, in shards that any executor can run.

A player's plies are taken one after the other: the moves of one ply, and every reply to them, give
the positions of the next.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import lru_cache, partial
from threading import local
from typing import NamedTuple

from agents.agent import Clock
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
from agents.book.shards import SHARD_POSITIONS, run_shards
from agents.guidance.final_move import value_against_fallible
from agents.solver.exact_moves import ExactMoves
from agents.solver.prospects import Prospects, promise
from agents.solver.solver import Solver
from envs.bitboard import BoardMasks, has_run
from envs.board import BoardState
from envs.connectx import ConnectX

OnMoves = Callable[[Mapping[int, int]], None]
"""Takes the columns, by the keys of their positions, that have been found."""
OnPly = Callable[[int, int, str], None]
"""Takes the number of positions of a ply that are done, their total, and the ply."""


REPLIES_AHEAD = 6
"""Replies of the opponent that are looked ahead in positions that are not won, at most."""
FORESIGHT_POSITIONS = 100
"""One more of them is looked ahead only if so few positions were met with the last one."""


class MoveShard(NamedTuple):
    """Positions whose moves are to be found, and how: all that a worker has to be told."""

    scope: RepertoireScope
    positions: tuple[Stones, ...]
    table_megabytes: int
    foresight: bool
    """Whether to choose among the best moves; else the first that is found will do."""


class RepertoireBuilder:
    """Finds the moves of a repertoire.

    Args:
        scope: the board and the plies to cover.
        executor: any executor of the `concurrent.futures` kind.
        table_megabytes: size of each worker's transposition table.
        known: columns of an earlier run, by key.
        on_moves: takes each new column as soon as it is found.
        on_ply: takes the progress.
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
        self._find_plies_of(1, {begin.key: begin})
        self._find_plies_of(2, after_one)
        self._find_all_plies({begin.key: begin})
        return make_bit_field(self._bits)

    def _find_all_plies(self, positions: dict[int, Stones]) -> None:
        for ply in range(self.scope.all_plies + 1):
            self._find(positions, f"all positions, ply {ply} of {self.scope.all_plies}", False)
            following = (next_positions(self.board, stones) for stones in positions.values())
            positions = {stones.key: stones for group in following for stones in group}

    def _find_plies_of(self, player: int, positions: dict[int, Stones]) -> None:
        last = self.scope.plies_of(player)
        for ply in range(player - 1, last + 1, 2):
            self._find(positions, f"player {player}, ply {ply} of {last}", True)
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

    def _find(self, positions: Mapping[int, Stones], ply: str, foresight: bool) -> None:
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
                foresight,
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
    foresight = _MEMORY.foresight(ConnectX(*board), shard.table_megabytes)
    find = foresight.column if shard.foresight else foresight.first_column
    return [
        find(BoardState(*stones, player=1 + stones.ply % 2, won=False))
        for stones in shard.positions
    ]


class Foresight:
    """Chooses among exactly best moves.

    Of moves that win, it takes the one after which most replies are mistakes: all of them win. Of
    others the one that brings most on average against an opponent who replies as his look-ahead
    tells him, with a temperature (`agents.guidance.final_move`), while the next moves are chosen
    so, too; the narrower the choice, the further ahead.

    Args:
        env: the game.
        table_megabytes: size of the solver's transposition table.
    """

    def __init__(self, env: ConnectX, table_megabytes: int) -> None:
        self.env = env
        solver = Solver(env, table_megabytes, book=shipped_book_of(env))
        self.exact_moves = ExactMoves(solver)
        self._seen = Prospects(self.exact_moves).seen
        self._chosen: dict[tuple[BoardState, int], tuple[int, float]] = {}

    def column(self, state: BoardState) -> int:
        """The move in a position in which the game goes on."""
        score = self.exact_moves.score(state, Clock())
        best = self.exact_moves.best(state, score, Clock(), Clock())
        if score > 0 or len(best) == 1:
            return self.exact_moves.hardest_to_answer(state, score, best, Clock())
        replies = 1
        column, _ = self._choose(state, score, replies)
        while len(self._chosen) <= FORESIGHT_POSITIONS and replies < REPLIES_AHEAD:
            replies += 1
            column, _ = self._choose(state, score, replies)
        self._chosen.clear()  # or the move would depend on what was looked at before
        return column

    def first_column(self, state: BoardState) -> int:
        """The first exactly best move that is found."""
        score = self.exact_moves.score(state, Clock())
        return self.exact_moves.best(state, score, Clock(), Clock(0))[0]

    def _choose(self, state: BoardState, score: int, replies: int) -> tuple[int, float]:
        """The move in a position that is not won, and its value from player 1's view.

        Args:
            state: the position.
            score: its exact score, for the player to move.
            replies: how many replies of the opponent to look ahead, at least 1.
        """
        if (state, replies) not in self._chosen:
            sign = 1 if state.player == 1 else -1
            best = self.exact_moves.best(state, score, Clock(), Clock())
            exact = partial(self._value_after, replies=replies - 1)
            values = {
                action: value_against_fallible(self.env, state, action, self._seen, exact)
                for action in best
            }
            action = max(best, key=lambda action: sign * values[action])
            self._chosen[state, replies] = action, values[action]
        return self._chosen[state, replies]

    def _value_after(self, state: BoardState, reply: int, replies: int) -> float:
        """The value after a reply, looking so many more replies ahead, from player 1's view."""
        child = self.env.get_next_state(state, reply)
        if not self.env.get_available_actions(child):
            return self.env.reward(state, reply)
        score = self.exact_moves.score(child, Clock())
        if score <= 0 and replies > 0:
            return self._choose(child, score, replies)[1]
        sign = 1 if child.player == 1 else -1
        stones_left = self.env.rows * self.env.columns - child.mask.bit_count()
        return sign * promise(stones_left // 2, score)


class _Memory(local):
    """The foresight of each thread of a worker; it remembers what earlier shards have shown."""

    def __init__(self) -> None:
        self.foresight = lru_cache(maxsize=1)(Foresight)


_MEMORY = _Memory()
