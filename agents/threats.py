"""Odd and even threats: what the end of a game of ConnectX is decided by."""

from functools import cache
from typing import NamedTuple

from envs.bitboard import cell_bit, column_cells
from envs.board import BoardState
from envs.connectx import ConnectX


class ThreatBoard(NamedTuple):
    """The cells of a board, as the rule of odd and even sees them."""

    cells: int
    bottom: int
    """The lowest cell of each column."""
    first: int
    """The rows that player 1 comes to fill when only one column is left; the others are player 2's.

    The odd ones, counted from 1 at the bottom, where the other columns have an even number of
    cells: then it is player 1's turn at the bottom.
    """


def odd_even_threats(env: ConnectX, state: BoardState) -> float:
    """Count the free cells that complete a line and cannot be filled yet, by rows of odd and even.

    When all else is full, someone has to play below such a cell. Who that is depends on its row:
    on the usual board player 1 comes to fill cells in odd rows and player 2 those in even rows
    (J. D. Allis, "A Knowledge-Based Approach of Connect-Four", 1988). A threat in a row of one's
    own counts 2, any other 1; the difference d becomes d / (4 + |d|).

    Raises:
        ValueError: another game than ConnectX.
    """
    if not isinstance(env, ConnectX):
        raise ValueError(f"the heuristic threats is for ConnectX, not for {env!r}: choose auto")
    board = threat_board(env.rows, env.columns)
    hanging = board.cells & ~state.mask & ~(state.mask + board.bottom)
    player_1, player_2 = env.stones(state)
    threats_1 = hanging & completed_lines(env, player_1)
    threats_2 = hanging & completed_lines(env, player_2)
    difference = threat_weight(threats_1, board.first) - threat_weight(
        threats_2, board.cells & ~board.first
    )
    return difference / (4.0 + abs(difference))


def completed_lines(env: ConnectX, own: int) -> int:
    """The cells, free or not, that complete a line of which `own` has all the others."""
    cells = 0
    for line in env.lines:
        missing = line & ~own
        if not missing & (missing - 1):
            cells |= missing
    return cells


def threat_weight(threats: int, own_rows: int) -> int:
    """What a player's threats count."""
    return threats.bit_count() + (threats & own_rows).bit_count()


@cache
def threat_board(rows: int, columns: int) -> ThreatBoard:
    """The cells of a board of this size."""
    first_row = 1 + (columns - 1) * rows % 2
    return ThreatBoard(
        cells=sum(column_cells(rows, column) for column in range(columns)),
        bottom=sum(cell_bit(rows, rows - 1, column) for column in range(columns)),
        first=sum(
            cell_bit(rows, rows - row, column)
            for column in range(columns)
            for row in range(first_row, rows + 1, 2)
        ),
    )
