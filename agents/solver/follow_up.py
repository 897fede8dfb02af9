"""The follow-up: a bound of the score from the opponent's plan to answer in pairs of cells.

The player to move leads, the other one follows. The follower divides the free cells into pairs and,
whenever the leader takes a cell, takes the other one of its pair. So the leader gets exactly one
cell of each pair; if no such cells make a line, the leader does not win. The pairs:

- In a plain column: each cell with the one above it, from the lowest free cell up ("claimeven").
- In a shifted column: the same from its second free cell up. The lowest one is paired with that of
  another shifted column ("baseinverse"), so the number of shifted columns must be even.
- No cell may be left over at the top, unless the upper cell of a pair below it wins for the
  follower: the game ends there.

So a column with an even number of free cells is plain and one with an odd number is shifted, and
the follower can choose if its other pairs end with a win.

An example, X to move, with what becomes of the free cells: `x` the lower and `o` the upper cell of
a pair, `b` the lowest cells of shifted columns, `*` a win of O that ends its column. X completes no
line with all `x` and one `b`, so X loses, with move 35 at the latest:

    O - o X b - o
    O - x O O - x
    X - O O X * X
    O * X X O x O
    O x O O X X X
    X b O O X X X

The follower's answer is always legal: the cell above has just become playable, and lowest free
cells always are. L. V. Allis, "A Knowledge-based Approach of Connect-Four" (1988), introduces these
rules; here they are combined for the whole board, and give a bound of the score.
"""

from envs.bitboard import BoardMasks, has_run, possible_cells, runs_along
from envs.compiled.jit import inlined

RACE_LEFT = 16  # with more cells left, the players' race to complete a line is examined


@inlined
def follow_up_bound(board: BoardMasks, leader: int, mask: int, completing: int, alpha: int) -> int:
    """An upper bound, of at most `alpha`, of the score of the leader, who is to move.

    It is the number of the board's cells if the follow-up gives no such bound, or if the board
    takes all bits of a word, so that its highest guard would be the sign. `leader` are the stones
    of the player to move, who does not win at once, `mask` those of both players, and `completing`
    the free cells that complete a line of the follower.
    """
    bits = (board.rows + 1) * board.columns
    if bits == 64 or bits == 128 or bits == 256:
        return board.cells
    free = possible_cells(board, mask)  # the lowest free cell of each column
    wins = completing & ~free
    if alpha < -1 and not wins:
        return board.cells  # saves time: without wins the bound is -1 at least
    lower = every_second(board, free)  # the lower cells of all pairs, as if all columns were plain
    shifted = shifted_columns(board, free, lower, wins)
    if shifted.bit_count() & 1:
        return board.cells  # a column is left without a partner
    in_shifted = shifted - (shifted >> board.rows)  # the cells of these columns
    vacant = board.board & ~mask
    lower ^= vacant & in_shifted
    bases = free & in_shifted
    upper = vacant & ~(lower | bases)
    ends = wins & upper
    guards = guards_of(board, ends)
    lowest_ends = ends & (guards - ends)  # as `x & -x` in each column: where the game ends
    beyond = guards - (lowest_ends << 1)  # the cells above, which nobody gets
    follower = mask ^ leader
    value = 0
    if ends:
        # The leader can delay the loss only until all else is full. Then the free cells are those
        # beyond and, in each of these columns but the one that ends the game, the last pair.
        value = -((beyond.bit_count() + 2 * lowest_ends.bit_count()) // 2)
    elif alpha < 0 and has_run(follower | upper, board.rows, board.inarow):
        value = -1  # at the latest by the last stone
    if value > alpha:
        return board.cells
    lead = leader | (lower & ~beyond)  # all cells that the leader may get, except the bases
    one = bases & -bases  # of two bases the leader gets only one, either of them
    another = bases ^ one
    if another & (another - 1):  # four or more: assume that the leader gets all of them
        one = another = bases
    if can_win(board, leader, lead | one, follower, upper):
        return board.cells
    if another and can_win(board, leader, lead | another, follower, upper):
        return board.cells
    return value


@inlined
def shifted_columns(board: BoardMasks, free: int, lower: int, wins: int) -> int:
    """The guards of the shifted columns: an even number, if the follower can choose so.

    `free` are the lowest free cells, `lower` the lower cells of all pairs if all columns are plain,
    and `wins` the cells that win for the follower, except the lowest free ones.
    """
    odd = guards_of(board, free & board.answers)  # of an odd number of free cells
    plain_ends = guards_of(board, wins & ~lower)
    shifted = odd & ~plain_ends
    if shifted.bit_count() & 1:
        shifted_ends = guards_of(board, wins & lower)
        either = (odd & plain_ends) | (shifted_ends & ~odd)
        shifted ^= either & -either  # the first column of which the follower can choose the kind
    return shifted


@inlined
def guards_of(board: BoardMasks, cells: int) -> int:
    """The guard bits of the columns that have any of these cells.

    Adding a cell to a full column carries into its guard bit. Conversely, the guard bit minus a
    cell is that cell and all above it. Neither affects the other columns.
    """
    return (cells + board.board) & (board.top << 1)


@inlined
def can_win(board: BoardMasks, leader: int, lead: int, follower: int, upper: int) -> bool:
    """Whether the leader, who may get the cells `lead`, can complete a line in the follow-up.

    With few cells left every line of `lead` counts. With more, only one that the leader completes
    first: below its cells the follower gets all `upper` cells ("aftereven").
    """
    if not has_run(lead, board.rows, board.inarow):
        return False
    few = board.cells - (leader | follower).bit_count() <= RACE_LEFT
    if few or runs_along(lead, 1, board.inarow):
        return True
    for step in (board.rows, board.rows + 1, board.rows + 2):
        starts = runs_along(lead, step, board.inarow)
        while starts:
            start = starts & -starts
            starts ^= start
            line = start
            for number in range(1, board.inarow):
                line |= start << (number * step)
            missing = line & ~leader  # at most one cell per column
            up_to = (missing << 1) - (guards_of(board, missing) >> board.rows)
            if not has_run(follower | (upper & up_to), board.rows, board.inarow):
                return True
    return False


@inlined
def every_second(board: BoardMasks, cells: int) -> int:
    """`cells`, at most one per column, and every second cell above each of them."""
    step = 2  # doubles each round: the copies `step` higher double the number of cells
    while step < board.rows:
        # Bits shifted into the lowest `step` cells come from the column to the left.
        cells |= (cells << step) & board.board & ~(board.bottom * ((1 << step) - 1))
        step *= 2
    return cells & board.board
