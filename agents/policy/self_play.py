"""Self-play: a policy in training, its opponents, and its learner by Stable-Baselines3."""

from collections.abc import Callable
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from threadpoolctl import threadpool_limits
from torch import Tensor, nn

from agents.policy.network import (
    Dense,
    Floats,
    PolicyNetwork,
    TrainedPolicy,
    evaluate_network,
    policy_scope,
)
from agents.policy.training_files import TrainingState
from agents.policy.training_settings import Budget, TrainingSettings
from agents.policy.trials import Trial, play_seat
from envs.board import BoardGame
from envs.learning.sb3_vec_env import SB3VecEnv
from envs.learning.vector_env import make_vector_env

TRIAL_SPACING = 1.2
"""A trial comes when there are so many times the steps that there were at the last one."""
SAME_STEP = "SameStep"
"""Gymnasium's name of the way in which Stable-Baselines3 wants games to begin anew."""
MOST_STEPS = 2**62
"""More than any training takes: its budget ends it."""
RANDOM_PLAYER = -1
"""Stands for a past self's number."""
LATEST_SHARE = 0.5
"""Part of the games against past selves that is against the latest of them."""


class SelfPlay(BaseCallback):
    """A policy in training against its past selves and random actions.

    Args:
        game: the game to learn.
        settings: sizes and rates.
        budget: the end of the training.
        on_trial: called after each trial.
        on_step: takes the used share of the budget after each step of all games.
    """

    def __init__(
        self,
        game: BoardGame,
        settings: TrainingSettings,
        budget: Budget,
        on_trial: Callable[["SelfPlay"], None],
        on_step: Callable[[float], None],
    ) -> None:
        super().__init__()
        self._game = game
        self._settings = settings
        self._budget = budget
        self._tell_trial = on_trial
        self._tell_share = on_step
        self._begun = monotonic()
        self._updates = 0
        self._trials: list[Trial] = []
        self._scope = policy_scope(game)
        self._pool = OpponentPool(
            settings.games,
            self._scope.actions,
            settings.random_share,
            settings.past_selves,
            settings.seed,
        )
        environment = SB3VecEnv(
            make_vector_env(game, settings.games, opponent=self._pool, autoreset_mode=SAME_STEP)
        )
        environment.seed(settings.seed)
        self._learner = make_learner(environment, settings, self._learning_rate)

    @property
    def policy(self) -> TrainedPolicy:
        """The policy as it is by now."""
        return TrainedPolicy(self._scope, numpy_network(self._learner))

    @property
    def state(self) -> TrainingState:
        """The state from which another training can go on."""
        return TrainingState(
            self.num_timesteps,
            self._seconds,
            list(self._trials),
            list(self._pool.past_selves),
            self._learner.get_parameters(),
        )

    def go_on_from(self, state: TrainingState) -> None:
        """Take up an earlier training."""
        self.num_timesteps = self._learner.num_timesteps = state.steps
        self._begun = monotonic() - state.seconds
        self._trials = list(state.trials)
        self._pool.past_selves = list(state.past_selves)
        self._learner.set_parameters(dict(state.parameters))

    def learn(self) -> None:
        """Learn until the budget is spent."""
        if self._share < 1.0:
            with threadpool_limits(1):  # matrices of this size are not worth sharing out
                self._learner.learn(MOST_STEPS, callback=self, reset_num_timesteps=False)

    def hold_trial(self) -> None:
        """Find out how well the policy plays, and add that to the trials."""
        games = self._settings.trial_games
        policy = self.policy
        first, second = (play_seat(policy, self._game, seat, games) for seat in (1, 2))
        trial = Trial(self.num_timesteps, self._seconds, first, second)
        self._trials.append(trial)
        self._tell_trial(self)

    def _on_rollout_start(self) -> None:
        """Before each update's games."""
        if self._updates % self._settings.updates_per_past_self == 0:
            self._pool.add(numpy_network(self._learner))
        self._updates += 1
        self._pool.draw_opponents()
        if not self._trials or self.num_timesteps >= TRIAL_SPACING * self._trials[-1].steps:
            self.hold_trial()

    def _on_step(self) -> bool:
        """After each step of all games; whether to go on."""
        self._tell_share(self._share)
        return self._share < 1.0

    @property
    def _seconds(self) -> float:
        return monotonic() - self._begun

    @property
    def _share(self) -> float:
        """The part of the budget that has been used, in [0, 1]."""
        return self._budget.share(self._seconds, self.num_timesteps)

    def _learning_rate(self, _: float) -> float:
        """It falls to 0 in the course of the budget, and is taken anew for each update."""
        return self._settings.learning_rate * (1 - self._share)


class OpponentPool:
    """The opponents of all sub-environments of a vector environment; each has one of the pool.

    It is a `BatchOpponent` of `envs.learning.opponents`.

    Args:
        games: how many sub-environments there are.
        actions: how many actions the game has.
        random_share: part of the games that are against random actions, in [0, 1].
        largest: how many past selves are kept, at least 2. Beyond that chance decides which of
            them, but for the latest, is forgotten: so old ones stay, ever more rarely.
        seed: of all that is drawn.
    """

    def __init__(
        self, games: int, actions: int, random_share: float, largest: int, seed: int
    ) -> None:
        self.past_selves: list[PolicyNetwork] = []
        self._opponents = np.full(games, RANDOM_PLAYER)
        self._actions = actions
        self._random_share = random_share
        self._largest = largest
        self._rng = np.random.default_rng(seed)

    def add(self, network: PolicyNetwork) -> None:
        """Keep a past self."""
        self.past_selves.append(network)
        if len(self.past_selves) > self._largest:
            del self.past_selves[self._rng.integers(self._largest)]

    def draw_opponents(self) -> None:
        """Give each sub-environment an opponent for the steps to come."""
        games, past_selves = len(self._opponents), len(self.past_selves)
        if past_selves:
            drawn = self._rng.integers(past_selves, size=games)
            latest = self._rng.random(games) < LATEST_SHARE
            is_random = self._rng.random(games) < self._random_share
            drawn[latest] = past_selves - 1
            drawn[is_random] = RANDOM_PLAYER
            self._opponents = drawn

    def choose_actions(
        self,
        observations: NDArray[np.int8],
        action_masks: NDArray[np.int8],
        sub_environments: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Draw actions in proportion to the exponentials of the opponents' logits.

        Args:
            observations: shape (n, 2, rows, columns), from the view of the opponents.
            action_masks: shape (n, actions), 1 for each legal action.
            sub_environments: shape (n,), which these are.
        """
        logits = np.zeros((len(observations), self._actions), np.float32)
        opponents = self._opponents[sub_environments]
        for number in set(opponents.tolist()) - {RANDOM_PLAYER}:
            own = opponents == number
            logits[own], _ = evaluate_network(self.past_selves[number], observations[own])
        return self._draw(np.where(action_masks, logits, -np.inf))

    def _draw(self, logits: Floats) -> NDArray[np.int64]:
        """Add Gumbel noise: then the largest is a draw in proportion to the exponentials."""
        noisy = logits + self._rng.gumbel(size=logits.shape)
        drawn: NDArray[np.int64] = noisy.argmax(axis=1)
        return drawn


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
        """Run a batch of observations through the layers."""
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
