"""The solver's table: a position's place in it, compiled, in plain Python and by arithmetic."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from agents.solver.score_table import (
    FAR_LEFT,
    HASH_MULTIPLIERS,
    ScoreTable,
    TableLayout,
    TablePart,
    bucket_and_tag,
    table_layout,
)
from envs.bitboard import board_masks
from envs.compiled.jit import bits_of_word, compiled, jit, words_of, zeros

KEYS = 2000

BOARDS = {
    "5 bits": (4, 1, 4),
    "49 bits": (6, 7, 4),
    "63 bits": (6, 9, 4),
    "64 bits, the sign": (7, 8, 4),
    "64 bits, low": (1, 32, 4),
    "128 bits": (15, 8, 4),
    "130 bits": (9, 13, 4),
}
"""Boards by the bits of their positions' keys."""

MEGABYTES = (1, 4096)


def places_by(layout: TableLayout) -> Callable[..., None]:
    """A kernel with this layout compiled in, as the solver's is."""

    @jit
    def places(keys: Any, generation: int, left: int, buckets: Any, tags: Any) -> None:
        table = ScoreTable(layout, keys, generation)
        for index in range(len(keys)):
            bucket, tag = bucket_and_tag(table, keys[index], left)
            buckets[index] = bucket
            tags[index] = tag

    return places


def expected(layout: TableLayout, part: TablePart, key: int, generation: int) -> tuple[int, int]:
    """By D. E. Knuth's multiplicative hashing modulo the word: all bits in turn, from the lowest.

    They are the check's, and then the bucket's.
    """
    bits = bits_of_word(layout.multiplier)
    product = key * HASH_MULTIPLIERS[bits] % 2**bits
    bucket, check = divmod(product, 2**part.check_bits)
    bucket %= 2**part.bucket_bits
    tag = check * 2**part.generation_bits + generation % 2**part.generation_bits
    return part.first + 2 * bucket, tag


@pytest.mark.parametrize("megabytes", MEGABYTES)
@pytest.mark.parametrize("size", BOARDS.values(), ids=BOARDS.keys())
def test_a_place_is_the_same_compiled_or_not(size: tuple[int, int, int], megabytes: int) -> None:
    board, rng = board_masks(*size), Random(str(size))
    layout = table_layout(board, megabytes)
    word, bits = type(board.board), bits_of_word(board.board)
    key_bits = (board.rows + 1) * board.columns
    keys = [0, 1, 2**key_bits - 1, 2 ** (key_bits - 1)]
    keys += [rng.getrandbits(key_bits) for _ in range(KEYS)]
    numbers = [key - 2**bits * (key >> bits - 1) for key in keys]  # with the word's sign
    kernel, generation = places_by(layout), rng.getrandbits(40)
    for left, part in ((FAR_LEFT + 1, layout.far), (FAR_LEFT, layout.near)):
        true = [expected(layout, part, key, generation) for key in keys]
        for places, given in ((kernel, numbers), (compiled(kernel), words_of(numbers, word))):
            buckets, tags = zeros(len(keys)), zeros(len(keys), word=word)
            places(given, generation, left, buckets, tags)
            assert list(zip(buckets.tolist(), tags.tolist(), strict=True)) == true
