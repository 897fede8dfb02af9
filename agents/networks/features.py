"""Features of a position: true or false facts, the input of a network.

All are from the point of view of the player to move. The first and the second player have separate
features, because the value of a stone or a threat depends on who gets to fill which cells. They are
numbered group by group, those of the first player before the others. A cell is numbered by its bit
(`envs.bitboard`); guard bits count, but never hold.

    own stones       bits         a cell holds a stone of the player to move
    other stones     bits         it holds one of the other player
    own threats      bits         it is free, and would complete a line of the player to move
    other threats    bits         the same for the other player
    open cells       bits         a stone may be laid there now
    own lines        inarow - 1   for each winning line: it holds 1, 2 … inarow - 1 stones of the
                                  player to move and none of the other
    other lines      inarow - 1   the same for the other player

The very last feature holds when the second player is to move.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

from envs.bitboard import (
    completing_along,
    completing_cells,
    fits_in_wide_word,
    mirrored,
    word_of_board,
)
from envs.board import BoardGame
from envs.compiled.jit import WordKind, inlined, jit, words_of

CELL_GROUPS = 5  # groups with one feature for each bit of the board
PLAYERS = 2


class FeatureBoard(NamedTuple):
    """What the features need of a board: arrays of words, or lists if it is too large for words."""

    rows: int
    columns: int
    inarow: int
    bits: int  # the number of bits of the board: its cells and guard bits
    board: int  # all cells
    floor: int
    """The cells that need no stone below them: the lowest ones, or all where stones do not fall."""
    actions: Any  # [action] The cells that it can fill, the lowest free one first
    lines: Any  # [line] The winning lines, as masks of their cells
    images: Any  # [side, action] The action itself, and its mirror image

    @property
    def features(self) -> int:
        """The number of features."""
        return feature_count(self.bits, len(self.lines), self.inarow)

    @property
    def most(self) -> int:
        """An upper bound on the features that hold at once."""
        return 3 * self.board.bit_count() + 1 + len(self.lines)


def feature_count(bits: int, lines: int, inarow: int) -> int:
    """Count the features of a board."""
    return PLAYERS * features_of_turn(bits, lines, inarow) + 1


@inlined
def features_of_turn(bits: int, lines: int, inarow: int) -> int:
    """Count the features of a board for the turns of one player."""
    return CELL_GROUPS * bits + PLAYERS * lines * (inarow - 1)


@lru_cache
def feature_board(env: BoardGame) -> FeatureBoard:
    """Describe the board of a game."""
    word: WordKind = int
    numbers: Callable[[Sequence[int]], Any] = list
    images: Any = [[*range(env.action_count)], mirrored_actions(env)]
    if fits_in_wide_word(*env.size):
        import numpy as np

        word = word_of_board(*env.size)
        numbers = partial(words_of, word=word)
        images = np.array(images, np.int64)
    floor = board = 0
    for cells in env.action_cells:
        floor |= cells & -cells
        board |= cells
    return FeatureBoard(
        env.rows,
        env.columns,
        env.inarow,
        (env.rows + 1) * env.columns,
        word(board),
        word(floor),
        numbers(env.action_cells),
        numbers(env.winning_lines),
        images,
    )


@lru_cache
def mirrored_actions(env: BoardGame) -> list[int]:
    """The number of each action's mirror image, left to right."""
    cells = list(env.action_cells)
    return [cells.index(mirrored(env.rows, env.columns, cell)) for cell in cells]


@inlined
def active_features(board: FeatureBoard, mover: int, mask: int, found: Any) -> int:
    """Write the numbers of the features that hold into `found`; return how many hold.

    `found` has room for `FeatureBoard.most` numbers.
    """
    bits, other, free = board.bits, mask ^ mover, board.board & ~mask
    turn = features_of_turn(bits, len(board.lines), board.inarow)
    first, count = 0, 0
    if mask.bit_count() & 1:
        first = turn
        found[count] = PLAYERS * turn
        count += 1
    count = add_cells(mover, first, found, count)
    count = add_cells(other, first + bits, found, count)
    count = add_cells(completions(board, mover) & free, first + 2 * bits, found, count)
    count = add_cells(completions(board, other) & free, first + 3 * bits, found, count)
    count = add_cells(open_cells(board, mask), first + 4 * bits, found, count)
    return add_lines(board, mover, other, first + CELL_GROUPS * bits, found, count)


@inlined
def completions(board: FeatureBoard, stones: int) -> int:
    """The cells that would complete a line of `stones`, whether free or not."""
    found = completing_cells(stones, board.rows, board.inarow)
    if board.floor & (board.board << 1):  # where stones do not fall, upright lines may have gaps
        found |= completing_along(stones, 1, board.inarow)
    return found & board.board


@inlined
def open_cells(board: FeatureBoard, mask: int) -> int:
    """The cells in which a stone may be placed."""
    return board.board & ~mask & ((mask << 1) | board.floor)


@inlined
def add_cells(cells: int, first: int, found: Any, count: int) -> int:
    """Add the feature of each of `cells` in the group that begins with `first`."""
    while cells:
        found[count] = first + ((cells & -cells) - 1).bit_count()
        count += 1
        cells &= cells - 1
    return count


@inlined
def add_lines(
    board: FeatureBoard, mover: int, other: int, first: int, found: Any, count: int
) -> int:
    """Add a feature for each line in which one player alone has stones, numbered from `first`."""
    counts = board.inarow - 1
    own_first = first - 1  # because counts begin with 1
    other_first = own_first + len(board.lines) * counts
    for number in range(len(board.lines)):
        own = (board.lines[number] & mover).bit_count()
        others = (board.lines[number] & other).bit_count()
        if (own == 0) != (others == 0):
            feature = own_first + own if own else other_first + others
            found[count] = feature + number * counts
            count += 1
    return count


@jit
def features_of_all(board: FeatureBoard, movers: Any, masks: Any, found: Any, counts: Any) -> None:
    """Write the features of many positions, and how many hold.

    `movers`, `masks` and `counts` have an item for each position, `found` a row.
    """
    for position in range(len(movers)):
        counts[position] = active_features(
            board, movers[position], masks[position], found[position]
        )


@jit
def legal_actions_of_all(board: FeatureBoard, masks: Any, legal: Any) -> None:
    """Flag the legal actions, [position, action], of many unfinished positions."""
    for position in range(len(masks)):
        cells = open_cells(board, masks[position])
        for action in range(len(board.actions)):
            legal[position, action] = (board.actions[action] & cells) != 0


@jit
def mirror_all(rows: int, columns: int, words: Any, images: Any) -> None:
    """Write the mirror images of the cells of many boards (`envs.bitboard.mirrored`)."""
    for number in range(len(words)):
        images[number] = mirrored(rows, columns, words[number])
