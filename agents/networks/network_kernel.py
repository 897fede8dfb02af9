"""The compiled evaluation of one position: `agents.networks.network` without numpy's calls.

The rows of a network from a file are multiples of a step (`encode_policy`). They are added up as
16-bit integers, twice as many at a time as 32-bit floats, as in the networks of chess engines; the
result is the same to the last bit, because both sums are exact.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import tanh
from typing import Any, NamedTuple

from agents.networks.features import FeatureBoard, active_features, feature_board
from agents.networks.network import NETWORKS_KEPT, Floats, PolicyNetwork, evaluate_network
from envs.bitboard import fits_in_wide_word, word_of_board
from envs.board import BoardGame, BoardState
from envs.compiled.jit import compiled, compiles, inlined, jit, words_of, zeros


class NetworkArrays(NamedTuple):
    """A network in its kernel's form, with the working memory of an evaluation."""

    board: FeatureBoard
    features: Any
    """[feature, output or hidden unit] In steps: 16-bit integers, or else floats."""
    step: Any
    bias: Any  # [output or hidden unit]
    dense: Any  # [hidden unit, second hidden unit]
    dense_bias: Any  # [second hidden unit]
    outputs: Any  # [second hidden unit, output]
    found: Any  # [n] Room for the numbers of the features that hold, or of the units above 0
    sums: Any  # [output or hidden unit] The sums of rows, in steps
    first: Any  # [output or hidden unit] The first layer; its outputs become the network's
    second: Any  # [second hidden unit] The second layer


def network_arrays(network: PolicyNetwork, env: BoardGame) -> NetworkArrays:
    """Convert a network for its kernel, with its own working memory."""
    import numpy as np

    board = feature_board(env)
    rows, step = _rows_of(SameArray(network.features), board.most)
    return NetworkArrays(
        board,
        rows,
        step,
        *network[1:],
        found=zeros(max(board.most, *network.dense.shape)),
        sums=np.zeros(len(network.bias), rows.dtype),
        first=np.zeros_like(network.bias),
        second=np.zeros_like(network.dense_bias),
    )


class SameArray:
    """An array as a key, compared by identity and never by content."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameArray) and other.array is self.array

    def __hash__(self) -> int:
        return id(self.array)


@lru_cache(maxsize=NETWORKS_KEPT)
def _rows_of(features: SameArray, most: int) -> tuple[Any, Any]:
    """`rows_in_steps`, cached, because a search makes new `NetworkArrays` for every move."""
    return rows_in_steps(features.array, most)


def adds_whole_numbers(network: PolicyNetwork, env: BoardGame) -> bool:
    """Whether the kernel adds up rows as integers; for floats it is compiled separately."""
    rows, _ = _rows_of(SameArray(network.features), feature_board(env).most)
    return rows is not network.features


FINEST_STEP = 2.0**-14
MOST_STEPS = 2**15 - 1  # the largest 16-bit integer


def rows_in_steps(features: Floats, most: int) -> tuple[Any, Any]:
    """The rows as 16-bit integers, and their step; or else the unchanged rows, and 1.

    They become integers only if sums of `most` rows fit 16 bits.
    """
    import numpy as np

    steps = features / FINEST_STEP
    if not steps.any() or (steps != np.rint(steps)).any():
        return features, np.float32(1)
    numbers = steps.astype(np.int64)
    shared = int(np.bitwise_or.reduce(numbers, axis=None))
    shared &= -shared
    numbers //= shared
    largest = np.sort(np.abs(numbers), axis=0)[-most:].sum(axis=0)
    if largest.max() > MOST_STEPS:
        return features, np.float32(1)
    return numbers.astype(np.int16), np.float32(shared * FINEST_STEP)


@inlined
def evaluate_position(network: NetworkArrays, mover: int, mask: int) -> float:
    """The value of a position for the player to move, from -1 to 1.

    The logits of all actions are left in `network.first`.
    """
    run_network(network, mover, mask)
    return tanh(network.first[network.outputs.shape[1] - 1])


@inlined
def run_network(network: NetworkArrays, mover: int, mask: int) -> None:
    """Run a position through all layers; the outputs are left in `network.first`."""
    first, second, count = network.first, network.second, network.outputs.shape[1]
    add_features(network, mover, mask)
    for unit in range(len(second)):
        second[unit] = network.dense_bias[unit]
    add_signals(first[count:], network.dense, network.found, second)
    add_signals(second, network.outputs, network.found, first[:count])


@inlined
def add_features(network: NetworkArrays, mover: int, mask: int) -> None:
    """Sum up the first layer: its bias, and the row of each feature that holds."""
    rows, found, sums = network.features, network.found, network.sums
    holding = active_features(network.board, mover, mask, found)
    for unit in range(len(sums)):
        sums[unit] = 0
    n = 0
    while n + 4 <= holding:  # four at a time, which saves writes of the sums
        row, row_2, row_3, row_4 = found[n], found[n + 1], found[n + 2], found[n + 3]
        for unit in range(len(sums)):
            some = sums[unit] + rows[row, unit] + rows[row_2, unit]
            sums[unit] = some + rows[row_3, unit] + rows[row_4, unit]
        n += 4
    while n < holding:
        row = found[n]
        for unit in range(len(sums)):
            sums[unit] += rows[row, unit]
        n += 1
    for unit in range(len(sums)):
        network.first[unit] = network.bias[unit] + network.step * sums[unit]


@inlined
def add_signals(signals: Any, rows: Any, found: Any, sums: Any) -> None:
    """Add up the rows of the signals above 0, each times its signal."""
    holding = 0
    for number in range(len(signals)):  # without a branch, which would often be mispredicted
        found[holding] = number
        holding += 1 if signals[number] > 0 else 0
    n = 0
    while n + 4 <= holding:  # as above
        row, row_2, row_3, row_4 = found[n], found[n + 1], found[n + 2], found[n + 3]
        signal, signal_2 = signals[row], signals[row_2]
        signal_3, signal_4 = signals[row_3], signals[row_4]
        for unit in range(len(sums)):
            some = sums[unit] + signal * rows[row, unit] + signal_2 * rows[row_2, unit]
            sums[unit] = some + signal_3 * rows[row_3, unit] + signal_4 * rows[row_4, unit]
        n += 4
    while n < holding:
        row = found[n]
        signal = signals[row]
        for unit in range(len(sums)):
            sums[unit] += signal * rows[row, unit]
        n += 1


def evaluate_many(
    network: PolicyNetwork, env: BoardGame, states: Sequence[BoardState]
) -> tuple[Floats, Floats]:
    """Do what `evaluate_network` does, compiled if the board fits a word and Numba is installed."""
    if not fits_in_wide_word(*env.size) or not compiles():
        return evaluate_network(network, env, states)
    import numpy as np

    word = word_of_board(*env.size)
    movers = words_of([state.mover for state in states], word)
    masks = words_of([state.mask for state in states], word)
    logits = np.empty((len(states), network.actions), np.float32)
    values = np.empty(len(states), np.float32)
    evaluate_all = compiled(evaluate_positions)
    evaluate_all(network_arrays(network, env), movers, masks, logits, values)
    return logits, values


@jit
def evaluate_positions(
    network: NetworkArrays, movers: Any, masks: Any, logits: Any, values: Any
) -> None:
    """Write the logits [position, action] and the values, for the player to move."""
    for position in range(len(movers)):
        values[position] = evaluate_position(network, movers[position], masks[position])
        for action in range(logits.shape[1]):
            logits[position, action] = network.first[action]
