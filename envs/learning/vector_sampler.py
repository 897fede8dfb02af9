"""Random legal actions for whole batches; `MultiDiscrete.sample` takes no mask for each row."""

import numpy as np

from envs.learning.vector_kernel import Bytes, Words, draw_of_masks
from envs.random_stream import stream_of_seed


class LegalActionSampler:
    """Draws a legal action for each row of an action mask, all legal ones equally likely.

    Args:
        seed: at least 0; the same seed draws the same actions.
    """

    def __init__(self, seed: int) -> None:
        self._stream = stream_of_seed(seed)

    def sample(self, action_masks: Bytes) -> Words:
        """The actions, of shape (n,), int64.

        Args:
            action_masks: of shape (n, actions), int8, as in `infos["action_mask"]`. Where nothing
                is legal, as in a game that is over, the action is 0.
        """
        actions = np.empty(len(action_masks), np.int64)
        self._stream = draw_of_masks(action_masks, self._stream, actions)
        return actions
