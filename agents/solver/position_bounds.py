"""Positions of the solver's search, their forced moves, and bounds by the number of stones.

The compiled search (`agents.solver.solver_kernel`) and the plain one (`agents.solver.plain_solver`)
share these functions. Scores are from the view of the player to move, on the scale of
`agents.solver.solver.ScoreBounds`. Some bounds follow from the number of stones;
`agents.solver.follow_up` has another one.
"""

from typing import NamedTuple

from envs.bitboard import BoardMasks, line_ends, possible_cells, safe_cells
from envs.compiled.jit import inlined

TABLE_LEFT = 7  # with at most as many cells left, a search is faster than the table
CHILD_LEFT = 10  # with more cells left, all children are examined before one is searched


class Position(NamedTuple):
    """A position as bitboards, laid out as in `envs.bitboard`."""

    mover: int  # stones of the player to move
    mask: int  # stones of both players; `mover ^ mask` are the opponent's
    own: int  # threats of the player to move: free cells that complete a line of theirs
    threats: int  # threats of the opponent


class ForcedLine(NamedTuple):
    """The end of a position's forced moves."""

    decided: bool
    """Whether `value` is the result; otherwise there are several `moves` to choose from."""
    value: int  # for the player to move in `position`
    sign: int  # 1 after an even number of forced moves: the same player is to move; else -1
    position: Position
    alpha: int  # the window for `position`
    moves: int  # the moves after which the opponent does not win at once


@inlined
def threats_of(board: BoardMasks, stones: int, mask: int) -> int:
    """The free cells that complete a line of `stones`; `mask` are the stones of both players."""
    return line_ends(board, stones) & ~mask


@inlined
def position_of(board: BoardMasks, mover: int, mask: int) -> Position:
    """The position with these stones."""
    own = threats_of(board, mover, mask)
    return Position(mover, mask, own, threats_of(board, mover ^ mask, mask))


@inlined
def after_move(position: Position, move: int, threats: int) -> Position:
    """The position after a move that does not win, with the `threats` that the mover has then."""
    mask = position.mask | move
    return Position(position.mover ^ position.mask, mask, position.threats & ~move, threats)


@inlined
def win_score(cells: int, stones: int) -> int:
    """The score of a win with the next stone, with `stones` on a board of `cells` cells."""
    return (cells + 1 - stones) // 2


def sign(number: float) -> int:
    """The result that a score means: 1 for a win, 0 for a draw, -1 for a loss."""
    return (number > 0) - (number < 0)


@inlined
def is_lost(board: BoardMasks, mask: int, threats: int) -> bool:
    """Whether the player to move can no longer stop the opponent's `threats`."""
    free = possible_cells(board, mask)
    return free != 0 and safe_cells(free, threats) == 0


@inlined
def trivial_bounds(board: BoardMasks, mover: int, mask: int) -> tuple[int, int]:
    """The bounds of a score that need no search."""
    cells, stones = board.cells, mask.bit_count()
    free = possible_cells(board, mask)
    if free == 0:
        return 0, 0
    if line_ends(board, mover) & free:
        return win_score(cells, stones), win_score(cells, stones)
    return -win_score(cells, stones + 1), win_score(cells, min(stones + 2, cells + 1))


@inlined
def play_forced(board: BoardMasks, position: Position, alpha: int) -> ForcedLine:
    """Play forced moves until there is a choice, or the number of stones decides."""
    sign = 1
    while True:
        free = possible_cells(board, position.mask)
        moves = safe_cells(free, position.threats)
        decided, value = decide_by_stones(board, position.mask.bit_count(), free, moves, alpha)
        if decided or moves & (moves - 1):
            return ForcedLine(decided, value, sign, position, alpha, moves)
        threats = threats_of(board, position.mover | moves, position.mask | moves)
        position = after_move(position, moves, threats)
        alpha = -alpha - 1  # the window (alpha, alpha + 1), from the other side
        sign = -sign


@inlined
def decide_by_stones(
    board: BoardMasks, stones: int, free: int, moves: int, alpha: int
) -> tuple[bool, int]:
    """Whether the earliest possible wins decide a position against alpha, and its value.

    The player to move cannot win at once; `moves` are the `free` cells after which the opponent
    cannot either.
    """
    cells = board.cells
    if free == 0:
        return True, 0  # exact: the board is full
    if moves == 0:
        return True, -win_score(cells, stones + 1)  # exact: the opponent wins with the next stone
    highest = win_score(cells, stones + 2)
    if highest <= alpha:
        return True, highest  # fail low: the mover cannot win before the stone after next
    lowest = -win_score(cells, min(stones + 3, cells + 1))
    if lowest > alpha:
        return True, lowest  # fail high: after a safe move the opponent cannot win sooner
    return False, 0
