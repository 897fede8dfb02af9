"""A network's view of one position, compiled: `agents.policy.network` without numpy's calls."""

from collections.abc import Sequence
from math import tanh
from typing import Any, NamedTuple

from agents.policy.features import FeatureBoard, active_features, feature_board
from agents.policy.network import Floats, PolicyNetwork, evaluate_network
from envs.bitboard import fits_in_word
from envs.board import BoardGame, BoardState
from envs.compiled.jit import compiled, compiles, inlined, jit, words_of, zeros


class NetworkArrays(NamedTuple):
    """A network as its kernel takes it, with the memory that an evaluation works in."""

    board: FeatureBoard
    features: Any
    """[feature, output or hidden unit]"""
    bias: Any
    """[output or hidden unit]"""
    dense: Any
    """[hidden unit, second hidden unit]"""
    dense_bias: Any
    """[second hidden unit]"""
    outputs: Any
    """[second hidden unit, output]"""
    found: Any
    """[n] Room for the numbers of the features that hold."""
    first: Any
    """[output or hidden unit] The sums of the first layer; its outputs become the network's."""
    second: Any
    """[second hidden unit] Those of the second."""


def network_arrays(network: PolicyNetwork, env: BoardGame) -> NetworkArrays:
    """A network for its kernel, with memory of its own to work in."""
    import numpy as np

    board = feature_board(env, network.tuples)
    return NetworkArrays(
        board,
        network.features,
        network.bias,
        network.dense,
        network.dense_bias,
        network.outputs,
        found=zeros(board.most),
        first=np.zeros_like(network.bias),
        second=np.zeros_like(network.dense_bias),
    )


@inlined
def evaluate_position(network: NetworkArrays, mover: int, mask: int) -> float:
    """Evaluate a position.

    Args:
        network: the network; the logits of all actions are left in `network.first`.
        mover: stones of the player to move.
        mask: all stones.

    Returns:
        The value for the player to move, from -1 to 1.
    """
    first, second, outputs = network.first, network.second, network.outputs
    add_features(network, mover, mask)
    count = outputs.shape[1]
    for unit in range(len(second)):
        second[unit] = network.dense_bias[unit]
    for hidden in range(network.dense.shape[0]):
        signal = first[count + hidden]
        if signal > 0:
            for unit in range(len(second)):
                second[unit] += signal * network.dense[hidden, unit]
    for unit in range(len(second)):
        signal = second[unit]
        if signal > 0:
            for output in range(count):
                first[output] += signal * outputs[unit, output]
    return tanh(first[count - 1])


@inlined
def add_features(network: NetworkArrays, mover: int, mask: int) -> None:
    """Sum up the first layer: its bias, and the row of each feature that holds."""
    features, found, first = network.features, network.found, network.first
    holding = active_features(network.board, mover, mask, found)
    for unit in range(len(first)):
        first[unit] = network.bias[unit]
    for n in range(holding):
        row = found[n]
        for unit in range(len(first)):
            first[unit] += features[row, unit]


def evaluate_many(
    network: PolicyNetwork, env: BoardGame, states: Sequence[BoardState]
) -> tuple[Floats, Floats]:
    """Do what `evaluate_network` does, compiled where the board fits 64 bits and Numba is there."""
    if not fits_in_word(env.rows, env.columns, env.inarow) or not compiles():
        return evaluate_network(network, env, states)
    import numpy as np

    movers = words_of([state.mover for state in states])
    masks = words_of([state.mask for state in states])
    logits = np.empty((len(states), network.actions), np.float32)
    values = np.empty(len(states), np.float32)
    evaluate_all = compiled(evaluate_positions)
    evaluate_all(network_arrays(network, env), movers, masks, logits, values)
    return logits, values


@jit
def evaluate_positions(
    network: NetworkArrays, movers: Any, masks: Any, logits: Any, values: Any
) -> None:
    """Evaluate many positions.

    Args:
        network: the network.
        movers: [position] Stones of the player to move.
        masks: [position] All stones.
        logits: [position, action] Takes the logits.
        values: [position] Takes the values, for the player to move.
    """
    for position in range(len(movers)):
        values[position] = evaluate_position(network, movers[position], masks[position])
        for action in range(logits.shape[1]):
            logits[position, action] = network.first[action]
