"""A network as an ONNX model, for other runtimes, languages and browsers.

The input `features`, 32-bit floats [positions, features], has 1 for each of the facts that hold in
a position (`feature_rows`), else 0. The outputs, for the player to move: `logits` [positions,
actions] of all actions, legal or not, and `values` [positions, 1], from -1 to 1. Like those of
`agents.networks.network.evaluate_network` they are for the position alone; the agents average them
with its mirror image's. Needs the extra `onnx`.
"""

from collections.abc import Sequence

from agents.networks.features import feature_board
from agents.networks.network import Floats, TrainedPolicy, features_of
from agents.networks.shipped import require_known_game
from envs.board import BoardGame, BoardState

OPSET = 13
"""The versions of ONNX's operators and of its files, from 2021: all runtimes support them."""
FILE_VERSION = 8


def onnx_model(policy: TrainedPolicy) -> bytes:
    """The bytes of an ONNX file; its metadata hold the game: rows, columns, inarow, actions.

    Raises:
        ModuleNotFoundError: the package `onnx` is not installed.
    """
    try:
        from onnx import TensorProto, helper, numpy_helper
    except ImportError as error:
        raise ModuleNotFoundError(
            'a model needs onnx: install the extra `onnx` by `pip install -e ".[onnx]"`'
        ) from error
    import numpy as np

    network, node = policy.network, helper.make_node
    count = network.actions + 1
    constants = network._asdict()
    constants |= {
        "parts": np.array([count, len(network.dense)], np.int64),
        "heads": np.array([count - 1, 1], np.int64),
    }
    nodes = [
        node("Gemm", ["features", "features_weights", "bias"], ["first"]),
        node("Split", ["first", "parts"], ["direct", "hidden"], axis=1),
        node("Relu", ["hidden"], ["active"]),
        node("Gemm", ["active", "dense", "dense_bias"], ["second"]),
        node("Relu", ["second"], ["second_active"]),
        node("Gemm", ["second_active", "outputs", "direct"], ["answers"]),
        node("Split", ["answers", "heads"], ["logits", "value_logits"], axis=1),
        node("Tanh", ["value_logits"], ["values"]),
    ]
    constants["features_weights"] = constants.pop("features")
    sizes = {"features": len(network.features), "logits": count - 1, "values": 1}
    faces = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["positions", size])
        for name, size in sizes.items()
    ]
    weights = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "policy", faces[:1], faces[1:], weights)
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=FILE_VERSION)
    helper.set_model_props(
        model, {name: str(size) for name, size in policy.scope._asdict().items()}
    )
    content: bytes = model.SerializeToString()
    return content


def feature_rows(policy: TrainedPolicy, game: BoardGame, states: Sequence[BoardState]) -> Floats:
    """The input of a policy's model: a row of zeros and ones for each position.

    Raises:
        ValueError: the policy was trained for another game.
    """
    import numpy as np

    board = feature_board(require_known_game(policy, game))
    rows = np.zeros((len(states), board.features), np.float32)
    for row, state in zip(rows, states, strict=True):
        row[features_of(board, state)] = 1
    return rows
