"""Positions of the solver's search, their forced moves, and bounds that need no search.

The compiled search (`agents.solver.solver_kernel`) and the plain one (`agents.solver.plain_solver`)
share these functions. Scores are from the view of the player to move, on the scale of
`agents.solver.solver.ScoreBounds`. Some bounds follow from the number of stones, another one from
the follow-up, a plan of the opponent to answer each move with the other cell of a pair.

The player to move leads, the other one follows. The follower divides the free cells into pairs and,
whenever the leader takes a cell, takes the other one of its pair. So the leader gets exactly one
cell of each pair; if no such cells make a line, the leader does not win. The pairs:

- In a column with an even number of free cells: each cell with the one above it ("claimeven").
- In a column with an odd number of them: the same, up to a cell that wins for the follower; the
  game ends there.
- In two other columns with an odd number: the lowest free cells of the two ("baseinverse"); the
  number of free cells above them is even, and they form pairs as in the first rule.

The follower's answer is always legal: the cell above has just become playable, and lowest free
cells always are. L. V. Allis, "A Knowledge-based Approach of Connect-Four" (1988), introduces these
rules; here they are combined for the whole board, and give a bound of the score.
"""

from typing import NamedTuple

from envs.bitboard import BoardMasks, has_run, line_ends, possible_cells, safe_cells
from envs.compiled.jit import inlined

TABLE_LEFT = 7  # with at most as many cells left, a search is faster than the table
CHILD_TABLE_LEFT = 10  # with more cells left, all children are looked up before one is searched


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


@inlined
def follow_up_bound(board: BoardMasks, leader: int, mask: int, completing: int) -> int:
    """An upper bound of the score of the leader, who is to move.

    It is the number of the board's cells if the follow-up gives no bound, or if the board takes
    all bits of a word, so that its highest guard would be the sign. `leader` are the stones of the
    player to move, who does not win at once, `mask` those of both players, and `completing` the
    free cells that complete a line of the follower.
    """
    bits = (board.rows + 1) * board.columns
    if bits == 64 or bits == 128 or bits == 256:
        return board.cells
    # Adding a cell to a full column carries into its guard bit. Conversely, the guard bit minus a
    # cell is that cell and all above it. Neither affects the other columns.
    free = possible_cells(board, mask)  # the lowest free cell of each column
    odd = free & board.answers  # the lowest free cells of columns with an odd number of them
    first = every_second(board, free)  # the lower cells of all pairs: the leader's
    guards = board.top << 1
    odd_guards = (odd + board.board) & guards  # of the odd columns; minus `odd`: their free cells
    wins = completing & ~first & (odd_guards - odd)  # upper cells that win for the follower there
    winning_guards = (wins + board.board) & guards  # of the odd columns that have such a win
    # The lowest free cells of the odd columns without such a win:
    bases = odd & ~(winning_guards - (winning_guards >> board.rows))
    if bases.bit_count() & 1:
        return board.cells  # one base is left without a partner
    lowest_wins = wins & (winning_guards - wins)  # as `x & -x` in each column: where it ends
    beyond = winning_guards - (lowest_wins << 1)  # the cells above, which nobody gets
    if bases:  # bases pair with each other, so the pairs above them begin one cell higher
        first = every_second(board, (free ^ bases) | ((bases << 1) & board.board))
    lead = leader | (first & ~beyond)  # all cells that the leader may get, except the bases
    one = bases & -bases  # of two bases the leader gets only one, either of them
    another = bases ^ one
    if another & (another - 1):  # four or more: assume that the leader gets all of them
        one = another = bases
    if has_run(lead | one, board.rows, board.inarow):
        return board.cells
    if another and has_run(lead | another, board.rows, board.inarow):
        return board.cells
    if lowest_wins:
        # The leader can delay the loss only until all else is full. Then the free cells are those
        # beyond and, in each of these columns but the one that ends the game, the last pair.
        left = beyond.bit_count() + 2 * (lowest_wins.bit_count() - 1)
        return -((left + 2) // 2)
    follower = (mask ^ leader) | (board.board & ~(mask | first | bases))  # with the upper cells
    return -1 if has_run(follower, board.rows, board.inarow) else 0


@inlined
def every_second(board: BoardMasks, cells: int) -> int:
    """`cells`, at most one per column, and every second cell above each of them."""
    step = 2  # doubles each round: the copies `step` higher double the number of cells
    while step < board.rows:
        # Bits shifted into the lowest `step` cells come from the column to the left.
        cells |= (cells << step) & board.board & ~(board.bottom * ((1 << step) - 1))
        step *= 2
    return cells & board.board
