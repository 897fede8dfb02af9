"""Random legal actions for whole batches; `MultiDiscrete.sample` takes no mask for each row."""

import numpy as np

from envs.learning.vector_arguments import Seed, require_count, require_masks, require_seed
from envs.learning.vector_kernel import Bytes, Words
from envs.learning.vector_sampler_kernel import BLOCK, make_draw
from envs.learning.vector_threads import useful_threads
from envs.random_stream import stream_of_seed


class LegalActionSampler:
    """Draws a legal action for each row of an action mask, all legal ones equally likely.

    Args:
        seed: at least 0; the same seed draws the same actions, with any number of threads.
        threads: how many of Numba's threads share large batches, as in the vector environments;
            give both the same number, and each thread draws for the games that it steps.

    Raises:
        ValueError: a seed that is no whole number of at least 0, or `threads` of at least 1.
    """

    def __init__(self, seed: Seed, threads: int = 1) -> None:
        require_count("threads", threads)
        self._first_seed = stream_of_seed(require_seed(seed))
        self._threads = threads
        self._streams = np.empty(0, np.int64)

    def sample(self, action_masks: Bytes) -> Words:
        """The actions, of shape (n,), int64.

        Args:
            action_masks: of shape (n, actions), int8, as in `infos["action_mask"]`, or bools or
                other whole numbers. Where nothing is legal, as in a game that is over, the action
                is 0.

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
