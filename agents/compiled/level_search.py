"""The look-ahead of a level: alpha-beta with a stack, as in `AlphaBetaAgent` in plain Python.

The actions of the root are searched in their given order, those of other states by their gains.
"""

from agents.compiled.alpha_beta_tables import WIN_SCORE
from agents.compiled.level_tables import (
    ALPHA,
    BEST,
    BETA,
    COUNT,
    GAIN_MASK,
    MASK,
    MOVER,
    NEXT,
    SCORE,
    THREAT,
    WIN,
    LevelTables,
    free_cell,
    gain_of,
)
from envs.compiled.jit import inlined

OPEN = 1 << 50  # returned instead of a score: actions of the state must be searched first


@inlined
def search_root(
    tables: LevelTables, thread: int, mover: int, mask: int, score: int, count: int, plies: int
) -> int:
    """The index of the first of the best actions, with `plies` at least 2; -1 if all lose."""
    stones, numbers = tables.stones[thread, 1], tables.numbers[thread, 1]
    alpha, best = -WIN_SCORE, -1
    for place in range(count):
        action, gain = tables.actions[thread, 0, place], tables.gains[thread, 0, place]
        stones[MOVER] = mask ^ mover
        stones[MASK] = mask | free_cell(tables, mask, action)
        numbers[SCORE] = -(score + (gain & GAIN_MASK))
        numbers[ALPHA] = -WIN_SCORE
        numbers[BETA] = -alpha
        value = -search(tables, thread, plies - 1)
        if value > alpha:
            alpha, best = value, place
            if alpha == WIN_SCORE:
                break
    tables.numbers[thread, 0, BEST] = alpha
    return best


@inlined
def search(tables: LevelTables, thread: int, plies: int) -> int:
    """The score of the state at ply 1, within its window: alpha-beta with a stack."""
    ply = 1
    while True:
        left = plies + 1 - ply
        score = last_ply(tables, thread, ply) if left == 1 else visit(tables, thread, ply)
        while score != OPEN:
            if ply == 1:
                return score
            ply -= 1
            score = take_back(tables, thread, ply, -score)
        play_next(tables, thread, ply)
        ply += 1


@inlined
def last_ply(tables: LevelTables, thread: int, ply: int) -> int:
    """Score a state with one ply left; try first the action that last caused a cutoff here."""
    stones, numbers = tables.stones[thread, ply], tables.numbers[thread, ply]
    mover, mask = stones[MOVER], stones[MASK]
    score, beta, killer = numbers[SCORE], numbers[BETA], tables.killers[thread, ply]
    best = -WIN_SCORE
    if mask == tables.board[0]:
        return 0
    for turn in range(-1, len(tables.order)):
        place = killer if turn < 0 else turn
        cell = free_cell(tables, mask, tables.order[place])
        if cell and turn != killer:
            gain = gain_of(tables, mover, mask ^ mover, cell)
            found = score + (gain & GAIN_MASK)
            if gain >= WIN:
                found = WIN_SCORE
            elif mask | cell == tables.board[0]:
                found = 0
            if found > best:
                best = found
                if best >= beta:
                    tables.killers[thread, ply] = place
                    break
    return best


@inlined
def visit(tables: LevelTables, thread: int, ply: int) -> int:
    """Score a state with at least 2 plies left, or put its actions in order and return OPEN."""
    stones, numbers = tables.stones[thread, ply], tables.numbers[thread, ply]
    actions, gains = tables.actions[thread, ply], tables.gains[thread, ply]
    mask = stones[MASK]
    if mask == tables.board[0]:
        return 0
    count, threats, winning, forced = line_up(tables, thread, ply, stones[MOVER], mask)
    if winning >= 0:
        return WIN_SCORE
    if threats > 1:
        return -WIN_SCORE
    if threats == 1:
        actions[0], gains[0], count = actions[forced], gains[forced], 1
    for place in range(1, count):
        action, gain = actions[place], gains[place]
        while place > 0 and gains[place - 1] < gain:
            actions[place], gains[place] = actions[place - 1], gains[place - 1]
            place -= 1
        actions[place], gains[place] = action, gain
    numbers[BEST] = -WIN_SCORE
    numbers[NEXT] = 0
    numbers[COUNT] = count
    return OPEN


@inlined
def play_next(tables: LevelTables, thread: int, ply: int) -> None:
    """Play the next action of a state: prepare the state after it."""
    stones, numbers = tables.stones[thread, ply], tables.numbers[thread, ply]
    after, child = tables.stones[thread, ply + 1], tables.numbers[thread, ply + 1]
    mover, mask, place = stones[MOVER], stones[MASK], numbers[NEXT]
    after[MOVER] = mask ^ mover
    after[MASK] = mask | free_cell(tables, mask, tables.actions[thread, ply, place])
    child[SCORE] = -(numbers[SCORE] + (tables.gains[thread, ply, place] & GAIN_MASK))
    child[ALPHA] = -numbers[BETA]
    child[BETA] = -numbers[ALPHA]
    numbers[NEXT] = place + 1


@inlined
def take_back(tables: LevelTables, thread: int, ply: int, score: int) -> int:
    """Back up the score of the last action; return the state's score, or OPEN if more are left."""
    numbers = tables.numbers[thread, ply]
    numbers[BEST] = max(numbers[BEST], score)
    numbers[ALPHA] = max(numbers[ALPHA], score)
    if numbers[ALPHA] >= numbers[BETA] or numbers[NEXT] == numbers[COUNT]:
        return int(numbers[BEST])
    return OPEN


@inlined
def line_up(
    tables: LevelTables, thread: int, ply: int, mover: int, mask: int
) -> tuple[int, int, int, int]:
    """List the actions of a state with their gains.

    Returns:
        The number of actions; the number that stop a win of the other player; the place of the
        first that wins, or -1; and the place of the last that stops a win, or -1.
    """
    other = mask ^ mover
    count, threats, winning, forced = 0, 0, -1, -1
    for action in tables.order:
        cell = free_cell(tables, mask, action)
        if cell:
            gain = gain_of(tables, mover, other, cell)
            tables.actions[thread, ply, count] = action
            tables.gains[thread, ply, count] = gain
            if gain >= WIN:
                winning = count
                break
            if gain >= THREAT:
                threats += 1
                forced = count
            count += 1
    return count, threats, winning, forced
