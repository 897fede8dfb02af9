"""Policies for tests: networks with random weights."""

from pathlib import Path

import numpy as np

from agents.networks.features import feature_board
from agents.networks.network import (
    Floats,
    PolicyNetwork,
    TrainedPolicy,
    decode_policy,
    encode_policy,
    policy_scope,
)
from envs.board import BoardGame


def random_policy(env: BoardGame, seed: int, widths: tuple[int, int] = (12, 8)) -> TrainedPolicy:
    """An untrained policy, as read from a file; `widths` are its hidden units."""
    return decode_policy(encode_policy(unrounded_policy(env, seed, widths)))


def unrounded_policy(env: BoardGame, seed: int, widths: tuple[int, int] = (12, 8)) -> TrainedPolicy:
    """An untrained policy as in training, for which kernels are compiled separately."""
    rng = np.random.default_rng(seed)

    def floats(*shape: int) -> Floats:
        return rng.normal(size=shape, scale=0.3).astype(np.float16).astype(np.float32)

    hidden, second = widths
    outputs = len(env.action_cells) + 1
    network = PolicyNetwork(
        features=floats(feature_board(env).features, outputs + hidden),
        bias=floats(outputs + hidden),
        dense=floats(hidden, second),
        dense_bias=floats(second),
        outputs=floats(second, outputs),
    )
    return TrainedPolicy(policy_scope(env), network)


def policy_file(env: BoardGame, folder: Path) -> str:
    """Write an untrained policy to a file; return its path."""
    path = folder / "weights.npz"
    path.write_bytes(encode_policy(random_policy(env, seed=1)))
    return str(path)
