"""Random play in batches: draws legal actions from masks."""

from functools import lru_cache, partial
from typing import Any

import numpy as np

from envs.compiled.jit import Words, compiled, compiles, fastest, jit, parallel_range
from envs.compiled.random_stream import drawn_index, next_stream, stream_of_seed
from envs.compiled.shared_loops import jit_parallel
from envs.learning.arguments import Seed, require_masks, require_seed
from envs.learning.vector.vector_kernels import Bytes
from envs.learning.vector.vector_threads import Kernel, ThreadedKernel, useful_threads
from envs.protocol import require_count

BLOCK = 64  # rows that draw from one stream, so that actions do not depend on the threads


class LegalActionSampler:
    """Draws a legal action for each row of an action mask, all legal ones equally likely.

    Args:
        seed: at least 0; the same seed draws the same actions, with any number of threads.
        threads: how many of Numba's threads share large batches, as in the vector environments;
            with the same number as there, each thread draws for the games that it steps.

    Raises:
        ValueError: `seed` is not a whole number of at least 0, or `threads` not one of at least 1.
    """

    def __init__(self, seed: Seed, threads: int = 1) -> None:
        self._first_seed = stream_of_seed(require_seed(seed))
        self._threads = require_count("threads", threads)
        self._streams = np.empty(0, np.int64)

    def sample(self, action_masks: Bytes) -> Words:
        """Draw an action for each row; return them as int64 of shape (n,).

        Args:
            action_masks: of shape (n, actions), int8, as in `infos["action_mask"]`, or bools or
                other whole numbers. If no action is legal, as in a game that is over, the action is
                0.

        Raises:
            ValueError: masks of another shape or type.
        """
        masks = require_masks(action_masks)
        rows = len(masks)
        actions = np.empty(rows, np.int64)
        draw = make_draw(useful_threads(self._threads, rows))
        draw(masks, self._streams_of(-(-rows // BLOCK)), actions)
        return actions

    def _streams_of(self, blocks: int) -> Words:
        missing = range(len(self._streams), blocks)
        if missing:
            new = [stream_of_seed(self._first_seed + block) for block in missing]
            self._streams = np.append(self._streams, new)
        return self._streams[:blocks]


@lru_cache
def make_draw(threads: int) -> Kernel:
    """Return `draw_of_masks`, shared by threads where it is compiled."""
    alone = partial(fastest(draw_of_masks), 0, 1)
    if threads == 1 or not compiles():
        return alone
    return ThreadedKernel(alone, compiled(draw_in_parts), threads)


@jit_parallel
def draw_in_parts(parts: int, masks: Bytes, streams: Words, actions: Words) -> None:
    """Run `draw_of_masks` in parallel."""
    for part in parallel_range(parts):
        number: Any = np.int64(part)  # signed, as a caller's; the loop's own number is unsigned
        draw_of_masks(number, parts, masks, streams, actions)


@jit
def draw_of_masks(part: int, parts: int, masks: Bytes, streams: Words, actions: Words) -> None:
    """Draw a legal action of each mask, all equally likely, or 0 where none is legal.

    The blocks are divided into equal parts; this draws for one part.
    """
    rows, numbers = masks.shape
    blocks = len(streams)
    for block in range(part * blocks // parts, (part + 1) * blocks // parts):
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
