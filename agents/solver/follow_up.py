"""The follow-up bound of the score: the opponent answers each move with the other cell of a pair.

The player to move leads, the other one follows. The follower divides the free cells into pairs
and, whenever the leader takes a cell, takes the other one of its pair. So the leader gets one cell
of each pair, whatever happens; where that makes no line, the leader does not win. The pairs:

- In a column with an even number of free cells, each cell with the one above it ("claimeven").
- In a column with an odd number of them, the same, up to a cell that wins for the follower; the
  game ends there.
- In two other columns with an odd number, their lowest free cells ("baseinverse"); what is above
  these is even in number.

The follower's answer is always possible: the cell above has just become playable, and the lowest
free cells are. L. V. Allis, "A Knowledge-based Approach of Connect-Four" (1988) has these rules one
by one; here they are put together for the whole board, and give a bound of the score.
"""

from envs.bitboard import BoardMasks, has_run
from envs.compiled.jit import inlined


@inlined
def follow_up_bound(board: BoardMasks, leader: int, mask: int, completing: int) -> int:
    """An upper bound of the score that the leader, who is to move, can reach.

    The number of the board's cells where the rules above give none, or where the board takes all
    bits of a word, so that its highest guard would be the sign.

    Args:
        board: the board.
        leader: stones of the player to move, who does not win at once.
        mask: stones of both players.
        completing: free cells that complete a line of the follower.
    """
    bits = (board.rows + 1) * board.columns
    if bits == 64 or bits == 128 or bits == 256:
        return board.cells
    free = (mask + board.bottom) & board.board
    odd = free & board.answers  # the lowest free cells of columns with an odd number of them
    first = every_second(board, free)
    guards = board.top << 1
    odd_guards = (odd + board.board) & guards
    wins = completing & ~first & (odd_guards - odd)
    winning_guards = (wins + board.board) & guards
    bases = odd & ~(winning_guards - (winning_guards >> board.rows))
    if bases.bit_count() & 1:
        return board.cells
    lowest_wins = wins & (winning_guards - wins)
    beyond = winning_guards - (lowest_wins << 1)
    if bases:
        first = every_second(board, (free ^ bases) | ((bases << 1) & board.board))
    lead = leader | (first & ~beyond)
    one = bases & -bases
    another = bases ^ one
    if another & (another - 1):  # four or more: as if the leader got all of them
        one = another = bases
    if has_run(lead | one, board.rows, board.inarow):
        return board.cells
    if another and has_run(lead | another, board.rows, board.inarow):
        return board.cells
    if lowest_wins:
        # The leader cannot hold out longer than until all else is full.
        left = beyond.bit_count() + 2 * (lowest_wins.bit_count() - 1)
        return -((left + 2) // 2)
    follower = (mask ^ leader) | (board.board & ~(mask | first | bases))
    return -1 if has_run(follower, board.rows, board.inarow) else 0


@inlined
def every_second(board: BoardMasks, cells: int) -> int:
    """`cells`, one in a column at most, and every second cell above each of them."""
    step = 2
    while step < board.rows:
        cells |= (cells << step) & board.board & ~(board.bottom * ((1 << step) - 1))
        step *= 2
    return cells & board.board
