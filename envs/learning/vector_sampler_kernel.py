"""Compiled draws of legal actions from action masks."""

from functools import lru_cache

from envs.jit import compiled, compiles, fastest, jit, jit_parallel, parallel_range
from envs.learning.vector_kernel import Bytes, Words
from envs.learning.vector_threads import Kernel, ThreadedKernel, most_threads, threading_of_numba
from envs.random_stream import drawn_index, next_stream

BLOCK = 64
"""Rows that draw from one stream, one after the other, whichever thread they fall to."""


@jit
def draw_of_masks(masks: Bytes, streams: Words, actions: Words) -> None:
    """Draw an action of each mask, all that are not 0 equally likely; 0 where none is.

    Args:
        masks: of shape (rows, actions).
        streams: one for each `BLOCK` of rows; they are left where they stopped.
        actions: is filled.
    """
    rows, numbers = masks.shape
    for block in range(len(streams)):
        stream = streams[block]
        for row in range(block * BLOCK, min((block + 1) * BLOCK, rows)):
            legal = 0
            for action in range(numbers):
                legal |= masks[row, action]
            actions[row] = 0
            if legal != 0:
                stream = next_stream(stream)
                while masks[row, drawn_index(stream, numbers)] == 0:
                    stream = next_stream(stream)
                actions[row] = drawn_index(stream, numbers)
        streams[block] = stream


def make_draw(threads: int) -> Kernel:
    """`draw_of_masks` by so many threads, at most; in plain Python by the caller alone."""
    if threads == 1 or not compiles():
        return fastest(draw_of_masks)
    return _shared_draw(min(threads, most_threads()))


@lru_cache
def _shared_draw(threads: int) -> Kernel:
    numba = threading_of_numba()

    @jit_parallel
    def draw(masks: Bytes, streams: Words, actions: Words) -> None:
        allowed = numba.get_num_threads()
        numba.set_num_threads(threads)
        blocks = len(streams)
        for part in parallel_range(threads):
            first, last = part * blocks // threads, (part + 1) * blocks // threads
            start, end = first * BLOCK, last * BLOCK
            draw_of_masks(masks[start:end], streams[first:last], actions[start:end])
        numba.set_num_threads(allowed)

    return ThreadedKernel(compiled(draw_of_masks), compiled(draw))
