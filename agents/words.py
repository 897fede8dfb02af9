"""The arrays of 64-bit words that compiled searches work on."""

import numpy as np
import numpy.typing as npt

from envs.jit import compiles

Words = npt.NDArray[np.int64]


def new_words(count: int) -> Words:
    """So many words, all 0: an array, or a list where Numba is missing, which Python prefers."""
    if not compiles():
        return [0] * count  # type: ignore[return-value]
    words = np.empty(count, np.int64)
    words.fill(0)  # takes the memory now, and not bit by bit during the first search
    return words
