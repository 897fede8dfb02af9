"""`open_lines` in whole numbers, kept up stone by stone: the heuristic of the compiled search.

A score is the heuristic's difference d times 4 ** (inarow - 2), so a whole number. A new stone
changes it only through the lines that run through its cell. Scores are from the view of the player
whose turn it is.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from agents.words import Words, words_of, zeros
from envs.board import BoardState
from envs.jit import inlined

LONGEST_LINE = 16
"""Stones in a line up to which all scores are exact, as whole numbers and as floats."""
WIN_SCORE = 1 << 40
"""The score of a won state; estimates stay below it."""


class LineScores(NamedTuple):
    """The worth of a board's lines, as arrays of 64-bit integers."""

    first: Words
    """[cell] Where the lines through a cell begin in `masks`; those of the next cell follow."""
    masks: Words
    """The lines, cell by cell: each of them stands here once for each of its cells."""
    gains: Words
    """[own, other] The score that a stone gains through a line with so many stones."""


@lru_cache
def line_scores(counted: tuple[int, ...], cells: int, inarow: int) -> LineScores:
    """The scores of the `counted` lines; where none is counted, every score is 0.

    Args:
        counted: each line as a mask of its cells.
        cells: how many bits the board has, its guard bits among them.
        inarow: the length of a line.
    """
    through = [[line for line in counted if line >> cell & 1] for cell in range(cells)]
    values = [_line_score(stones) for stones in range(inarow + 1)]
    gains = zeros(inarow + 1, inarow + 1)
    for stones in range(1, inarow + 1):
        gains[stones - 1, 0] = values[stones] - values[stones - 1]  # one's own line grows
        gains[0, stones] = values[stones]  # the other's is closed
    return LineScores(
        words_of([0, *accumulate(map(len, through))]),
        words_of([line for group in through for line in group]),
        gains,
    )


def state_score(state: BoardState, counted: Sequence[int]) -> int:
    """The score of a state by its `counted` lines."""
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
    """The value of a score, from the same player's view: exactly 1, 0 or -1, or as `open_lines`."""
    if abs(score) == WIN_SCORE:
        return 1.0 if score > 0 else -1.0
    difference = score / 4.0 ** (inarow - 2)
    return difference / (4.0 + abs(difference))


def value_score(value: float, inarow: int) -> int:
    """The score whose value this is: the inverse of `score_value`."""
    if abs(value) == 1.0:
        return WIN_SCORE if value > 0 else -WIN_SCORE
    return round(4.0 * value / (1.0 - abs(value)) * 4.0 ** (inarow - 2))


@inlined
def stone_gain(scores: LineScores, mover: int, other: int, cell: int) -> int:
    """Compute the score that the mover gains by a stone in `cell`."""
    index = (cell - 1).bit_count()
    gain = 0
    for i in range(scores.first[index], scores.first[index + 1]):
        line = scores.masks[i]
        gain += scores.gains[(line & mover).bit_count(), (line & other).bit_count()]
    return gain
