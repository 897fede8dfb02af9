"""Tic-tac-toe: three in a row on a board of 3x3."""

from collections.abc import Sequence

from envs.bitboard import has_line
from envs.board import BoardGame, BoardState, new_state

SIDE = 3


class TicTacToe(BoardGame):
    """Tic-tac-toe; an action is a cell, counted from 0 row by row from the top left."""

    def __init__(self) -> None:
        super().__init__(rows=SIDE, columns=SIDE, inarow=SIDE)
        self._cell = dict(enumerate(self.cell_masks))
        positions = range(sum(self.cell_masks) + 1)
        # A board this small is looked up instead of searched.
        self._has_line = tuple(has_line(stones, self.line_steps) for stones in positions)
        self._free_cells = tuple(
            tuple(action for action, cell in self._cell.items() if not mask & cell)
            for mask in positions
        )

    def __repr__(self) -> str:
        return "TicTacToe()"

    def get_available_actions(self, state: BoardState) -> Sequence[int]:
        """Return the free cells; none once a player has won."""
        return () if state.won else self._free_cells[state.mask]

    def get_next_state(self, state: BoardState, action: int) -> BoardState:
        """Return the state after a stone has been placed on cell `action`."""
        mover, mask, player, won = state
        try:
            cell = self._cell[action]
        except (KeyError, TypeError):
            cell = mask
        if won or mask & cell or not cell:
            raise self._illegal(state, action)
        return new_state(
            BoardState, (mask ^ mover, mask | cell, 3 - player, self._has_line[mover | cell])
        )
