"""Policies for tests: networks with random weights."""

from itertools import pairwise

import numpy as np

from agents.policy.network import Dense, Floats, PolicyNetwork, TrainedPolicy, policy_scope
from envs.board import BoardGame


def random_policy(env: BoardGame, seed: int, widths: tuple[int, ...] = (12, 8)) -> TrainedPolicy:
    """A policy that has learnt nothing."""
    rng = np.random.default_rng(seed)

    def floats(*shape: int) -> Floats:
        return rng.normal(size=shape).astype(np.float32)

    def dense(inputs: int, outputs: int) -> Dense:
        return Dense(floats(inputs, outputs), floats(outputs))

    scope = policy_scope(env)
    return TrainedPolicy(
        scope,
        PolicyNetwork(
            tuple(dense(*sizes) for sizes in pairwise([scope.inputs, *widths])),
            policy=dense(widths[-1], scope.actions),
            value=dense(widths[-1], 1),
        ),
    )
