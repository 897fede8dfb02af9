"""The tables of the compiled alpha-beta: its transposition table, and scores of open lines.

The transposition table has two words for each state, of 64 bits or as wide as the board.

    key     mover + mask of the state, which is unique; 0 in an empty entry
    entry   score, reach, bound, proven results and the cell of the best move, packed

The heuristic is `open_lines` in whole numbers, updated stone by stone. A score is the heuristic's
difference d times 4 ** (inarow - 2). A new stone changes it only by the lines through its cell.
Scores are from the view of the player to move.
"""

from functools import lru_cache
from typing import NamedTuple

from envs.board import BoardState
from envs.compiled.jit import WordKind, Words, folded, inlined, words_of, zeros

WIN_SCORE = (1 << 40) - 1  # the score of a won state; estimates stay below it

AT_LEAST = 1  # the score is at least the one in the table
AT_MOST = 2  # the score is at most the one in the table; both bounds together make it exact

_REACH_BITS = 8  # of the plies looked ahead
_CELL_BITS = 8
_RESULT_BITS = 2  # of the least and of the greatest proven result, which hold for any reach
_SPREADER = 0x1E3779B97F4A7C15  # odd, with well-mixed bits: multiplication spreads similar keys
_LOW_62_BITS = (1 << 62) - 1


@inlined
def slot_of(table: Words, key: int) -> int:
    """The place of a state in a table, which is not empty."""
    spread = (folded(key) * _SPREADER) & _LOW_62_BITS
    # Scale the upper 31 bits from the range of 2^31 to that of the table, without a division.
    return ((spread >> 31) * len(table)) >> 31


@inlined
def pack_entry(score: int, reach: int, bound: int, move: int, low: int, high: int) -> int:
    """Pack an entry into one integer of 63 bits: score, reach, proven results, cell and bound.

    The results are packed so that 0, an empty entry, proves nothing: the empty board has its key.
    """
    packed = ((score + WIN_SCORE) << _REACH_BITS) | reach
    packed = (packed << _RESULT_BITS) | (low + 1)
    packed = (packed << _RESULT_BITS) | (1 - high)
    cell = (move - 1).bit_count()  # the number of a bit is the count of bits below it
    return ((packed << _CELL_BITS) | cell) << 2 | bound


@inlined
def unpack_entry(entry: int) -> tuple[int, int, int, int, int, int]:
    """Unpack the score, reach, bound, number of the move's bit, and least and greatest result."""
    cell = (entry >> 2) & ((1 << _CELL_BITS) - 1)
    rest = entry >> (2 + _CELL_BITS)
    high = 1 - (rest & ((1 << _RESULT_BITS) - 1))
    rest >>= _RESULT_BITS
    low = (rest & ((1 << _RESULT_BITS) - 1)) - 1
    rest >>= _RESULT_BITS
    reach = rest & ((1 << _REACH_BITS) - 1)
    return (rest >> _REACH_BITS) - WIN_SCORE, reach, entry & 3, cell, low, high


PLACE_BITS = 5  # bits of a number of stones in a line
LONGEST_LINE = 16
"""The longest line with which all scores are exact, as whole numbers and as floats."""


class LineScores(NamedTuple):
    """The scores of a board's lines, as arrays of 64-bit integers and, for `masks`, of words."""

    counts: Words  # [cell] The number of lines through a cell
    masks: Words  # [cell, n] These lines
    gains: Words  # [own << PLACE_BITS | other] The gain of a stone in a line with these stones


@lru_cache
def line_scores(
    counted: tuple[int, ...], cells: int, inarow: int, word: WordKind = int
) -> LineScores:
    """The scores of the `counted` lines, given as masks; without lines every score is 0.

    `cells` is the number of the board's bits, including its guard bits.
    """
    through = [[line for line in counted if line >> cell & 1] for cell in range(cells)]
    counts = [len(lines) for lines in through]
    masks = zeros(cells, max(counts), word=word)
    for cell, lines in enumerate(through):
        for place, line in enumerate(lines):
            masks[cell, place] = line
    values = [_line_score(stones) for stones in range(inarow + 1)]
    gains = zeros(inarow + 1 << PLACE_BITS)
    for stones in range(1, inarow + 1):
        gains[stones - 1 << PLACE_BITS] = (
            values[stones] - values[stones - 1]
        )  # a line of the mover grows
        gains[stones] = values[stones]  # a line of the other player is blocked
    return LineScores(words_of(counts), masks, gains)


@lru_cache(maxsize=1024)  # each deeper search begins with the same states
def state_score(state: BoardState, counted: tuple[int, ...]) -> int:
    """The score of a state by the `counted` lines."""
    mover, other = state.mover, state.mask ^ state.mover
    score = 0
    for line in counted:
        if not line & other:
            score += _line_score((line & mover).bit_count())
        elif not line & mover:
            score -= _line_score((line & other).bit_count())
    return score


def _line_score(stones: int) -> int:
    return 4 ** (stones - 1) if stones else 0


def score_value(score: int, inarow: int) -> float:
    """The value of a score, from the same player's view: ±1 if decided, else as `open_lines`."""
    if abs(score) == WIN_SCORE:
        return 1.0 if score > 0 else -1.0
    difference = score / 4.0 ** (inarow - 2)
    return difference / (4.0 + abs(difference))


def value_score(value: float, inarow: int) -> int:
    """The score with a value: the inverse of `score_value`."""
    if abs(value) == 1.0:
        return WIN_SCORE if value > 0 else -WIN_SCORE
    return round(4.0 * value / (1.0 - abs(value)) * 4.0 ** (inarow - 2))


@inlined
def stone_gain(scores: LineScores, mover: int, other: int, cell: int) -> int:
    """The score that the mover gains by a stone in `cell`."""
    number = (cell - 1).bit_count()
    gain = 0
    for place in range(scores.counts[number]):
        line = scores.masks[number, place]
        gain += scores.gains[(line & mover).bit_count() << PLACE_BITS | (line & other).bit_count()]
    return gain
