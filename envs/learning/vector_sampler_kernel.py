"""Compiled draws of legal actions from action masks."""

from functools import lru_cache

from envs.jit import compiles, jit, jit_parallel, parallel_range
from envs.learning.vector_kernel import Bytes, Words
from envs.learning.vector_threads import Kernel, ThreadedKernel, most_threads, threading_of_numba
from envs.random_kernels import drawn, following

BLOCK = 64
"""Rows that draw from one stream, one after the other, whichever thread they fall to."""

prange = parallel_range()


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
                stream = following(stream)
                while masks[row, drawn(stream, numbers)] == 0:
                    stream = following(stream)
                actions[row] = drawn(stream, numbers)
        streams[block] = stream


@lru_cache
def make_draw(threads: int) -> Kernel:
    """`draw_of_masks` by so many threads; in plain Python by the caller alone."""
    if threads == 1 or not compiles():
        return draw_of_masks
    numba = threading_of_numba()
    threads = min(threads, most_threads())

    @jit_parallel
    def draw(masks: Bytes, streams: Words, actions: Words) -> None:
        allowed = numba.get_num_threads()
        numba.set_num_threads(threads)
        blocks = len(streams)
        for part in prange(threads):
            first, last = part * blocks // threads, (part + 1) * blocks // threads
            start, end = first * BLOCK, last * BLOCK
            draw_of_masks(masks[start:end], streams[first:last], actions[start:end])
        numba.set_num_threads(allowed)

    return ThreadedKernel(draw_of_masks, draw)
