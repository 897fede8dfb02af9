"""The speed by the width of words: what is shown of it, and that searches run in wider words."""

import pytest
from rich.table import Table

from benchmarks.searches.forced_words import words_of_at_least
from benchmarks.searches.words import CONNECT_FOUR, RATES, WIDE_BOARDS, WordSpeed, word_report
from envs.bitboard import board_masks
from envs.compiled.jit import WORDS, bits_of_word


def test_a_row_shows_shares_of_the_speed_in_narrow_words() -> None:
    speeds: list[WordSpeed] = []
    for work in RATES:
        speeds += [WordSpeed(work, CONNECT_FOUR, bits, [128e6 / bits]) for bits in sorted(WORDS)]
        speeds += [WordSpeed(work, game, 64, [5e5, 5e6, 9e6]) for game in WIDE_BOARDS]
    _, rows = word_report(speeds)
    assert isinstance(rows, Table)
    shown = [next(iter(column.cells)) for column in rows.columns]
    assert shown[1:] == ["2 M", "0.50", "0.25", "5 M", "5 M", "5 M"]


@pytest.mark.parametrize("bits", [64, 128, 256])
def test_boards_take_the_words_that_are_left(bits: int) -> None:
    with words_of_at_least(bits):
        assert bits_of_word(board_masks(6, 7, 4).board) == bits
    assert bits_of_word(board_masks(6, 7, 4).board) == 64
