"""Puts boards into wider words than they need, to time the same searches in them."""

from collections.abc import Iterator
from contextlib import contextmanager

from agents.compiled.alpha_beta_kernel import make_slice_on_board
from agents.compiled.compiled_mcts import make_grow_on_board
from envs.bitboard import board_masks
from envs.compiled.jit import WORDS
from envs.learning.vector.vector_kernels import make_step


@contextmanager
def words_of_at_least(bits: int) -> Iterator[None]:
    """Use words of at least this many bits for every board made and searched inside."""
    narrower = {known: kind for known, kind in WORDS.items() if known < bits}
    for known in narrower:
        del WORDS[known]
    forget_boards()
    try:
        yield
    finally:
        WORDS.update(narrower)
        forget_boards()


def forget_boards() -> None:
    """Clear the caches keyed by a board's numbers, which are equal for all widths of words."""
    for made_once in board_masks, make_grow_on_board, make_slice_on_board, make_step:
        made_once.cache_clear()
