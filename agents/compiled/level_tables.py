"""The data of a level's kernel: the board, the gains of stones on it, and the working memory.

The gain of a stone is a sum over the lines through its cell, which also shows wins and threats:

    bits 0 … 43    the score that the stone gains
    bits 44 … 51   the number of lines that the other player would complete there
    bits 52 …      the number of lines that it completes

Scores are whole numbers from the view of the player to move (`agents.compiled.alpha_beta_tables`).
Cells and stones are words as wide as the board needs, everything else has 64 bits.
"""

from collections.abc import Sequence
from typing import NamedTuple

from agents.compiled.alpha_beta_tables import PLACE_BITS, LineScores, line_scores, stone_gain
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
