"""The look-ahead of a level: alpha-beta with a stack, as in `AlphaBetaAgent` in plain Python.

The actions of the root are searched in their given order, those of other states by their gains. The
gain of a stone is a sum over the lines through its cell, which also shows wins and threats:

    bits 0 … 43    the score that the stone gains
    bits 44 … 51   the number of lines that the other player would complete there
    bits 52 …      the number of lines that it completes

Scores are whole numbers from the view of the player to move (`agents.compiled.alpha_beta_tables`).
Cells and stones are words as wide as the board needs, everything else has 64 bits.
"""

from collections.abc import Sequence
from typing import NamedTuple

from agents.compiled.alpha_beta_tables import (
    PLACE_BITS,
    WIN_SCORE,
    LineScores,
    line_scores,
    stone_gain,
)
from envs.bitboard import word_of_board
from envs.board import BoardGame
from envs.compiled.jit import Words, inlined, words_of, zeros

THREAT = 1 << 44  # the gain of a stone that blocks a line which the other player would complete
WIN = 1 << 52  # the gain of a stone that completes a line
GAIN_MASK = THREAT - 1

# The fields of a state in the tree.
SCORE = 0
ALPHA = 1
BETA = 2
BEST = 3
NEXT = 4  # the number of searched actions
COUNT = 5  # the number of actions to search
STATE_FIELDS = 6

MOVER = 0
MASK = 1


class LevelTables(NamedTuple):
    """A level on a board, and the working memory of its kernel for each thread.

    The tuple is flat because Numba's threads do not accept nested tuples.
    """

    slips: Words  # [0] Random numbers below this are slips
    depths: Words  # [slip, legal actions] Plies to look ahead; 0: a random action
    counts: Words  # [cell] `LineScores.counts`
    lines: Words  # [cell, n] `LineScores.masks`
    line_gains: Words  # [own << PLACE_BITS | other] `LineScores.gains`, with wins and threats
    lowest: Words  # [action] The lowest cell that it can fill
    cells: Words  # [action] The cells that it can fill
    board: Words  # [0] All cells
    order: Words  # [n] The actions in the order of the search
    stones: Words  # [thread, ply, MOVER or MASK] The states on the current line of play
    numbers: Words  # [thread, ply, field] The other fields of these states
    actions: Words  # [thread, ply, n] Their actions, in the order of the search
    gains: Words  # [thread, ply, n] The gains of these actions
    killers: Words
    """[thread, ply] The index in `order` of the last action that caused a cutoff in `last_ply`."""


def level_tables(
    game: BoardGame, slips: int, depths: Sequence[Sequence[int]], order: Sequence[int], threads: int
) -> LevelTables:
    """Make the tables of a level, on a board for which `fits_in_wide_word` is true.

    `slips` is `Level.slip_numbers`; `depths` are the plies to look ahead, without and with a slip,
    by the number of legal actions; `order` has all actions, in the order of the search.
    """
    import numpy as np

    word = word_of_board(*game.size)
    lines = line_scores(game.winning_lines, game.columns * (game.rows + 1), game.inarow, word)
    gains = lines.gains.copy()
    gains[game.inarow - 1 << PLACE_BITS] = WIN
    if game.inarow > 1:
        gains[game.inarow - 1] += THREAT
    plies, actions = max(map(max, depths)) + 1, len(order)
    cells = game.action_cells
    return LevelTables(
        slips=words_of([slips]),
        depths=np.array(depths, np.int64),
        counts=lines.counts,
        lines=lines.masks,
        line_gains=gains,
        lowest=words_of([column & -column for column in cells], word),
        cells=words_of(cells, word),
        board=words_of([sum(cells)], word),
        order=words_of(order),
        stones=zeros(threads, plies, 2, word=word),
        numbers=zeros(threads, plies, STATE_FIELDS),
        actions=zeros(threads, plies, actions),
        gains=zeros(threads, plies, actions),
        killers=zeros(threads, plies),
    )


@inlined
def free_cell(tables: LevelTables, mask: int, action: int) -> int:
    """The cell that an action fills, or 0 if it is illegal."""
    cell: int = (mask + tables.lowest[action]) & tables.cells[action]
    return cell


@inlined
def gain_of(tables: LevelTables, mover: int, other: int, cell: int) -> int:
    """The gain of a stone of the mover."""
    lines = LineScores(tables.counts, tables.lines, tables.line_gains)
    return stone_gain(lines, mover, other, cell)


@inlined
def wins_above(tables: LevelTables, mover: int, mask: int, action: int) -> bool:
    """Whether the cell above that of an action completes a line of the other player."""
    cell = free_cell(tables, mask | free_cell(tables, mask, action), action)
    if not cell:
        return False
    return gain_of(tables, mover, mask ^ mover, cell) & (WIN - 1) >= THREAT


@inlined
def line_score(tables: LevelTables, mover: int, mask: int) -> int:
    """The score of a state: the sum of its stones' gains."""
    own, other, score = 0 & mover, 0 & mover, 0
    for action in tables.order:
        column = tables.cells[action]
        left = mask & column
        while left:
            cell = left & -left
            if mover & cell:
                score += gain_of(tables, own, other, cell) & GAIN_MASK
                own |= cell
            else:
                score -= gain_of(tables, other, own, cell) & GAIN_MASK
                other |= cell
            left ^= cell
    return score


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
