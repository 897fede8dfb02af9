"""Words of more than 64 bits: compiled, they are Python's whole numbers with wrap-around."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from envs.compiled.jit import WORDS, Words, bit_of, compiled, folded, jit, words_of, zeros

wide = pytest.mark.parametrize("bits", [128, 256])
whole_numbers = st.integers(-(2**260), 2**260)


@jit
def compute(words: Words, numbers: Words, results: Words, found: Words) -> None:
    """All that kernels do with two words, `words`, and two numbers, a shift and any."""
    one, other = words[0], words[1]
    shift, number = numbers[0], numbers[1]
    results[0] = one & other
    results[1] = one | other
    results[2] = one ^ other
    results[3] = one + other
    results[4] = one - number
    results[5] = one * other
    results[6] = one << shift
    results[7] = one >> shift
    results[8] = -one
    results[9] = ~one
    results[10] = min(one, other)
    results[11] = number
    total = 0
    for word in words:
        total ^= word
    results[12] = total
    found[0] = one.bit_count()
    found[1] = one < other
    found[2] = one == number
    found[3] = 1 if one else 0
    found[4] = 0 if not one else 1
    found[5] = int(one & 0xFFFF)
    found[6] = bit_of(one, shift)
    found[7] = folded(one)


def signed(number: int, bits: int) -> int:
    number &= (1 << bits) - 1
    return number - (number >> (bits - 1) << bits)


@cache
def memory(bits: int) -> Any:
    return zeros(13, word=WORDS[bits]), zeros(8)


@wide
@given(
    one=whole_numbers, other=whole_numbers, shift=st.integers(0, 127), number=st.integers(0, 2**62)
)
def test_compiled_words_are_pythons_numbers(
    bits: int, one: int, other: int, shift: int, number: int
) -> None:
    one, other = signed(one, bits), signed(other, bits)
    results, found = memory(bits)
    words = words_of([one, other], WORDS[bits])
    assert words.tolist() == [one, other]
    compiled(compute)(words, np.array([shift, number]), results, found)
    expected = [
        *(one & other, one | other, one ^ other, one + other, one - number, one * other),
        *(one << shift, one >> shift, -one, ~one, min(one, other), number, one ^ other),
    ]
    assert results.tolist() == [signed(value, bits) for value in expected]
    positive = one & ((1 << bits) - 1)
    assert found.tolist() == [
        *(positive.bit_count(), one < other, one == number, one != 0, one != 0),
        *(one & 0xFFFF, (one >> shift) & 1, signed(folded(positive), 64)),
    ]


@wide
def test_words_say_how_wide_they_are(bits: int) -> None:
    word = WORDS[bits](5)
    assert (word, str(word)) == (5, f"Word{bits}(5)")
    assert zeros(2, 3, word=WORDS[bits]).tolist() == [[0, 0, 0], [0, 0, 0]]
