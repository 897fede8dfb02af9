"""Positions as the solver searches them, their forced moves, and the bounds that stones alone set.

The compiled search (`agents.solver.solver_kernel`) and the plain one (`agents.solver.plain_solver`)
share these functions. Scores are the mover's, as `agents.solver.solver.ScoreBounds` has them.
"""

from typing import NamedTuple

from envs.bitboard import BoardMasks, completing_cells, safe_cells
from envs.compiled.jit import inlined

TABLE_LEFT = 7
"""With no more cells left, a search is over before the table could answer."""
CHILD_TABLE_LEFT = 10
"""With more cells left, all children are looked up before one is searched."""


class Position(NamedTuple):
    """A position as the search knows it: bitboards laid out as in `envs.bitboard`."""

    mover: int
    """Stones of the player to move."""
    mask: int
    """Stones of both players."""
    own: int
    """Threats of the player to move: free cells that complete a line of theirs."""
    threats: int
    """Threats of the opponent."""


class ForcedLine(NamedTuple):
    """Where a position's forced moves lead to."""

    decided: bool
    """Whether `value` is the answer; otherwise there are several `moves` to choose from."""
    value: int
    """For the player to move in `position`."""
    sign: int
    """1 if the player to move is the one who was before the forced moves, else -1."""
    position: Position
    alpha: int
    """The window for `position`."""
    moves: int
    """The moves after which the opponent does not win at once."""


@inlined
def threats_of(board: BoardMasks, stones: int, mask: int) -> int:
    """The free cells that complete a line of `stones`; `mask` are the stones of both players."""
    return completing_cells(stones, board.rows, board.inarow) & board.board & ~mask


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
def win_score(board: BoardMasks, stones: int) -> int:
    """The score of a player who wins at once, with so many stones on the board before."""
    return (board.cells + 1 - stones) // 2


@inlined
def is_lost(board: BoardMasks, mask: int, threats: int) -> bool:
    """Whether the player to move can stop the opponent, who has these threats, no more."""
    free = (mask + board.bottom) & board.board
    return free != 0 and safe_cells(free, threats) == 0


@inlined
def trivial_bounds(board: BoardMasks, mover: int, mask: int) -> tuple[int, int]:
    """The bounds of a score that need no search."""
    stones = mask.bit_count()
    free = (mask + board.bottom) & board.board
    if free == 0:
        return 0, 0
    if completing_cells(mover, board.rows, board.inarow) & free:
        return win_score(board, stones), win_score(board, stones)
    return -win_score(board, stones + 1), win_score(board, min(stones + 2, board.cells + 1))


@inlined
def play_forced(board: BoardMasks, position: Position, alpha: int) -> ForcedLine:
    """Play on until there is a choice, or the number of stones decides."""
    sign = 1
    while True:
        free = (position.mask + board.bottom) & board.board
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
    """Compare alpha with the earliest wins that are possible; see `agents.solver.solver_kernel`.

    Args:
        board: the board.
        stones: how many are on it; the player to move has no win at once.
        free: the cells that can be played.
        moves: those of them after which the opponent does not win at once.
        alpha: the window is (alpha, alpha + 1).

    Returns:
        Whether that decides, and the value.
    """
    if free == 0:
        return True, 0  # exact: the board is full
    if moves == 0:
        return True, -win_score(board, stones + 1)  # exact: the opponent wins with the next stone
    highest = win_score(board, stones + 2)
    if highest <= alpha:
        return True, highest  # fail low: the mover cannot win before the stone after next
    lowest = -win_score(board, min(stones + 3, board.cells + 1))
    if lowest > alpha:
        return True, lowest  # fail high: after a safe move the opponent cannot win any sooner
    return False, 0
