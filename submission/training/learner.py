"""The network that learns, in PyTorch, and its copy in numpy."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor, nn

from agents.trained.network import Dense, PolicyNetwork
from submission.training.settings import TrainingSettings


class Trunk(BaseFeaturesExtractor):
    """Dense layers with a rectifier after each, shared by the heads for actions and value.

    Args:
        observation_space: of the environment.
        widths: outputs of the layers.
    """

    def __init__(self, observation_space: Any, widths: tuple[int, ...]) -> None:
        super().__init__(observation_space, features_dim=widths[-1])
        inputs = int(np.prod(observation_space.shape))
        self.layers = nn.ModuleList(
            nn.Linear(*sizes) for sizes in zip((inputs, *widths), widths, strict=False)
        )

    def forward(self, observations: Tensor) -> Tensor:
        """What the layers make of a batch of observations."""
        hidden = observations.flatten(start_dim=1)
        for layer in self.layers:
            hidden = layer(hidden).relu()
        return hidden


def make_learner(
    environment: VecEnv, settings: TrainingSettings, learning_rate: Callable[[float], float]
) -> MaskablePPO:
    """A learner that knows nothing yet."""
    return MaskablePPO(
        "MlpPolicy",
        environment,
        learning_rate=learning_rate,
        n_steps=settings.horizon,
        batch_size=settings.minibatch,
        n_epochs=settings.epochs,
        gamma=settings.discount,
        ent_coef=settings.entropy,
        seed=settings.seed,
        device="cpu",
        policy_kwargs={
            "features_extractor_class": Trunk,
            "features_extractor_kwargs": {"widths": settings.widths},
            "net_arch": [],
        },
    )


def numpy_network(learner: MaskablePPO) -> PolicyNetwork:
    """A copy of the learner's network as it is now."""
    policy: Any = learner.policy
    return PolicyNetwork(
        tuple(_dense(layer) for layer in policy.features_extractor.layers),
        policy=_dense(policy.action_net),
        value=_dense(policy.value_net),
    )


def _dense(layer: Any) -> Dense:
    weights, biases = layer.weight.detach().numpy(), layer.bias.detach().numpy()
    return Dense(weights.T.copy(), biases.copy())
