"""A policy: a small neural network in plain numpy, and its file.

A trained policy as a file: an .npz archive of numpy arrays.

    name                              content
    format                            1
    scope                             rows, columns, inarow, actions
    trunk_0_weights, trunk_0_biases   the first layer of the trunk; the others are counted on
    policy_weights, policy_biases     the head for the actions
    value_weights, value_biases       the head for the value

Weights are float32, of shape (inputs, outputs).
"""

import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO
from itertools import count, pairwise, takewhile
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from envs.board import BoardGame

Floats = NDArray[np.float32]


class Dense(NamedTuple):
    """A layer that computes `inputs @ weights + biases`."""

    weights: Floats
    """Shape (inputs, outputs)."""
    biases: Floats
    """Shape (outputs,)."""


class PolicyNetwork(NamedTuple):
    """Gives logits of actions and the value, from the view of the player to move."""

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


POLICY_FORMAT = 1


class PolicyScope(NamedTuple):
    """The game that a policy was trained for."""

    rows: int
    columns: int
    inarow: int
    actions: int
    """Of the empty board: this tells tic-tac-toe from stones that fall."""

    @property
    def inputs(self) -> int:
        """The number of the network's inputs: a cell of each plane is one."""
        return 2 * self.rows * self.columns

    def __str__(self) -> str:
        return (
            f"{self.rows} rows, {self.columns} columns, {self.inarow} in a row and "
            f"{self.actions} actions"
        )


class TrainedPolicy(NamedTuple):
    """The content of a policy's file."""

    scope: PolicyScope
    network: PolicyNetwork


def policy_scope(env: BoardGame) -> PolicyScope:
    """The scope of policies for a game."""
    return PolicyScope(env.rows, env.columns, env.inarow, len(env.action_cells))


def encode_policy(policy: TrainedPolicy) -> bytes:
    """The bytes of a policy's file."""
    scope, network = policy
    names = [*(f"trunk_{i}" for i in range(len(network.trunk))), "policy", "value"]
    arrays: dict[str, Any] = {"format": POLICY_FORMAT, "scope": scope}
    for name, layer in zip(names, network.layers, strict=True):
        arrays |= {f"{name}_weights": layer.weights, f"{name}_biases": layer.biases}
    file = BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def decode_policy(content: bytes) -> TrainedPolicy:
    """The content of the bytes of a policy's file.

    Raises:
        ValueError: they are no policy, one in another version of the format, or one whose arrays
            do not fit each other.
    """
    arrays = _read_arrays(content)
    version = arrays.get("format")
    if version is None:
        raise ValueError("this is no trained policy: train one with `connectx train`")
    if version != POLICY_FORMAT:
        raise ValueError(
            f"this trained policy has version {version} of the format, and {POLICY_FORMAT} is "
            "read: train it again with `connectx train`"
        )
    try:
        policy = TrainedPolicy(PolicyScope(*arrays["scope"].tolist()), _network(arrays))
        _require_consistent(policy)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"this trained policy is damaged ({error}): train it again with `connectx train`"
        ) from error
    return policy


def _read_arrays(content: bytes) -> Mapping[str, Any]:
    """The arrays of an archive, none where it is no archive of plain arrays."""
    try:
        with np.load(BytesIO(content), allow_pickle=False) as archive:
            return dict(archive)
    except (AttributeError, BadZipFile, EOFError, OSError, TypeError, ValueError, zlib.error):
        return {}


def _network(arrays: Mapping[str, Any]) -> PolicyNetwork:
    trunk = takewhile(lambda name: f"{name}_weights" in arrays, (f"trunk_{i}" for i in count()))
    return PolicyNetwork(
        tuple(_dense(arrays, name) for name in trunk),
        policy=_dense(arrays, "policy"),
        value=_dense(arrays, "value"),
    )


def _dense(arrays: Mapping[str, Any], name: str) -> Dense:
    return Dense(arrays[f"{name}_weights"], arrays[f"{name}_biases"])


def _require_consistent(policy: TrainedPolicy) -> None:
    """Check that each layer takes what the one before it gives.

    Raises:
        ValueError: one does not, or holds something other than finite float32 numbers.
    """
    scope, network = policy
    widths = [scope.inputs, *(len(layer.biases) for layer in network.trunk)]
    expected = [*pairwise(widths), (widths[-1], scope.actions), (widths[-1], 1)]
    for layer, (inputs, outputs) in zip(network.layers, expected, strict=True):
        if layer.weights.shape != (inputs, outputs) or layer.biases.shape != (outputs,):
            raise ValueError(f"a layer of {inputs} inputs and {outputs} outputs has other shapes")
        for array in layer:
            if array.dtype != np.float32 or not np.isfinite(array).all():
                raise ValueError("a weight is no finite float32 number")
