"""The compiled search of the solver: exact scores of ConnectX positions.

It follows P. Pons' tutorial, "Solving Connect 4: how to build a perfect AI":

    Solver::solve                       `narrow_bounds` of `agents.solver.solver_windows`
    Solver::negamax                     `search`; `agents.solver.plain_solver` has it as a recursion
    Position                            `Position`, with the threats of both players
    Position::play                      `after_move`
    Position::compute_winning_position  `threats_of`
    Position::possibleNonLosingMoves    `safe_cells` of `envs.bitboard`
    Position::canWinNext                `trivial_bounds`, at the root; safe moves preclude it below
    Position::key, key3                 `table_key`, the mirror image's where that is smaller
    Position::moveScore                 the merit in `order_moves`
    MoveSorter::add, getNext            `insert_move`, `play_next_move`
    TranspositionTable::get, put        `stored_bounds`, `store_bounds`, which keep both bounds

As a recursion, with scores for the player to move and beta = alpha + 1:

    search(position, alpha):                        the mover cannot win at once
        repeat                                      `play_forced`: while only one move is safe
            moves <- the safe moves                 after which the opponent cannot win at once
            return the score if the stones decide it: 0 on a full board, a loss without safe moves,
                a bound where the earliest wins that are possible lie outside of the window
            if there are several moves: leave the loop
            position, alpha <- the position after the only move, -alpha - 1
            change the sign of what is returned
        return the follow-up bound if it is <= alpha              `follow_up`
            (for most nodes it is known from the parent that it is not)
        return the table's upper bound if it is <= alpha          `look_up`
            or its lower bound if that is > alpha
        for each move                                             `order_moves`
            return the win if it makes more threats than can be met
            return -(follow-up bound of the child) if it is > alpha
        return the earliest win that is possible now if it is <= alpha
        return -(the table's upper bound of a child) if it is > alpha    `look_up_children`
        best <- -infinity
        for each move, the most promising first                   `play_next_move`
            (several threads prefer moves that no other is searching)
            best <- max(best, -search(child, -alpha - 1))
            if best > alpha: leave the loop
        enter best into the table: a lower bound if it is > alpha, else an upper bound
        return best                                               `hand_up`

The code below uses its own stack instead of recursion, because Numba does not cache recursive
functions on disk, and so that a search can pause at any node and resume.
"""

from typing import NamedTuple

from agents.solver.follow_up import follow_up_bound
from agents.solver.position_bounds import (
    CHILD_LEFT,
    TABLE_LEFT,
    ForcedLine,
    Position,
    after_move,
    is_lost,
    play_forced,
    threats_of,
    win_score,
)
from agents.solver.score_table import (
    ScoreTable,
    bucket_and_tag,
    fetch_bucket,
    store_bounds,
    stored_bounds,
)
from envs.bitboard import BoardMasks, column_from_middle, mirrored
from envs.compiled.jit import Words, inlined, jit

SHARED_LEFT = 16  # with more cells left, threads share the moves of a position
MIRROR_STONES = 16  # with fewer stones, mirror images share an entry; later ones rarely both occur

# The fields of a frame. The first four are set when the node is reached.
FRAME_MOVER = 0
FRAME_MASK = 1
FRAME_THREATS = 2  # the opponent's
FRAME_ALPHA = 3
FRAME_SIGN = 4  # -1 if the forced moves before it change the sign of the value, else 1
FRAME_BEST = 5  # the best value of a move so far
FRAME_PLAYED = 6  # number of moves played
FRAME_CHOICES = 7  # number of moves
FRAME_BEGUN = 8  # number of nodes visited when the node was begun
SOLVER_FRAME_FIELDS = 9

# The fields of a move.
MOVE_CELL = 0
MOVE_MERIT = 1  # how promising it is
MOVE_THREATS = 2  # the threats that the mover has after it
MOVE_FIELDS = 3


class SolverStack(NamedTuple):
    """A frame, and the moves, for each node on the path from the root to the current one.

    The arrays have words as wide as the board needs; some words hold plain numbers.
    """

    frames: Words  # [ply, field]
    moves: Words  # [ply, n, field] The most promising move first


@inlined
def search(
    board: BoardMasks,
    table: ScoreTable,
    stack: SolverStack,
    ply: int,
    nodes: int,
    node_limit: int,
    under_way: Words,
) -> tuple[int, int, int]:
    """Search the position in frame 0 with the window (alpha, beta) = (alpha, alpha + 1).

    In general, a search within a window returns a value v that bounds the true score t:

        fail low    t <= alpha           t <= v <= alpha    v is an upper bound
        exact       alpha < t < beta     v = t
        fail high   t >= beta            beta <= v <= t     v is a lower bound

    No score lies between alpha and alpha + 1, so the second case never occurs: the search decides
    whether the score is above alpha, with a bound that may be far from it.

    To begin, fill frame 0 by `enter_node`, where the player to move cannot win at once, and let
    `ply` be 0; to resume, let it be the ply at which the search paused. It pauses when `nodes`, the
    number visited so far, reaches `node_limit`.

    Returns:
        -1 and v, for the player to move in frame 0, or the ply at which the search paused and 0;
        and the number of nodes visited so far.
    """
    position, alpha = entered_node(board, stack, ply)
    while nodes < node_limit:
        nodes += 1
        line = play_forced(board, position, alpha)
        decided, value = line.decided, line.value
        if not decided and not is_examined(board, ply, position, line):
            decided, value = follow_up(board, line)
        if not decided:
            decided, value = look_up(board, table, line)
        if not decided:
            begin_frame(board, stack, ply, line, nodes)
            decided, value = order_moves(board, table, stack, ply, line)
        if not decided:
            decided, value = look_up_children(board, table, stack, ply)
        if decided:
            ply, value = hand_up(board, table, stack, ply, line.sign * value, nodes, under_way)
            if ply < 0:
                return ply, value, nodes
        position, alpha = play_next_move(board, table, stack, ply, under_way)
        ply += 1
    enter_node(stack, ply, position, alpha)
    return ply, 0, nodes


@inlined
def enter_node(stack: SolverStack, ply: int, position: Position, alpha: int) -> None:
    """Enter a node's position and window into its frame."""
    frame = stack.frames[ply]
    frame[FRAME_MOVER] = position.mover
    frame[FRAME_MASK] = position.mask
    frame[FRAME_THREATS] = position.threats
    frame[FRAME_ALPHA] = alpha


@inlined
def entered_node(board: BoardMasks, stack: SolverStack, ply: int) -> tuple[Position, int]:
    """The position and the window that were stored by `enter_node`."""
    frame = stack.frames[ply]
    mover, mask = frame[FRAME_MOVER], frame[FRAME_MASK]
    own = threats_of(board, mover, mask)
    return Position(mover, mask, own, frame[FRAME_THREATS]), int(frame[FRAME_ALPHA])


@inlined
def begin_frame(
    board: BoardMasks, stack: SolverStack, ply: int, line: ForcedLine, nodes: int
) -> None:
    """Begin the frame of a node that its forced line does not decide."""
    enter_node(stack, ply, line.position, line.alpha)
    frame = stack.frames[ply]
    frame[FRAME_SIGN] = line.sign
    frame[FRAME_BEST] = -board.cells
    frame[FRAME_PLAYED] = 0
    frame[FRAME_CHOICES] = 0
    frame[FRAME_BEGUN] = nodes


@inlined
def is_examined(board: BoardMasks, ply: int, position: Position, line: ForcedLine) -> bool:
    """Whether `order_moves` has computed the follow-up bound of a node, as a child of its parent.

    It has not if forced moves were played since.
    """
    left_at_parent = board.cells - position.mask.bit_count() + 1
    return ply > 0 and left_at_parent > CHILD_LEFT and line.position.mask == position.mask


@inlined
def follow_up(board: BoardMasks, line: ForcedLine) -> tuple[bool, int]:
    """Whether the follow-up bound decides a node, and the value."""
    position, alpha = line.position, line.alpha
    value = follow_up_bound(board, position.mover, position.mask, position.threats, alpha)
    return value <= alpha, value  # fail low: the opponent answers in pairs


@inlined
def look_up(board: BoardMasks, table: ScoreTable, line: ForcedLine) -> tuple[bool, int]:
    """Whether the table decides a node, and the value."""
    position, alpha = line.position, line.alpha
    left = board.cells - position.mask.bit_count()
    if left > TABLE_LEFT:
        key = table_key(board, position.mover, position.mask)
        known, lower, upper = stored_bounds(table, key, left)
        if known and lower > alpha:
            return True, lower  # fail high: proven by an earlier search
        if known and upper <= alpha:
            return True, upper  # fail low: proven by an earlier search
    return False, 0


@inlined
def table_key(board: BoardMasks, mover: int, mask: int) -> int:
    """The key of a position in the table: its own or, with few stones, its mirror image's."""
    # A column of h stones adds a number from 2**h - 1 to 2**(h + 1) - 2: sums are unique.
    key = mover + mask
    if mask.bit_count() < MIRROR_STONES:
        key = min(key, mirrored(board.rows, board.columns, key))
    return key


@inlined
def order_moves(
    board: BoardMasks, table: ScoreTable, stack: SolverStack, ply: int, line: ForcedLine
) -> tuple[bool, int]:
    """Sort the moves, the best first, unless one decides the node by itself.

    The more threats a move makes, the better; a move that lets the opponent take the cell above,
    where the mover would have won, is bad. Among equals the one nearer to the middle comes first,
    then the left one.

    Returns:
        Whether the node is decided, and the value.
    """
    position, alpha = line.position, line.alpha
    cells, stones = board.cells, position.mask.bit_count()
    left = cells - stones
    for place in range(board.columns):
        column = column_from_middle(board.columns, place)
        move = line.moves & (board.column << (column * (board.rows + 1)))
        if move:
            stone, filled = position.mover | move, position.mask | move
            if left > CHILD_LEFT:
                fetch_bucket(table, table_key(board, filled ^ stone, filled), left - 1)
            threats = threats_of(board, stone, filled)
            if is_lost(board, filled, threats):
                return True, win_score(cells, stones + 2)  # exact: no earlier win was possible
            if left > CHILD_LEFT:
                value = -follow_up_bound(board, filled ^ stone, filled, threats, -alpha - 1)
                if value > alpha:
                    return True, value  # fail high: from here on the mover answers in pairs
            merit = threats.bit_count() - 2 * ((move << 1) & position.own != 0)
            insert_move(stack, ply, move, merit, threats)
    highest = win_score(cells, min(stones + 4, cells + 1))
    if highest <= alpha:
        return True, highest  # fail low: the opponent can meet all threats of the next stone
    return False, 0


@inlined
def insert_move(stack: SolverStack, ply: int, move: int, merit: int, threats: int) -> None:
    """Insert a move into a frame, behind those of at least the same merit."""
    frame = stack.frames[ply]
    place = int(frame[FRAME_CHOICES])
    frame[FRAME_CHOICES] = place + 1
    while place > 0 and int(stack.moves[ply, place - 1, MOVE_MERIT]) < merit:
        stack.moves[ply, place, MOVE_CELL] = stack.moves[ply, place - 1, MOVE_CELL]
        stack.moves[ply, place, MOVE_MERIT] = stack.moves[ply, place - 1, MOVE_MERIT]
        stack.moves[ply, place, MOVE_THREATS] = stack.moves[ply, place - 1, MOVE_THREATS]
        place -= 1
    stack.moves[ply, place, MOVE_CELL] = move
    stack.moves[ply, place, MOVE_MERIT] = merit
    stack.moves[ply, place, MOVE_THREATS] = threats


@inlined
def look_up_children(
    board: BoardMasks, table: ScoreTable, stack: SolverStack, ply: int
) -> tuple[bool, int]:
    """Whether the table proves that a move of the frame fails high, and the value.

    The enhanced transposition cutoff of J. Schaeffer and A. Plaat, "New Advances in Alpha-Beta
    Searching" (1996).
    """
    frame = stack.frames[ply]
    mover, mask = frame[FRAME_MOVER], frame[FRAME_MASK]
    left = board.cells - mask.bit_count()
    if left > CHILD_LEFT:
        for index in range(int(frame[FRAME_CHOICES])):
            filled = mask | stack.moves[ply, index, MOVE_CELL]
            key = table_key(board, mover ^ mask, filled)
            known, _, upper = stored_bounds(table, key, left - 1)
            if known and -upper > int(frame[FRAME_ALPHA]):
                return True, -upper  # fail high: this bounds the opponent's score after the move
    return False, 0


@inlined
def play_next_move(
    board: BoardMasks, table: ScoreTable, stack: SolverStack, ply: int, under_way: Words
) -> tuple[Position, int]:
    """The position and the window after the next move of a frame."""
    frame = stack.frames[ply]
    index = int(frame[FRAME_PLAYED])
    frame[FRAME_PLAYED] = index + 1
    if is_shared(board, frame[FRAME_MASK], under_way):
        if index > 0:
            defer_moves_under_way(board, table, stack, ply, under_way)
        set_under_way(board, table, stack, ply, under_way)
    parent = Position(frame[FRAME_MOVER], frame[FRAME_MASK], 0, frame[FRAME_THREATS])
    child = after_move(
        parent, stack.moves[ply, index, MOVE_CELL], stack.moves[ply, index, MOVE_THREATS]
    )
    return child, -int(frame[FRAME_ALPHA]) - 1


@inlined
def is_shared(board: BoardMasks, mask: int, under_way: Words) -> bool:
    """Whether threads share the moves of a position."""
    return len(under_way) > 0 and board.cells - mask.bit_count() > SHARED_LEFT


@jit
def defer_moves_under_way(
    board: BoardMasks, table: ScoreTable, stack: SolverStack, ply: int, under_way: Words
) -> None:
    """Move the first remaining move that no other thread searches to the front.

    The moves under way will be in the table later (J.-C. Weill, "The ABDADA Distributed Minimax
    Search Algorithm", 1996; but no thread waits: if all are under way, one is searched twice).
    """
    frame, moves = stack.frames[ply], stack.moves[ply]
    first = int(frame[FRAME_PLAYED]) - 1
    for index in range(first, int(frame[FRAME_CHOICES])):
        key, slot = place_under_way(board, table, stack, ply, index, under_way)
        if under_way[slot] != key:
            for field in range(MOVE_FIELDS):
                chosen = moves[index, field]
                for place in range(index, first, -1):
                    moves[place, field] = moves[place - 1, field]
                moves[first, field] = chosen
            return


@jit
def set_under_way(
    board: BoardMasks, table: ScoreTable, stack: SolverStack, ply: int, under_way: Words
) -> None:
    """Mark the latest move of a frame as being searched, for other threads."""
    latest = int(stack.frames[ply, FRAME_PLAYED]) - 1
    key, slot = place_under_way(board, table, stack, ply, latest, under_way)
    under_way[slot] = key


@jit
def clear_under_way(
    board: BoardMasks, table: ScoreTable, stack: SolverStack, ply: int, under_way: Words
) -> None:
    """Remove the mark of the latest move of a frame, whose search has ended."""
    latest = int(stack.frames[ply, FRAME_PLAYED]) - 1
    key, slot = place_under_way(board, table, stack, ply, latest, under_way)
    if under_way[slot] == key:
        under_way[slot] = 0


@inlined
def place_under_way(
    board: BoardMasks, table: ScoreTable, stack: SolverStack, ply: int, index: int, under_way: Words
) -> tuple[int, int]:
    """The key of the position after a move of a frame, and its place in `under_way`.

    Several positions may have the same place: the latest takes it, and threads may search the
    others twice.
    """
    frame = stack.frames[ply]
    mover, mask = frame[FRAME_MOVER], frame[FRAME_MASK]
    key = table_key(board, mover ^ mask, mask | stack.moves[ply, index, MOVE_CELL])
    bucket, _ = bucket_and_tag(table, key, board.cells - mask.bit_count() - 1)
    return key, (bucket >> 1) & (len(under_way) - 1)


@inlined
def hand_up(
    board: BoardMasks,
    table: ScoreTable,
    stack: SolverStack,
    ply: int,
    value: int,
    nodes: int,
    under_way: Words,
) -> tuple[int, int]:
    """Hand the `value` of the node at `ply` up to the first frame that must search another move.

    Each frame changes the sign of the value: the opponent's win is a loss of the player to move.

    Returns:
        The ply of that frame, or -1 if the root is decided; and the last value handed up.
    """
    while ply > 0:
        ply -= 1
        frame = stack.frames[ply]
        if is_shared(board, frame[FRAME_MASK], under_way):
            clear_under_way(board, table, stack, ply, under_way)
        alpha, best = int(frame[FRAME_ALPHA]), max(int(frame[FRAME_BEST]), -value)
        frame[FRAME_BEST] = best
        if best <= alpha and int(frame[FRAME_PLAYED]) < int(frame[FRAME_CHOICES]):
            return ply, value
        # Fail high: the opponent will avoid this position. Or fail low: no moves are left.
        mover, mask = frame[FRAME_MOVER], frame[FRAME_MASK]
        stones = mask.bit_count()
        left = board.cells - stones
        if left > TABLE_LEFT:
            lower = best if best > alpha else -win_score(board.cells, stones + 1)
            upper = best if best <= alpha else win_score(board.cells, stones)
            work = nodes - int(frame[FRAME_BEGUN])
            store_bounds(table, table_key(board, mover, mask), left, lower, upper, work)
        value = best * int(frame[FRAME_SIGN])
    return -1, value
