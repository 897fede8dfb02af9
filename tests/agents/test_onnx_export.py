"""A network as an ONNX model: ONNX Runtime finds the same logits and values."""

import sys
from random import Random

import numpy as np
import pytest

from agents.networks.network import TrainedPolicy, evaluate_network
from agents.networks.onnx_export import feature_rows, onnx_model
from agents.networks.shipped import known_policy
from envs import BoardGame, ConnectFour, ConnectX, TicTacToe
from tests.helpers.strategies import random_game
from tests.helpers.trained_policies import random_policy

WIDE = ConnectX(8, 8)
POLICIES: list[tuple[BoardGame, TrainedPolicy]] = [
    (ConnectFour(), known_policy("distilled")),
    (TicTacToe(), random_policy(TicTacToe(), seed=1)),
    (ConnectX(4, 5, 3), random_policy(ConnectX(4, 5, 3), seed=2, widths=(0, 0))),
    (WIDE, random_policy(WIDE, seed=3)),
]


@pytest.mark.parametrize(("game", "policy"), POLICIES, ids=lambda each: repr(each)[:20])
def test_onnx_runtime_finds_the_same(game: BoardGame, policy: TrainedPolicy) -> None:
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(onnx_model(policy), providers=["CPUExecutionProvider"])
    states = random_game(game, Random(1))
    logits, values = session.run(
        ["logits", "values"], {"features": feature_rows(policy, game, states)}
    )
    expected = evaluate_network(policy.network, game, states)
    np.testing.assert_allclose(logits, expected[0], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(values[:, 0], expected[1], rtol=1e-5, atol=1e-5)
    known = session.get_modelmeta().custom_metadata_map
    assert {name: int(size) for name, size in known.items()} == policy.scope._asdict()


def test_without_onnx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModuleNotFoundError, match="install the extra `onnx`"):
        onnx_model(POLICIES[1][1])
