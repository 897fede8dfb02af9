"""A small neural network in plain numpy: a trunk of dense layers with a head for each output."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class Dense(NamedTuple):
    """A layer that computes `inputs @ weights + biases`."""

    weights: Floats
    """Shape (inputs, outputs)."""
    biases: Floats
    """Shape (outputs,)."""


class PolicyNetwork(NamedTuple):
    """What to play and what the position is worth, from the view of the player to move."""

    trunk: tuple[Dense, ...]
    """Layers with a rectifier, max(0, x), after each."""
    policy: Dense
    """One output for each action of the game: its logit."""
    value: Dense
    """One output: the expected reward."""

    @property
    def layers(self) -> Iterator[Dense]:
        """All layers, the heads last."""
        yield from self.trunk
        yield self.policy
        yield self.value


def evaluate_network(network: PolicyNetwork, planes: NDArray[np.generic]) -> tuple[Floats, Floats]:
    """Run a batch of positions through a network.

    Args:
        network: with as many inputs as a position has cells in both planes.
        planes: shape (positions, 2, rows, columns); the stones of the player to move are 1 in
            plane 0, the other player's in plane 1; row 0 is the top.

    Returns:
        The logits of all actions, legal or not, shape (positions, actions); and the values, shape
        (positions,), from the view of the player to move, about -1 to 1 but not bounded by it.
    """
    hidden: Floats = planes.reshape(len(planes), -1).astype(np.float32)
    for weights, biases in network.trunk:
        hidden = np.maximum(hidden @ weights + biases, np.float32(0))
    logits = hidden @ network.policy.weights + network.policy.biases
    values = hidden @ network.value.weights + network.value.biases
    return logits, values[:, 0]
