"""The arrays of 64-bit words that kernels work on; numpy is imported when the first is made."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Words: TypeAlias = npt.NDArray[np.int64]
    Flags: TypeAlias = npt.NDArray[np.bool_]
else:
    Words = Flags = object


def zeros(*shape: int) -> Words:
    """Words that are all 0."""
    import numpy as np

    words = np.empty(shape, np.int64)
    words.fill(0)  # takes the memory now, and not bit by bit during the first search
    return words


def words_of(numbers: Sequence[int]) -> Words:
    """These words."""
    import numpy as np

    return np.array(numbers, np.int64)
