"""The compiled search of the solver: exact scores of ConnectX positions."""

from collections.abc import Callable
from functools import lru_cache, partial

from agents.solver.pairing import pairing_bound
from agents.solver.score_table import (
    TableLayout,
    fetch_bucket,
    position_key,
    store_bounds,
    stored_bounds,
)
from envs.bitboard import (
    WORD_BITS,
    BoardMasks,
    column_from_middle,
    completing_cells,
    safe_cells,
)
from envs.jit import Words, compiled, inlined, jit

# What the registers hold, also between the slices of a search.
INDEX = 0
"""Number of the position that is being solved."""
STAGE = 1
VISITED = 2
"""Nodes visited so far."""
GENERATION = 3
"""Of the table's entries."""
COLD = 4
"""1 if each position is to begin with an empty table, else 0."""
WIDE = 5
"""1 while early wins and losses are looked for, then 0."""
GUESS = 6
WINDOW = 7
"""The alpha at the root of the search under way; what follows is where that search is."""
PROBE_END = 8
AT_PLY = 9
AT_MOVER = 10
AT_MASK = 11
AT_OWN = 12
"""Free cells that complete a line of the player to move."""
AT_THREATS = 13
"""Free cells that complete a line of the other player."""
AT_ALPHA = 14
VALUE = 15
MIRRORED = 16
"""1 where of two equal moves the right one comes first, as another thread's does not; else 0."""
REGISTERS = 17

# Stages.
NEXT_POSITION = 0
NEXT_WINDOW = 1
IN_WINDOW = 2

# A frame of the stack, for each node on the way from the root to the node that is examined.
FRAME_MOVER = 0
FRAME_MASK = 1
FRAME_THREATS = 2
FRAME_ALPHA = 3
FRAME_SIGN = 4
FRAME_BEST = 5
FRAME_NEXT = 6
FRAME_COUNT = 7
FRAME_NODES = 8
FRAME_MOVES = 9
"""The moves from here on, the best first; then their merits, then the cells that they threaten."""


TABLE_LEFT = 7
"""With no more cells left, a search is over before the table could answer."""
CHILD_TABLE_LEFT = 10
"""With more cells left, all children are looked up before one is searched."""
PAIRING_CHILD_LEFT = 14
"""With more cells left, the pairing bound of all children is computed before one is searched."""
MIRROR_STONES = 16
"""With fewer stones, mirror images share an entry; later they hardly meet."""
PROBE_NODES = 100_000
"""How long the search for an early win or loss may take, before the score is taken to be near 0."""


@inlined
def win_score(board: BoardMasks, stones: int) -> int:
    """The score of a player who wins at once, with so many stones on the board before."""
    return (board.cells + 1 - stones) // 2


@inlined
def play_forced(
    board: BoardMasks, mover: int, mask: int, own: int, threats: int, alpha: int
) -> tuple[bool, int, int, int, int, int, int, int, int]:
    """Play on until there is a choice, or a score outside the window is certain.

    Returns:
        Whether the score is decided, and the score for who moves now; whether that is the player
        who moved before (1) or the other one (-1); then the position, window and moves reached.
    """
    sign = 1
    while True:
        free = (mask + board.bottom) & board.board
        stones = mask.bit_count()
        moves = safe_cells(free, threats)
        if free == 0:
            return True, 0, sign, mover, mask, own, threats, alpha, moves
        if moves == 0:
            value = -win_score(board, stones + 1)
            return True, value, sign, mover, mask, own, threats, alpha, moves
        highest = win_score(board, stones + 2)
        if highest <= alpha:
            return True, highest, sign, mover, mask, own, threats, alpha, moves
        lowest = -win_score(board, min(stones + 3, board.cells + 1))
        if lowest > alpha:
            return True, lowest, sign, mover, mask, own, threats, alpha, moves
        if moves & (moves - 1):
            return False, 0, sign, mover, mask, own, threats, alpha, moves
        stone = mover | moves
        mover, mask = mover ^ mask, mask | moves
        own, threats = (
            threats & ~moves,
            completing_cells(stone, board.rows, board.inarow) & board.board & ~mask,
        )
        alpha = -alpha - 1
        sign = -sign


@inlined
def is_lost(board: BoardMasks, mask: int, threats: int) -> bool:
    """Whether the player to move cannot keep the other one from winning with the next stone."""
    free = (mask + board.bottom) & board.board
    return free != 0 and safe_cells(free, threats) == 0


@inlined
def order_moves(
    board: BoardMasks,
    mover: int,
    mask: int,
    own: int,
    moves: int,
    alpha: int,
    layout: TableLayout,
    table: Words,
    stack: Words,
    ply: int,
    mirrored: int,
) -> tuple[int, int]:
    """Write the moves into the frame, the best first, unless one decides the score on its own.

    The more cells a move threatens, the better; a move that lets the opponent take the cell above,
    where the mover would have won, is bad. Of equals the one nearer to the middle comes first, of
    two as near the left one, or the right one where that is `mirrored`.

    Returns:
        How many moves there are; 0 where one decides, and then the score.
    """
    merits, threatened = FRAME_MOVES + board.columns, FRAME_MOVES + 2 * board.columns
    stones = mask.bit_count()
    count = 0
    for column_place in range(board.columns):
        column = column_from_middle(board.columns, column_place)
        if mirrored:
            column = board.columns - 1 - column
        move = moves & (((1 << board.rows) - 1) << (column * (board.rows + 1)))
        if move:
            stone = mover | move
            filled = mask | move
            if board.cells - stones > CHILD_TABLE_LEFT:
                early = stones + 1 < MIRROR_STONES
                fetch_bucket(layout, table, position_key(board, mover ^ mask, filled, early))
            threats = completing_cells(stone, board.rows, board.inarow) & board.board & ~filled
            if is_lost(board, filled, threats):
                return 0, win_score(board, stones + 2)
            if pairs_fit(board) and board.cells - stones > PAIRING_CHILD_LEFT:
                value = -pairing_bound(board, filled ^ stone, filled, threats)
                if value > alpha:
                    return 0, value
            merit = threats.bit_count() - 2 * ((move << 1) & own != 0)
            place = count
            while place > 0 and stack[ply, merits + place - 1] < merit:
                stack[ply, FRAME_MOVES + place] = stack[ply, FRAME_MOVES + place - 1]
                stack[ply, merits + place] = stack[ply, merits + place - 1]
                stack[ply, threatened + place] = stack[ply, threatened + place - 1]
                place -= 1
            stack[ply, FRAME_MOVES + place] = move
            stack[ply, merits + place] = merit
            stack[ply, threatened + place] = threats
            count += 1
    highest = win_score(board, min(stones + 4, board.cells + 1))
    return (0, highest) if highest <= alpha else (count, 0)


@inlined
def pairs_fit(board: BoardMasks) -> bool:
    """Whether the pairing bound can be computed in a signed word."""
    return (board.rows + 1) * board.columns < WORD_BITS


@inlined
def look_up(
    board: BoardMasks,
    layout: TableLayout,
    table: Words,
    generation: int,
    mover: int,
    mask: int,
    threats: int,
    alpha: int,
) -> tuple[bool, int]:
    """Whether the pairing bound or the table decides a score, and what they say of it."""
    if pairs_fit(board):
        value = pairing_bound(board, mover, mask, threats)
        if value <= alpha:
            return True, value
    stones = mask.bit_count()
    if board.cells - stones > TABLE_LEFT:
        key = position_key(board, mover, mask, stones < MIRROR_STONES)
        known, lower, upper = stored_bounds(layout, table, key, generation)
        if known and lower > alpha:
            return True, lower
        if known and upper <= alpha:
            return True, upper
    return False, 0


@inlined
def look_up_children(
    board: BoardMasks,
    layout: TableLayout,
    table: Words,
    generation: int,
    stack: Words,
    ply: int,
) -> tuple[bool, int]:
    """Whether the table knows a move of the frame to be good enough, and its score.

    The enhanced transposition cutoff of J. Schaeffer and A. Plaat, "New Advances in Alpha-Beta
    Searching" (1996).
    """
    mover, mask = stack[ply, FRAME_MOVER], stack[ply, FRAME_MASK]
    stones = mask.bit_count()
    if board.cells - stones > CHILD_TABLE_LEFT:
        for index in range(stack[ply, FRAME_COUNT]):
            filled = mask | stack[ply, FRAME_MOVES + index]
            key = position_key(board, mover ^ mask, filled, stones + 1 < MIRROR_STONES)
            known, _, upper = stored_bounds(layout, table, key, generation)
            if known and -upper > stack[ply, FRAME_ALPHA]:
                return True, -upper
    return False, 0


@inlined
def next_position(board: BoardMasks, stack: Words, ply: int) -> tuple[int, int, int, int, int]:
    """Play the next move of a frame; the position and the window that it leads to."""
    index = stack[ply, FRAME_NEXT]
    stack[ply, FRAME_NEXT] = index + 1
    mask = stack[ply, FRAME_MASK]
    mover = stack[ply, FRAME_MOVER] ^ mask
    mask |= stack[ply, FRAME_MOVES + index]
    own = stack[ply, FRAME_THREATS] & ~mask
    threats = stack[ply, FRAME_MOVES + 2 * board.columns + index]
    return mover, mask, own, threats, -stack[ply, FRAME_ALPHA] - 1


@inlined
def hand_up(
    board: BoardMasks,
    layout: TableLayout,
    table: Words,
    generation: int,
    stack: Words,
    ply: int,
    value: int,
    nodes: int,
) -> tuple[int, int]:
    """Hand up the `value` of the node at `ply` until a frame has a move left that it needs.

    Each frame takes it with its sign turned: what the opponent wins, the player to move loses.

    Returns:
        The ply of that frame, or -1 where the root is decided, and then its score.
    """
    while ply > 0:
        ply -= 1
        mask, alpha = stack[ply, FRAME_MASK], stack[ply, FRAME_ALPHA]
        best = max(stack[ply, FRAME_BEST], -value)
        stack[ply, FRAME_BEST] = best
        if best <= alpha and stack[ply, FRAME_NEXT] < stack[ply, FRAME_COUNT]:
            return ply, value
        stones = mask.bit_count()
        if board.cells - stones > TABLE_LEFT:
            store_bounds(
                layout,
                table,
                position_key(board, stack[ply, FRAME_MOVER], mask, stones < MIRROR_STONES),
                generation,
                best if best > alpha else -win_score(board, stones + 1),
                best if best <= alpha else win_score(board, stones),
                nodes - stack[ply, FRAME_NODES],
            )
        value = best * stack[ply, FRAME_SIGN]
    return -1, value


@inlined
def search(
    board: BoardMasks,
    layout: TableLayout,
    registers: Words,
    stack: Words,
    table: Words,
    node_limit: int,
) -> bool:
    """Whether the score of the position in the registers is above alpha: a null-window search.

    Alpha-beta in negamax form, on a stack of frames instead of by recursion, so that it can be
    left at `node_limit` and taken up again. It enters a value v into the registers that says of
    the true score t, both for the player to move:

        v <= alpha    t <= v
        v >  alpha    t >= v

    The player to move must have no win at once.

    Returns:
        Whether the search is finished.
    """
    generation, mirrored = registers[GENERATION], registers[MIRRORED]
    nodes = registers[VISITED]
    ply, alpha = registers[AT_PLY], registers[AT_ALPHA]
    mover, mask = registers[AT_MOVER], registers[AT_MASK]
    own, threats = registers[AT_OWN], registers[AT_THREATS]
    while nodes < node_limit:
        nodes += 1
        decided, value, sign, mover, mask, own, threats, alpha, moves = play_forced(
            board, mover, mask, own, threats, alpha
        )
        if not decided:
            decided, value = look_up(board, layout, table, generation, mover, mask, threats, alpha)
        if not decided:
            count, value = order_moves(
                board, mover, mask, own, moves, alpha, layout, table, stack, ply, mirrored
            )
            decided = count == 0
            if not decided:
                stack[ply, FRAME_MOVER] = mover
                stack[ply, FRAME_MASK] = mask
                stack[ply, FRAME_THREATS] = threats
                stack[ply, FRAME_ALPHA] = alpha
                stack[ply, FRAME_SIGN] = sign
                stack[ply, FRAME_BEST] = -board.cells
                stack[ply, FRAME_NEXT] = 0
                stack[ply, FRAME_COUNT] = count
                stack[ply, FRAME_NODES] = nodes
                decided, value = look_up_children(board, layout, table, generation, stack, ply)
        if decided:
            ply, value = hand_up(board, layout, table, generation, stack, ply, value * sign, nodes)
            if ply < 0:
                registers[VISITED] = nodes
                registers[VALUE] = value
                return True
        mover, mask, own, threats, alpha = next_position(board, stack, ply)
        ply += 1
    registers[VISITED] = nodes
    registers[AT_PLY], registers[AT_ALPHA] = ply, alpha
    registers[AT_MOVER], registers[AT_MASK] = mover, mask
    registers[AT_OWN], registers[AT_THREATS] = own, threats
    return False


@inlined
def next_alpha(lower: int, upper: int, guess: int, wide: bool) -> int:
    """The window to search next, for a score known to lie from `lower` to `upper`.

    While the search is `wide`, it halves the range from its ends, where an early win or loss is
    proven or ruled out quickly; later it goes on from the guess (A. Plaat's MTD(f), 1996).
    """
    if not wide:
        return min(max(guess, lower), upper - 1)
    middle = (lower + upper) // 2
    if middle <= 0 and -(-lower // 2) < middle:
        return -(-lower // 2)
    if middle >= 0 and upper // 2 > middle:
        return upper // 2
    return middle


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
def open_window(board: BoardMasks, registers: Words, mover: int, mask: int, alpha: int) -> None:
    """Set the registers to the root of a search."""
    empty = board.board & ~mask
    registers[AT_PLY], registers[AT_ALPHA] = 0, alpha
    registers[AT_MOVER], registers[AT_MASK] = mover, mask
    registers[AT_OWN] = completing_cells(mover, board.rows, board.inarow) & empty
    registers[AT_THREATS] = completing_cells(mover ^ mask, board.rows, board.inarow) & empty


@inlined
def narrow_bounds(
    board: BoardMasks,
    layout: TableLayout,
    movers: Words,
    masks: Words,
    lowers: Words,
    uppers: Words,
    registers: Words,
    stack: Words,
    table: Words,
    node_limit: int,
) -> bool:
    """Narrow the bounds of the positions' scores, one position after the other.

    A position is solved when its bounds are equal: that is its score, or the nearer of the two
    bounds that were given, where the score lies outside of them.

    Returns:
        Whether all are solved; False at the node limit, from where the next call goes on.
    """
    for index in range(registers[INDEX], len(movers)):
        mover, mask = movers[index], masks[index]
        if registers[STAGE] == NEXT_POSITION:
            lower, upper = trivial_bounds(board, mover, mask)
            uppers[index] = max(lowers[index], min(uppers[index], upper))
            lowers[index] = min(uppers[index], max(lowers[index], lower))
            registers[GUESS] = 0
            registers[WIDE] = 1
            registers[PROBE_END] = registers[VISITED] + PROBE_NODES
            registers[GENERATION] += registers[COLD]
            if registers[GENERATION] >> layout.generation_bits:
                registers[GENERATION] = 1
                for place in range(len(table)):
                    table[place] = 0
            registers[STAGE] = NEXT_WINDOW
        while lowers[index] < uppers[index]:
            lower, upper = lowers[index], uppers[index]
            if registers[STAGE] == NEXT_WINDOW:
                alpha = next_alpha(lower, upper, registers[GUESS], registers[WIDE] == 1)
                open_window(board, registers, mover, mask, alpha)
                registers[WINDOW] = alpha
                registers[STAGE] = IN_WINDOW
            limit = node_limit
            if registers[WIDE]:
                limit = min(limit, registers[PROBE_END])
            if search(board, layout, registers, stack, table, limit):
                value = registers[VALUE]
                if value > registers[WINDOW]:
                    lowers[index] = min(upper, value)
                    registers[GUESS] = value
                else:
                    uppers[index] = max(lower, value)
                    registers[GUESS] = value - 1
            elif registers[VISITED] >= node_limit:
                registers[INDEX] = index
                return False
            else:  # the score seems to be near 0
                registers[WIDE] = 0
                registers[GUESS] = 0
            registers[STAGE] = NEXT_WINDOW
        registers[STAGE] = NEXT_POSITION
    registers[INDEX] = len(movers)
    return True


@jit
def solve_on_any_board(
    board: BoardMasks,
    layout: TableLayout,
    movers: Words,
    masks: Words,
    lowers: Words,
    uppers: Words,
    registers: Words,
    stack: Words,
    table: Words,
    node_limit: int,
) -> bool:
    """`narrow_bounds`, compiled once for boards of all sizes."""
    return narrow_bounds(
        board, layout, movers, masks, lowers, uppers, registers, stack, table, node_limit
    )


@lru_cache
def make_solve(board: BoardMasks, layout: TableLayout) -> Callable[..., bool]:
    """`narrow_bounds` of a board, compiled: for Connect Four with all that is constant there."""
    if (board.rows, board.columns, board.inarow) != (6, 7, 4):
        return partial(compiled(solve_on_any_board), board, layout)

    @jit
    def solve_connect_four(
        movers: Words,
        masks: Words,
        lowers: Words,
        uppers: Words,
        registers: Words,
        stack: Words,
        table: Words,
        node_limit: int,
    ) -> bool:
        return narrow_bounds(
            board, layout, movers, masks, lowers, uppers, registers, stack, table, node_limit
        )

    return compiled(solve_connect_four)
