"""The moves of `PolicyAgent` as a kernel, for vector environments.

A network's output for a position and its mirror image never changes, so it is cached: games that
begin in the same way, like the games of one learner, compute it only once.
"""

from collections import namedtuple
from collections.abc import Callable
from functools import partial
from math import exp, inf
from typing import Any

from agents.compiled.alpha_beta_tables import slot_of
from agents.networks.features import FeatureBoard, open_cells
from agents.networks.network import PolicyNetwork
from agents.networks.network_kernel import (
    NetworkArrays,
    evaluate_position,
    network_arrays,
)
from agents.policy.policy_agent import CLOSE, DECIDED, VALUE_WEIGHT
from envs.bitboard import fits_in_wide_word, has_run, mirrored
from envs.board import BoardGame
from envs.compiled.jit import inlined, zeros
from envs.compiled.random_stream import DRAWN_BITS, DRAWN_MASK, next_stream
from envs.learning.vector.vector_kernels import KernelOpponent

MOVER = 0
FREE = 1
PLACES = 1 << 16  # the most positions that each thread caches
BOARD_FIELDS = len(FeatureBoard._fields)
MEMORY = -7  # where, in the tables, the network's constant arrays end

new_tuple_type: Callable[..., Any] = namedtuple  # mypy would want the fields written out
PolicyTables = new_tuple_type(
    "PolicyTables",
    [*FeatureBoard._fields, *NetworkArrays._fields[1:], "temperature", "known", "weights"],
)
"""A network, its settings of play, and the working memory of its kernel for each thread.

Numba's threads accept no tuple within a tuple, so the fields of the board come before the other
fields of `NetworkArrays`; `found`, `sums`, `first` and `second` have a row for each thread. `known`
[thread, place, MOVER or FREE] has the stones and free cells of the cached positions, and `weights`
[thread, place, action] the relative probabilities of their actions.
"""


def policy_opponent(
    network: PolicyNetwork, temperature: float, seed: int | None, game: BoardGame
) -> KernelOpponent | None:
    """The kernel that plays a network; None on boards that fit no word."""
    if not fits_in_wide_word(*game.size):
        return None
    tables = partial(tables_of_policy, network, float(temperature), game)
    return KernelOpponent(policy_reply, seed, tables)


def tables_of_policy(
    network: PolicyNetwork, temperature: float, game: BoardGame, threads: int
) -> Any:
    """The kernel's tables, with memory for this number of threads."""
    import numpy as np

    arrays = network_arrays(network, game)
    memory = (np.zeros((threads, len(array)), array.dtype) for array in arrays[-4:])
    return PolicyTables(
        *arrays.board,
        *arrays[1:-4],
        *memory,
        temperature,
        zeros(threads, PLACES, 2, word=type(arrays.board.board)),
        np.zeros((threads, PLACES, network.actions)),
    )


@inlined
def policy_reply(tables: Any, thread: int, stream: int, mover: int, mask: int) -> tuple[int, int]:
    """Choose an action by the means over a position and its image; return it and the new stream."""
    place, side = remembered(tables, thread, mover, mask)
    weights, images = tables.weights[thread, place], tables.images[side]
    drawn = 0.0
    if tables.temperature > 0:
        total = 0.0
        for action in range(len(weights)):
            total += weights[images[action]]
        stream = next_stream(stream)
        drawn = total * (stream & DRAWN_MASK) / (1 << DRAWN_BITS)
    action, upto = 0, weights[images[0]]
    while upto <= drawn:
        action += 1
        upto += weights[images[action]]
    return action, stream


@inlined
def remembered(tables: Any, thread: int, mover: int, mask: int) -> tuple[int, int]:
    """The place of a position's weights, computed if new; and 1 if they are its image's, else 0."""
    mover, mask, side = first_image(tables.rows, tables.columns, mover, mask)
    place, free = slot_of(tables.known[thread], mover + mask), tables.board ^ mask
    known = tables.known[thread, place]
    if known[MOVER] != mover or known[FREE] != free:  # never 0 in an unfinished position
        write_weights(tables, thread, mover, mask, tables.weights[thread, place])
        known[MOVER], known[FREE] = mover, free
    return place, side


@inlined
def first_image(rows: int, columns: int, mover: int, mask: int) -> tuple[int, int, int]:
    """The first of a position and its mirror image, as sorted tuples; 1 for the image, else 0."""
    # Not the one of the smaller key, as a sum of stones can exceed the positive 64-bit numbers.
    image_mover, image = mirrored(rows, columns, mover), mirrored(rows, columns, mask)
    if image_mover < mover or (image_mover == mover and image < mask):
        return image_mover, image, 1
    return mover, mask, 0


@inlined
def write_weights(tables: Any, thread: int, mover: int, mask: int, weights: Any) -> None:
    """Write the weight of each action: 0 if illegal; at temperature 0, 1 for the favourite."""
    network = of_thread(tables, thread)
    legal = open_cells(network.board, mask)
    for action in range(len(weights)):
        weights[action] = 0.0
    value = 0.0
    for images in tables.images:
        value += evaluate_position(network, mover, mask) / 2
        for action in range(len(weights)):
            weights[action] += network.first[images[action]] / 2
        mover = mirrored(tables.rows, tables.columns, mover)
        mask = mirrored(tables.rows, tables.columns, mask)
    most = -inf
    for action in range(len(weights)):
        if not legal & tables.actions[action]:
            weights[action] = -inf
        most = max(most, weights[action])
    if tables.temperature > 0:
        for action in range(len(weights)):
            weights[action] = exp((weights[action] - most) / tables.temperature)
    else:
        margin = CLOSE if abs(value) < DECIDED else 0.0
        weigh_favourite(network, legal, mover, mask, most - margin, weights)


@inlined
def weigh_favourite(
    network: NetworkArrays, legal: int, mover: int, mask: int, least: float, weights: Any
) -> None:
    """Choose as `favourite_actions` does among the moves whose logits are at least `least`."""
    close = 0
    for action in range(len(weights)):
        if weights[action] < least:
            weights[action] = -inf
        else:
            close += 1
    best = -inf
    for action in range(len(weights)):
        if close > 1 and weights[action] > -inf:
            cell = legal & network.board.actions[action]
            weights[action] += VALUE_WEIGHT * value_of_move(network, mover, mask, cell)
        best = max(best, weights[action])
    for action in range(len(weights)):
        weights[action] = 1.0 if weights[action] == best else 0.0


@inlined
def value_of_move(network: NetworkArrays, mover: int, mask: int, cell: int) -> float:
    """The value of filling a cell, for the mover: exact where that ends the game."""
    board = network.board
    if has_run(mover | cell, board.rows, board.inarow):
        return 1.0
    other, after = mask ^ mover, mask | cell
    if after == board.board:
        return 0.0
    other, after, _ = first_image(board.rows, board.columns, other, after)
    return -evaluate_position(network, other, after)


@inlined
def of_thread(tables: Any, thread: int) -> NetworkArrays:
    """The network with the memory of one thread."""
    memory: Any = (
        tables.found[thread],
        tables.sums[thread],
        tables.first[thread],
        tables.second[thread],
    )
    return NetworkArrays(
        FeatureBoard(*tables[:BOARD_FIELDS]), *tables[BOARD_FIELDS:MEMORY], *memory
    )
