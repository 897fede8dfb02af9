"""Connect Four for easyAI: one game object on which moves are made and unmade.

The bit layout and the test for a line are those of `envs.bitboard`, and moves are ordered from the
middle outwards as in `agents.guidance.ordering`; so only the search differs from ours.
"""

from easyAI import TwoPlayerGame

from envs.bitboard import cell_bit, column_cells, has_line, line_steps

ROWS, COLUMNS, INAROW = 6, 7, 4
LINE_STEPS = line_steps(ROWS, INAROW)
BOTTOM = [cell_bit(ROWS, ROWS - 1, column) for column in range(COLUMNS)]
TOP = [cell_bit(ROWS, 0, column) for column in range(COLUMNS)]
CELLS = [column_cells(ROWS, column) for column in range(COLUMNS)]
MIDDLE_OUTWARDS = (3, 2, 4, 1, 5, 0, 6)


class EasyAIConnectFour(TwoPlayerGame):  # type: ignore[misc]
    """The game from the empty board; `scoring` is from the view of the player to move."""

    def __init__(self) -> None:
        self.players = [None, None]
        self.current_player = 1
        self.mover = 0
        self.mask = 0

    def possible_moves(self) -> list[int]:
        """The columns that are not full."""
        return [column for column in MIDDLE_OUTWARDS if not self.mask & TOP[column]]

    def make_move(self, column: int) -> None:
        """Drop a stone of the player to move."""
        self.mover ^= self.mask
        self.mask |= self.mask + BOTTOM[column]

    def unmake_move(self, column: int) -> None:
        """Remove the top stone of the column."""
        self.mask ^= ((self.mask & CELLS[column]) + BOTTOM[column]) >> 1
        self.mover ^= self.mask

    def lose(self) -> bool:
        """Whether the player who has just moved has a line."""
        return has_line(self.mask ^ self.mover, LINE_STEPS)

    def is_over(self) -> bool:
        """Whether the board is full or has a line."""
        return self.lose() or self.mask == sum(CELLS)

    def scoring(self) -> float:
        """-1 for a lost game, 0 for every other state."""
        return -1.0 if self.lose() else 0.0

    def ttentry(self) -> tuple[int, int]:
        """The key of the state in a transposition table."""
        return self.mover, self.mask
