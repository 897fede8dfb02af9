"""A policy: a small neural network in numpy, and its file.

The network adds up a row of weights for each feature that holds in the position, as the networks of
chess engines do (Y. Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions for
Computer Shogi", 2018), so its first and widest layer costs only a few dozen rows. A part of each
row goes to the outputs directly; a network without hidden units is that linear part alone.

    first = bias + sum of the rows of the features that hold          (outputs, then hidden units)
    second = dense_bias + max(0, hidden units) @ dense
    outputs += max(0, second) @ outputs                               (logits, then the value)

The file of a trained policy is an .npz archive of numpy arrays, of 16-bit floats unless stated.

    name                  content
    format                3, an integer
    scope                 rows, columns, inarow, actions, as integers
    features, bias        the first layer; its rows of features are multiples of a power of 2
    dense, dense_bias     the second
    outputs               the third

In format 2, the first and the second player share the rows of all features except threats.
"""

import struct
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from agents.networks.array_archive import ArrayArchive
from agents.networks.features import FeatureBoard, active_features, feature_board, feature_count
from envs.bitboard import winning_lines
from envs.board import BoardGame, BoardState

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float32]
else:
    Floats = object


class PolicyNetwork(NamedTuple):
    """The weights of a network, which gives actions' logits and a value for the player to move."""

    features: Floats  # shape (features, outputs + hidden units)
    bias: Floats  # shape (outputs + hidden units,)
    dense: Floats  # shape (hidden units, second hidden units)
    dense_bias: Floats  # shape (second hidden units,)
    outputs: Floats  # shape (second hidden units, outputs): each action's logit, then the value

    @property
    def actions(self) -> int:
        """The number of actions."""
        return int(self.outputs.shape[1]) - 1


def evaluate_network(
    network: PolicyNetwork, env: BoardGame, states: Sequence[BoardState]
) -> tuple[Floats, Floats]:
    """Run positions through a network.

    Returns:
        The logits of all actions, legal or not, shape (positions, actions); and the values, shape
        (positions,), for the player to move, from -1 to 1.
    """
    import numpy as np

    board = feature_board(env)
    outputs = np.empty((len(states), network.actions + 1), np.float32)
    for n, state in enumerate(states):
        first = network.bias + network.features[features_of(board, state)].sum(axis=0)
        direct, hidden = np.split(first, [network.actions + 1])
        second = network.dense_bias + np.maximum(hidden, 0) @ network.dense
        outputs[n] = direct + np.maximum(second, 0) @ network.outputs
    return outputs[:, :-1], np.tanh(outputs[:, -1])


def features_of(board: FeatureBoard, state: BoardState) -> list[int]:
    """The numbers of the features that hold in a position."""
    found = [0] * board.most
    return found[: active_features(board, state.mover, state.mask, found)]


POLICY_FORMAT = 3
SHARED_FORMAT = 2


class PolicyScope(NamedTuple):
    """The game that a policy was trained for."""

    rows: int
    columns: int
    inarow: int
    actions: int
    """Actions on the empty board, which distinguish tic-tac-toe from games with falling stones."""

    @property
    def bits(self) -> int:
        """The number of bits of its board, including guard bits."""
        return (self.rows + 1) * self.columns

    def __str__(self) -> str:
        return (
            f"{self.rows} rows, {self.columns} columns, {self.inarow} in a row and "
            f"{self.actions} actions"
        )


class TrainedPolicy(NamedTuple):
    """The content of a policy's file."""

    scope: PolicyScope
    network: PolicyNetwork


NETWORKS_KEPT = 16  # the latest networks stay decoded and prepared in memory, some 3 MB each


def policy_scope(env: BoardGame) -> PolicyScope:
    """The scope of policies for a game."""
    return PolicyScope(*env.size, env.action_count)


STEPS_OF_SPREAD = 16
"""The weights of features are rounded to multiples of a step, their standard deviation divided by
at most this number: the file is two fifths smaller, and the rounding error of a sum of rows is
small compared to its spread."""


def encode_policy(policy: TrainedPolicy) -> bytes:
    """The bytes of a policy's file; its weights are rounded, none to more than 16 bits."""
    import numpy as np

    arrays: dict[str, Any] = {"format": POLICY_FORMAT, "scope": policy.scope}
    for name, array in policy.network._asdict().items():
        arrays[name] = array.astype(np.float16)
    features = policy.network.features
    step = 2.0 ** np.floor(np.log2((features.std() or 1.0) / STEPS_OF_SPREAD))
    arrays["features"] = (np.round(features / step) * step).astype(np.float16)
    file = BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


NO_POLICY = "this is not a trained policy: train one with `connectx train`"
MOST_BYTES = 2**25  # of a file, or of its arrays: several times the size that training makes
MOST_CELLS = 2**12  # more cells than any game's board has
SCOPE_BYTES = 1024  # more bytes than the array `scope` takes


def decode_scope(content: bytes) -> PolicyScope:
    """The game of a policy's file, read without numpy in 0.1 ms; ValueError if it is no policy."""
    try:
        array = _archive(content).beginning("scope", SCOPE_BYTES)
        words = "<4q" if b"<i8" in array else "<4i"  # 32 bits by older numpy on Windows
        return PolicyScope(*struct.unpack(words, array[-struct.calcsize(words) :]))
    except Exception as error:  # a torn or hostile file may raise anything
        raise ValueError(NO_POLICY) from error


def is_rounded(content: bytes) -> bool:
    """Whether a policy's file has rounded weights (`encode_policy`); read as by `decode_scope`."""
    try:
        array = _archive(content).beginning("format", SCOPE_BYTES)
    except ValueError as error:
        raise ValueError(NO_POLICY) from error
    return array.rpartition(b"\n")[2][:1] != bytes([SHARED_FORMAT])


def decode_policy(content: bytes) -> TrainedPolicy:
    """The content of a policy's file; a ValueError if it is none, damaged, or too old or new."""
    import numpy as np

    try:
        archive = _archive(content)
        version = archive["format"]
    except ValueError as error:
        raise ValueError(NO_POLICY) from error
    if version.shape or version.dtype.kind != "i":
        raise ValueError(NO_POLICY)
    if version not in (POLICY_FORMAT, SHARED_FORMAT):
        raise ValueError(
            f"this trained policy has version {version} of the format, not {SHARED_FORMAT} or "
            f"{POLICY_FORMAT}: train it again with `connectx train`"
        )
    try:
        # In the memory layout that kernels are compiled for, whatever wrote the file.
        arrays = {name: archive[name].astype(np.float32, "C") for name in PolicyNetwork._fields}
        scope = PolicyScope(*archive["scope"].tolist())
        if version == SHARED_FORMAT:
            arrays["features"] = rows_of_both(arrays["features"], scope.bits)
        policy = TrainedPolicy(scope, PolicyNetwork(**arrays))
        _require_consistent(policy)
    except (IndexError, TypeError, ValueError) as error:
        raise ValueError(
            f"this trained policy is damaged ({error}): train it again with `connectx train`"
        ) from error
    return policy


def rows_of_both(shared: Floats, bits: int) -> Floats:
    """The rows of format 2, numbered like the present features.

    There the groups of features were: own stones, other stones, own threats on the first player's
    turn, own threats on the second player's, other threats likewise, and open cells; then came the
    second player's turn, and lines.
    """
    import numpy as np

    turn, lines = shared[7 * bits : 7 * bits + 1], shared[7 * bits + 1 :]
    groups = [shared[group * bits : (group + 1) * bits] for group in range(7)]
    first = [groups[group] for group in (0, 1, 2, 4, 6)]
    second = [groups[group] for group in (0, 1, 3, 5, 6)]
    return np.concatenate([*first, lines, *second, lines, turn])


def _archive(content: bytes) -> ArrayArchive:
    if len(content) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES} bytes")
    return ArrayArchive(content, MOST_BYTES)


def _require_consistent(policy: TrainedPolicy) -> None:
    """Check that the arrays of a network fit its game and each other."""
    import numpy as np

    scope, network = policy
    rows, columns, inarow, actions = scope
    if min(scope) < 1 or rows * columns > MOST_CELLS or actions > rows * columns:
        raise ValueError(f"no game has {scope}")
    lines = sum(1 for _ in winning_lines(rows, columns, inarow))
    features = feature_count(scope.bits, lines, inarow)
    outputs, hidden, second = actions + 1, len(network.dense), len(network.dense_bias)
    expected = {
        "features": (features, outputs + hidden),
        "bias": (outputs + hidden,),
        "dense": (hidden, second),
        "dense_bias": (second,),
        "outputs": (second, outputs),
    }
    for name, array in network._asdict().items():
        if array.shape != expected[name]:
            raise ValueError(f"the shape of {name} is {array.shape}, not {expected[name]}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} holds a number that is not finite")
