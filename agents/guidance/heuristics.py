"""Heuristics: guesses of the value of an unfinished state.

A heuristic is a plain function `(env, state) -> float`, from player 1's view. Its values stay
strictly between -1 and 1, so that no guess outranks a proven win or loss. All but
`odd_even_threats` are antisymmetric: exchanging the colours changes the sign of the value. In
`odd_even_threats` the rows depend on who moves first.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from envs.bitboard import cell_bit, column_cells, completing_cells
from envs.board import BoardGame, BoardState
from envs.connectx import ConnectX

Heuristic = Callable[[Any, Any], float]


def guess(heuristic: Heuristic, env: Any, state: Any) -> float:
    """A heuristic's value of a state at the depth limit of a search.

    Raises ValueError if it is not a number from -1 to 1: it might outrank a proven value.
    """
    value = heuristic(env, state)
    try:  # as `is_value`, without a call in each leaf
        if -1.0 <= value <= 1.0:
            return value
    except TypeError:  # not a number
        pass
    raise ValueError(
        f"the heuristic gives {value!r} in {state}: guesses must lie between -1 and 1 "
        "(d / (1 + abs(d)) maps any number d there)"
    )


def zero(env: object, state: object) -> float:
    """Value every unfinished state at 0."""
    return 0.0


def open_lines(env: BoardGame, state: BoardState) -> float:
    """Count the lines that only one player can still complete, weighted by their stones.

    A line that lacks one stone counts 1, and each further missing stone divides this by 4. The
    value is d / (4 + |d|), where d is the difference of the two players' sums. Raises ValueError if
    the game has no such lines.
    """
    if not isinstance(env, BoardGame):
        raise ValueError(
            f"the heuristic open_lines is for lines on a board, not for {env!r}: choose auto"
        )
    player_1, player_2 = env.stones(state)
    weights = _line_weights(env.inarow) if env.winning_lines else ()  # else of any length
    difference = 0.0
    for line in env.winning_lines:
        own = line & player_1
        other = line & player_2
        if own:
            if not other:
                difference += weights[own.bit_count()]
        elif other:
            difference -= weights[other.bit_count()]
    return difference / (4.0 + abs(difference))


@cache
def _line_weights(inarow: int) -> tuple[float, ...]:
    return tuple(4.0 ** (stones + 1 - inarow) for stones in range(inarow + 1))


def automatic(env: object, state: Any) -> float:
    """`open_lines` for line games on a board, `zero` for every other game."""
    return open_lines(env, state) if isinstance(env, BoardGame) else 0.0


def odd_even_threats(env: ConnectX, state: BoardState) -> float:
    """Count the free cells that complete a line and cannot be filled yet, by odd and even rows.

    When all other cells are full, someone has to play below such a cell. Who that is depends on its
    row: on the usual board player 1 gets the cells in odd rows and player 2 those in even rows
    (L. V. Allis, "A Knowledge-Based Approach of Connect-Four", 1988). A threat in a player's own
    rows counts 2, any other 1. The value is d / (4 + |d|), where d is the difference of the sums.
    Raises ValueError if the game is not ConnectX.
    """
    if not isinstance(env, ConnectX):
        raise ValueError(f"the heuristic threats is for ConnectX, not for {env!r}: choose auto")
    board = threat_board(env.rows, env.columns)
    hanging = board.cells & ~state.mask & ~(state.mask + board.bottom)
    players = (1, board.first), (-1, board.cells & ~board.first)
    difference = 0
    for (sign, own_rows), stones in zip(players, env.stones(state), strict=True):
        threats = hanging & completing_cells(stones, env.rows, env.inarow)
        difference += sign * (threats.bit_count() + (threats & own_rows).bit_count())
    return difference / (4.0 + abs(difference))


class ThreatBoard(NamedTuple):
    """The cells of a board, divided by the rule of odd and even rows."""

    cells: int
    bottom: int  # the lowest cell of each column
    first: int
    """The rows that player 1 fills when only one column is left; the others are player 2's.

    These are the odd rows, counted from 1 at the bottom, if the other columns have an even number
    of cells, so that player 1 is to move at the bottom; else the even rows.
    """


@cache
def threat_board(rows: int, columns: int) -> ThreatBoard:
    """The cells of a board of this size."""
    cells = sum(column_cells(rows, column) for column in range(columns))
    bottom = sum(cell_bit(rows, rows - 1, column) for column in range(columns))
    first_row = (columns - 1) * rows % 2
    return ThreatBoard(cells, bottom, sum(bottom << row for row in range(first_row, rows, 2)))


GRADES = 24  # the sum of all squares' grades


def open_twos(env: BoardGame, state: BoardState) -> float:
    """Count the lines in which a player has two stones and the third square is free.

    The value is the difference of the two players' counts, divided by the number of lines plus one.
    Raises ValueError if the game is not tic-tac-toe.
    """
    _require_tic_tac_toe("open_twos", env)
    player_1, player_2 = env.stones(state)
    lines = env.winning_lines
    difference = _twos(lines, player_1, player_2) - _twos(lines, player_2, player_1)
    return difference / (len(lines) + 1)


def graded_squares(env: BoardGame, state: BoardState) -> float:
    """Add up the grades of a player's squares: the centre 4, a corner 3, an edge 2.

    A square's grade is the number of lines through it. The value is the difference of the two
    players' sums, divided by the sum of all grades plus one. Raises ValueError if the game is not
    tic-tac-toe.
    """
    _require_tic_tac_toe("squares", env)
    player_1, player_2 = env.stones(state)
    grades = 0
    for line in env.winning_lines:  # runs in each leaf; a third faster than a generator
        grades += (line & player_1).bit_count() - (line & player_2).bit_count()
    return grades / (GRADES + 1)


def _twos(lines: Sequence[int], own: int, other: int) -> int:
    return sum((line & own).bit_count() == 2 and not line & other for line in lines)


def _require_tic_tac_toe(heuristic: str, env: object) -> None:
    if not isinstance(env, BoardGame) or env.size != (3, 3, 3):
        raise ValueError(
            f"the heuristic {heuristic} is for tic-tac-toe, not for {env!r}: choose auto"
        )


HEURISTICS: Mapping[str, Heuristic] = {
    "auto": automatic,
    "open_lines": open_lines,
    "zero": zero,
    "open_twos": open_twos,
    "squares": graded_squares,
    "threats": odd_even_threats,
}
"""By name; `open_twos` and `squares` are only for tic-tac-toe, `threats` only for ConnectX."""
