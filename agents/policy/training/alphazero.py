"""AlphaZero's way to learn: games against oneself, whose searches are what the network learns from.

A round plays games with the network as it is, keeps their positions beside those of earlier rounds,
and lets the network learn from a sample of them (D. Silver et al., "A general reinforcement
learning algorithm that masters chess, shogi, and Go through self-play", 2018). There is no gating:
the newest network always plays, as in AlphaZero.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from math import cos, pi
from typing import Any

import numpy as np
import torch

from agents.compiled.puct_kernel import (
    COUNTERS,
    NODE_FIELDS,
    SUM_FIELDS,
    PuctArrays,
    PuctSettings,
)
from agents.policy.network import PolicyNetwork, TrainedPolicy, policy_scope
from agents.policy.network_kernel import network_arrays
from agents.policy.training.learner import TrainingSettings
from agents.policy.training.self_play_kernel import (
    Experience,
    PlayMemory,
    PlaySettings,
    play_games,
)
from agents.policy.training.torch_network import (
    Targets,
    TorchNetwork,
    Trainer,
    default_device,
    mirror_images,
)
from agents.puct import considered_visits
from envs.board import BoardGame
from envs.jit import fastest, zeros
from envs.random_stream import STREAMS

THREADS = 2
SHARES = 8
"""Parts of a round's games, which threads play: the same ones for any number of threads."""


class AlphaZeroLearner:
    """Learns from games against itself.

    Args:
        game: on a board that fits 64 bits.
        settings: `simulations` and `width` of them count.

    Raises:
        ValueError: the board does not fit.
    """

    def __init__(self, game: BoardGame, settings: TrainingSettings) -> None:
        self._game = game
        self._simulations = settings.simulations or SIMULATIONS
        width = WIDTH if settings.width is None else settings.width
        self._network = TorchNetwork(game, width, SECOND_WIDTH, settings.seed)
        self._network.to(default_device())
        self._trainer = Trainer(self._network)
        self._rng = np.random.default_rng(settings.seed)
        self._window: Targets | None = None
        self._rounds = 0

    @property
    def policy(self) -> TrainedPolicy:
        """The policy as it is by now."""
        return TrainedPolicy(policy_scope(self._game), self._network.as_numpy())

    def advance(self, spent: float) -> Mapping[str, float]:
        """Play games, and learn from them and earlier ones."""
        new = self._play()
        self._window = new if self._window is None else _joined(self._window, new, WINDOW)
        steps = max(1, round(len(new.movers) * PASSES / BATCH))
        rate = LEARNING_RATE * max(LEAST_RATE, (1 + cos(pi * spent)) / 2)
        losses = np.mean([self._trainer.learn(self._batch(), rate) for _ in range(steps)], axis=0)
        self._rounds += 1
        return {
            "loss/policy": float(losses[0]),
            "loss/value": float(losses[1]),
            "games": float(GAMES),
            "positions": float(len(new.movers)),
        }
