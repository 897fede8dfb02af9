"""Words of 128 and 256 bits, for kernels on boards that do not fit 64.

In plain Python such a word is an `int` whose class has its width. NumPy has no such integers, so
an array of them holds their bytes, and its items are Python's integers. For compiled code,
`envs.compiled.wide_integers` registers both with Numba.

Importing this module, as `import envs` does, adds the words to `envs.compiled.jit.WORDS`. A bundle
lacks this module: there, the reference searches handle boards that do not fit 64 bits.
"""

import sys
from collections.abc import Iterator
from math import prod
from typing import Any, ClassVar

import numpy as np

from envs.compiled.jit import LESSONS, WORDS


class WideWord(int):
    """A word of `bits` bits, one of them its sign."""

    bits: ClassVar[int]

    def __repr__(self) -> str:
        """Include the width, because cached machine code is found by its constants."""
        return f"{type(self).__name__}({int(self)})"

    @classmethod
    def zeros(cls, shape: tuple[int, ...]) -> "WideWords":
        """Make an array of words that are all 0."""
        limbs = np.empty(prod(shape) * cls.bits // 64, np.int64)
        limbs.fill(0)  # allocates the memory now, as for words of 64 bits
        return limbs.view(f"V{cls.bits // 8}").reshape(shape).view(WideWords)


class Word128(WideWord):
    """A word of 128 bits."""

    bits = 128


class Word256(WideWord):
    """A word of 256 bits."""

    bits = 256


class WideWords(np.ndarray[Any, Any]):
    """An array of wide words; an item is a whole number."""

    __numba_array_subtype_dispatch__ = True

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        if isinstance(found, WideWords):
            return found
        return int.from_bytes(found.tobytes(), sys.byteorder, signed=True)

    def __setitem__(self, index: Any, number: Any) -> None:
        bits = int(number) & ((1 << 8 * self.itemsize) - 1)
        super().__setitem__(index, np.void(bits.to_bytes(self.itemsize, sys.byteorder)))

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def tolist(self) -> list[Any]:
        """Return the words as whole numbers, row by row."""
        return [part.tolist() if isinstance(part, WideWords) else part for part in self]


def _teach_numba() -> None:
    from envs.compiled.wide_integers import know_words

    know_words(WideWord, WideWords)


WORDS.update({kind.bits: kind for kind in (Word128, Word256)})
LESSONS.append(_teach_numba)
