"""A repertoire: an exactly best move for every position that a player who follows it can meet.

Positions that such a player never allows are left out. So it reaches much further than a book of
all positions: to the 20th ply of Connect Four in some 200 kB. It can also hold all positions of the
first plies, however they arose.

Neither positions nor columns are stored. If a position has several `promising_moves`, a bit for
each but the last, in order, says whether it is the repertoire's move, up to the first that is
(`agents.book.retrieval`); most positions need one or two bits. The positions with bits follow from
the moves, because they are those that the moves lead to.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agents.book.retrieval import BitField
from agents.options import require_within
from agents.solver.position_bounds import is_lost, threats_of
from envs.bitboard import (
    BoardMasks,
    board_masks,
    column_cells,
    column_from_middle,
    fits_in_word,
    possible_cells,
    safe_cells,
)
from envs.board import BoardState
from envs.connectx import ConnectX

RANK_BITS = 6  # bits for the index of a move among the promising ones


class RepertoireScope(NamedTuple):
    """A board, and the positions on it that have a move in the repertoire."""

    rows: int
    columns: int
    inarow: int
    all_plies: int  # up to this ply every position has a move; -1: none
    first_plies: int
    """Up to this ply, positions that player 1 meets with the repertoire have a move; -1: none."""
    second_plies: int  # the same for player 2

    @property
    def board(self) -> BoardMasks:
        """The board's masks."""
        return board_masks(self.rows, self.columns, self.inarow)

    def check(self) -> None:
        """Raise ValueError if the board does not fit 64 bits, or has fewer plies."""
        env = ConnectX(*self[:3])
        if not fits_in_word(*env.size):
            raise ValueError(
                "a repertoire takes boards with columns * (rows + 1) at most 64 and lines with "
                f"(inarow - 1) * (rows + 2) below 64, not {env!r}"
            )
        for plies in self[3:]:
            if plies != -1:
                last = env.rows * env.columns - 1
                require_within(f"the plies of a repertoire for {env!r}", plies, 0, last)

    def plies_of(self, player: int) -> int:
        """The last ply with moves in the positions that a player can meet."""
        return self.first_plies if player == 1 else self.second_plies


class Repertoire:
    """The moves of a repertoire, to be looked up."""

    def __init__(self, scope: RepertoireScope, field: BitField) -> None:
        self.scope = scope
        self.board = scope.board
        self._field = field
        self._met: dict[int, bool] = {}

    def move(self, state: BoardState) -> int | None:
        """The column of the repertoire's move; None if the repertoire has none.

        If two plies of look-ahead leave only one move, that move is returned at any ply.
        """
        others = (state.mask ^ state.mover).bit_count()
        in_turn = others - state.mover.bit_count() == state.player - 1
        if state.won or not in_turn or state.mask == self.board.board:
            return None
        last = self.scope.plies_of(state.player)
        if state.ply <= self.scope.all_plies or (state.ply <= last and self._is_met(state)):
            return self.column(state)
        columns = promising_moves(self.board, state)
        return columns[0] if len(columns) == 1 else None

    def _is_met(self, state: BoardState) -> bool:
        """Whether the player to move can meet this position, or its mirror image."""
        if state.ply <= 1:
            return True
        if state.key not in self._met:
            self._met[state.key] = any(
                column in self._columns(before) and self._is_met(before)
                for before, column in two_plies_before(self.board, state)
            )
        return self._met[state.key]

    def _columns(self, state: BoardState) -> tuple[int, int]:
        """The move in a position; in a symmetric position also the mirror image of the move."""
        column, (rows, columns) = self.column(state), self.board[:2]
        is_image = state.mirrored(rows, columns) == state
        return column, columns - 1 - column if is_image else column

    def column(self, state: BoardState) -> int:
        """The move in a position that is in the repertoire; in any other, a promising one."""
        rows, columns = self.board[:2]
        image = state.smaller_image(rows, columns)  # bits are stored for this one
        *others, column = promising_moves(self.board, image)
        for rank, other in enumerate(others):
            if self._field.get(bit_key(image, rank)):
                column = other
                break
        return column if image == state else columns - 1 - column


def bit_key(state: BoardState, rank: int) -> int:
    """The key of the bit of a promising move."""
    return state.key << RANK_BITS | rank


def promising_moves(board: BoardMasks, state: BoardState) -> Sequence[int]:
    """Columns of which at least one is exactly best, the most likely first.

    A single column if it is certainly best: it wins, it makes more threats than can be met, it is
    the only one after which the opponent does not win at once, or every column loses. Otherwise all
    columns after which the opponent does not win at once, sorted by the number of threatened cells,
    minus two for giving up a threat on the cell above, then from the middle outwards, the left one
    first.

    The format of repertoires depends on this order.
    """
    mover, mask = state[:2]
    free = possible_cells(board, mask)
    wins = threats_of(board, mover, mask)
    threats = threats_of(board, mask ^ mover, mask)
    if wins & free:
        return (_column_of_lowest(board, wins & free),)
    safe = safe_cells(free, threats)
    if not safe:
        return (_column_of_lowest(board, free & threats or free),)
    ranked = []
    for place in range(board.columns):
        column = column_from_middle(board.columns, place)
        move = safe & column_cells(board.rows, column)
        if move:
            filled = mask | move
            made = threats_of(board, mover | move, filled)
            if is_lost(board, filled, made):
                return (column,)
            ranked.append((2 * ((move << 1) & wins != 0) - made.bit_count(), place, column))
    return [column for _, _, column in sorted(ranked)]


def two_plies_before(board: BoardMasks, state: BoardState) -> Iterator[tuple[BoardState, int]]:
    """The positions two plies before, with the column of the same player's move in each."""
    mover, mask = state[:2]
    for reply in highest_stones(board, mask, mask ^ mover):
        rest = mask ^ reply
        for move in highest_stones(board, rest, mover):
            before = BoardState.of_stones(mover ^ move, rest ^ move)
            yield before, _column_of_lowest(board, move)


def highest_stones(board: BoardMasks, mask: int, stones: int) -> Iterator[int]:
    """A player's stones that are the highest in their columns, from the left."""
    cells = ((mask + board.bottom) >> 1) & board.board & stones
    while cells:
        yield cells & -cells
        cells &= cells - 1


def _column_of_lowest(board: BoardMasks, cells: int) -> int:
    """The column of the leftmost of some cells."""
    return ((cells & -cells).bit_length() - 1) // (board.rows + 1)
