"""Small boards in wide words, which they do not need: what is found must stay as it is."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from agents.compiled.alpha_beta_kernel import make_slice_on_board
from agents.compiled.mcts_kernel import make_kernels_on_board
from envs.bitboard import board_masks
from envs.jit import WORDS


@contextmanager
def words_of_at_least(bits: int) -> Iterator[None]:
    """Let every board take words of so many bits, and none of fewer."""
    with pytest.MonkeyPatch.context() as patch:
        for narrower in [known for known in WORDS if known < bits]:
            patch.delitem(WORDS, narrower)
        try:
            forget_boards()
            yield
        finally:
            forget_boards()


def forget_boards() -> None:
    """Forget what is kept by the numbers of a board, which are equal in words of any width."""
    for made_once in board_masks, make_kernels_on_board, make_slice_on_board:
        made_once.cache_clear()
