"""Connect Four on boards of any size: stones fall to the lowest free cell of a column."""

from collections.abc import Sequence

from envs.bitboard import cell_bit, cells_in_line, column_cells, has_line
from envs.board import BoardGame, BoardState, new_state


class ConnectX(BoardGame):
    """Kaggle's ConnectX; an action is a column, counted from 0 at the left.

    Args:
        rows: height of the board, at least 1.
        columns: width of the board, at least 1.
        inarow: how many stones in a row win, at least 1.

    Raises:
        ValueError: one of them is not a whole number of at least 1.
    """

    def __init__(self, rows: int = 6, columns: int = 7, inarow: int = 4) -> None:
        super().__init__(rows, columns, inarow)
        rows, columns, inarow = self.size
        self._columns = {
            column: (cell_bit(rows, rows - 1, column), column_cells(rows, column))
            for column in range(columns)
        }
        self.action_cells = [cells for _, cells in self._columns.values()]
        self._top_row = sum(cell_bit(rows, 0, column) for column in range(columns))
        self._in_line = _CellsInLine(self.size)
        self._others_of_line = inarow - 1
        self._open_columns = _OpenColumns(rows, columns)

    def get_available_actions(self, state: BoardState) -> Sequence[int]:
        """Return the columns that are not full; none once a player has won."""
        return () if state.won else self._open_columns[state.mask & self._top_row]

    def get_next_state(self, state: BoardState, action: int) -> BoardState:
        """Return the state after a stone has been dropped into column `action`."""
        mover, mask, player, won = state
        try:
            bottom, cells = self._columns[action]
        except (KeyError, TypeError):
            raise self._illegal(state, action) from None
        # Adding the bottom cell carries through the stones to the lowest free cell; from a full
        # column it carries into the guard bit, which is not a cell.
        cell = (mask + bottom) & cells
        if won or not cell:
            raise self._illegal(state, action)
        # Most stones complete no line: too few of the mover's stones are in line with them.
        in_line = (mover & self._in_line[cell]).bit_count()
        won = in_line >= self._others_of_line and has_line(mover | cell, self.line_steps)
        return new_state(BoardState, (mask ^ mover, mask | cell, 3 - player, won))

    def from_board(self, board: Sequence[int], player: int | None = None) -> BoardState:
        """Return the state of a flat board, as `BoardGame.from_board` does.

        Raises:
            ValueError: as in `BoardGame.from_board`, or a stone with an empty cell below it.
        """
        state = super().from_board(board, player)
        for column, (bottom, cells) in self._columns.items():
            stones = state.mask & cells
            if (stones + bottom) & stones:
                raise ValueError(f"a stone floats in column {column}: stones fall to the bottom")
        return state


class ConnectFour(ConnectX):
    """Connect Four: 6 rows, 7 columns, 4 in a row."""

    def __init__(self) -> None:
        super().__init__()

    def __repr__(self) -> str:
        return "ConnectFour()"


class _CellsInLine(dict[int, int]):
    """For each cell, the other cells of the lines that run through it; filled on demand."""

    def __init__(self, size: tuple[int, int, int]) -> None:
        self._size = size

    def __deepcopy__(self, memo: object) -> "_CellsInLine":
        return self  # a game's copy has the same lines

    def __missing__(self, cell: int) -> int:
        self[cell] = cells_in_line(*self._size, cell)
        return self[cell]


class _OpenColumns(dict[int, tuple[int, ...]]):
    """The columns that are not full, by the stones in the top row; filled on demand."""

    def __init__(self, rows: int, columns: int) -> None:
        self._top = [cell_bit(rows, 0, column) for column in range(columns)]

    def __deepcopy__(self, memo: object) -> "_OpenColumns":
        return self  # thousands of entries, the same for a game's copy

    def __missing__(self, top_stones: int) -> tuple[int, ...]:
        columns = tuple(column for column, top in enumerate(self._top) if not top_stones & top)
        if len(self) < 4096:  # enough for 12 columns; wider boards must not fill the memory
            self[top_stones] = columns
        return columns
