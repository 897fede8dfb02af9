"""A repertoire: an exactly best move for every position that a player can meet who plays it.

All other positions are left out, for such a player allows none of them. So it reaches much further
than a book of all positions: to the 20th ply of Connect Four in some 200 kB. It can hold the
positions of the first plies, too, by whatever moves they came about.

The positions are not written down, nor the columns. Where a position has several `promising_moves`,
a bit for each of them, in their order, tells whether it is the one (`agents.book.retrieval`); most
positions need one or two. Which positions have bits follows from the moves themselves: those that
can be reached by them.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agents.book.retrieval import BitField
from envs.bitboard import (
    BoardMasks,
    board_masks,
    column_from_middle,
    completing_cells,
    fits_in_word,
    mirrored,
    safe_cells,
)
from envs.board import BoardState
from envs.connectx import ConnectX

RANK_BITS = 6
"""Bits for the number of a move among the promising ones."""


class RepertoireScope(NamedTuple):
    """A board, and the positions on it that have a move in the repertoire."""

    rows: int
    columns: int
    inarow: int
    all_plies: int
    """Up to this ply every position has one; -1: off."""
    first_plies: int
    """The same for what player 1 meets who plays the repertoire from the empty board on."""
    second_plies: int
    """The same for player 2."""

    @property
    def board(self) -> BoardMasks:
        """The board's masks."""
        return board_masks(self.rows, self.columns, self.inarow)

    def check(self) -> None:
        """See whether there can be such a repertoire.

        Raises:
            ValueError: no such board, one that the solver does not take, or plies that its games do
                not have.
        """
        env = ConnectX(self.rows, self.columns, self.inarow)
        if not fits_in_word(self.rows, self.columns, self.inarow):
            raise ValueError(
                "a repertoire takes boards with columns * (rows + 1) at most 64 and lines with "
                f"(inarow - 1) * (rows + 2) below 64, not {env!r}"
            )
        for plies in self[3:]:
            if not -1 <= plies < self.rows * self.columns:
                raise ValueError(
                    f"the plies of a repertoire for {env!r} must be from 0 to "
                    f"{self.rows * self.columns - 1}, not {plies}"
                )

    def plies_of(self, player: int) -> int:
        """Up to which ply a player has a move in what he meets."""
        return self.first_plies if player == 1 else self.second_plies


class Stones(NamedTuple):
    """A position by its stones, laid out as in `envs.bitboard`."""

    mover: int
    """Those of the player to move."""
    mask: int
    """Those of both."""

    @property
    def ply(self) -> int:
        """The number of plies played."""
        return self.mask.bit_count()

    @property
    def key(self) -> int:
        """A number that belongs to this position alone."""
        return self.mover + self.mask

    def mirrored(self, board: BoardMasks) -> "Stones":
        """The mirror image."""
        rows, columns = board.rows, board.columns
        return Stones(mirrored(rows, columns, self.mover), mirrored(rows, columns, self.mask))


class Repertoire:
    """Looks moves up.

    Args:
        scope: what is in it.
        field: the bits of the promising moves.
    """

    def __init__(self, scope: RepertoireScope, field: BitField) -> None:
        self.scope = scope
        self.board = scope.board
        self._field = field
        self._met: dict[int, bool] = {}

    def move(self, state: BoardState) -> int | None:
        """An exactly best column; None where the repertoire has none.

        Where two plies of look-ahead leave one move, it has that move, on any ply.

        Args:
            state: a position of a game on this board.
        """
        stones = Stones(state.mover, state.mask)
        others = (state.mask ^ state.mover).bit_count()
        in_turn = others - state.mover.bit_count() == state.player - 1
        if state.won or not in_turn or state.mask == self.board.board:
            return None
        if self._is_in(stones, state.player):
            return self._column(stones)
        moves = promising_moves(self.board, *stones)
        return self._column_of(moves[0]) if len(moves) == 1 else None

    def _is_in(self, stones: Stones, player: int) -> bool:
        if stones.ply <= self.scope.all_plies:
            return True
        return stones.ply <= self.scope.plies_of(player) and self._is_met(stones)

    def _is_met(self, stones: Stones) -> bool:
        """Whether the player to move can meet this position, or its mirror image."""
        if stones.ply <= 1:
            return True
        if stones.key not in self._met:
            self._met[stones.key] = any(
                column in self._columns(before) and self._is_met(before)
                for before, column in two_plies_before(self.board, stones)
            )
        return self._met[stones.key]

    def _columns(self, stones: Stones) -> tuple[int, int]:
        """The move in a position, and the same move of its mirror image if that is no other."""
        column = self._column(stones)
        is_image = stones.mirrored(self.board) == stones
        return column, self.board.columns - 1 - column if is_image else column

    def _column(self, stones: Stones) -> int:
        """The move in a position that is in the repertoire."""
        image = stones.mirrored(self.board)
        if image.key < stones.key:
            return self.board.columns - 1 - self._column_of(self._promised(image))
        return self._column_of(self._promised(stones))

    def _promised(self, stones: Stones) -> int:
        """The cell of the move, in the position of a mirrored pair that has the smaller key."""
        moves = promising_moves(self.board, *stones)
        for rank, move in enumerate(moves[:-1]):
            if self._field.get(bit_key(stones, rank)):
                return move
        return moves[-1]

    def _column_of(self, cell: int) -> int:
        return column_of(self.board, cell)


def bit_key(stones: Stones, rank: int) -> int:
    """Under which key the bit of a promising move is kept."""
    return stones.key << RANK_BITS | rank


def column_of(board: BoardMasks, cell: int) -> int:
    """The column of a cell."""
    return (cell.bit_length() - 1) // (board.rows + 1)


def promising_moves(board: BoardMasks, mover: int, mask: int) -> Sequence[int]:
    """Cells among which is every best move but those that are as good; the likeliest first.

    One alone where it is certain to be best: it wins, it makes two threats at once, it is the only
    one after which the opponent does not win, or nothing helps any more. Else the moves after which
    the opponent does not win at once: those first that threaten most cells, less two for giving
    away a threat on the cell above; of equals the one nearer to the middle, the left one first.

    The format of repertoires depends on this order.
    """
    free = (mask + board.bottom) & board.board
    wins = completing_cells(mover, board.rows, board.inarow) & board.board & ~mask
    threats = completing_cells(mask ^ mover, board.rows, board.inarow) & board.board & ~mask
    if wins & free:
        return (lowest_cell(wins & free),)
    safe = safe_cells(free, threats)
    if not safe:
        return (lowest_cell(free & threats or free),)
    ranked = []
    for place in range(board.columns):
        column = column_from_middle(board.columns, place)
        move = safe & ((1 << board.rows) - 1) << column * (board.rows + 1)
        if move:
            filled = mask | move
            made = completing_cells(mover | move, board.rows, board.inarow) & board.board & ~filled
            left = (filled + board.bottom) & board.board
            if left and not safe_cells(left, made):
                return (move,)
            ranked.append((2 * ((move << 1) & wins != 0) - made.bit_count(), place, move))
    return [move for _, _, move in sorted(ranked)]


def two_plies_before(board: BoardMasks, stones: Stones) -> Iterator[tuple[Stones, int]]:
    """The positions two plies before, with the column of the same player's move in each."""
    mover, mask = stones
    for reply in cells_in(highest_stones(board, mask) & ~mover):
        rest = mask ^ reply
        for move in cells_in(highest_stones(board, rest) & mover):
            yield Stones(mover ^ move, rest ^ move), column_of(board, move)


def highest_stones(board: BoardMasks, mask: int) -> int:
    """The highest stone of each column."""
    return ((mask + board.bottom) >> 1) & board.board


def cells_in(cells: int) -> Iterator[int]:
    """Each of many cells, the lowest bit first."""
    while cells:
        yield lowest_cell(cells)
        cells &= cells - 1


def lowest_cell(cells: int) -> int:
    """The cell with the lowest bit."""
    return cells & -cells
