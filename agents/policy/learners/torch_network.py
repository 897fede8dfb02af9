"""The network in PyTorch: the loss, and a step of learning."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.autograd import Function
from torch.nn import functional

from agents.networks.features import (
    FeatureBoard,
    feature_board,
    features_of_all,
    legal_actions_of_all,
)
from agents.networks.network import PolicyNetwork, TrainedPolicy, policy_scope
from agents.networks.shipped import known_policy, require_known_game
from agents.policy.learners.targets import Targets, drawn_batch
from agents.policy.training.learner import TrainingSettings
from envs.board import BoardGame
from envs.compiled.jit import Words, fastest

WIDTH = 352  # hidden units, unless the settings give a number
SECOND = 64  # hidden units of the second layer, if there is a first one
VALUE_WEIGHT = 0.3  # weight of the value's loss, relative to the policy's
WEIGHT_DECAY = 1e-4  # the weight decay of AdamW (I. Loshchilov and F. Hutter, 2019)
ILLEGAL = -1e9  # the logit of an illegal action


class Bags(NamedTuple):
    """Concatenated lists of numbers."""

    numbers: Tensor
    begins: Tensor  # where each list begins


def bags(numbers: NDArray[np.int64], lengths: NDArray[np.int64], device: torch.device) -> Bags:
    """The lists of these lengths, on a device."""
    begins = np.cumsum(lengths) - lengths
    return Bags(torch.from_numpy(numbers).to(device), torch.from_numpy(begins).to(device))


class FeatureSums(Function):
    """The sum of the weights of all features that hold in a position.

    The gradient of a feature's weights is the sum over the positions where it holds. PyTorch's own
    gradient of `embedding_bag` has to find these positions first, which takes longer than the
    rest of a learning step.
    """

    @staticmethod
    def forward(ctx: Any, weights: Tensor, features: Bags, positions: Bags) -> Tensor:
        """Sums of shape (positions, units) of weights of shape (features, units)."""
        ctx.positions = positions
        return functional.embedding_bag(features.numbers, weights, features.begins, mode="sum")

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        """The gradient of the weights; the lists have none."""
        numbers, begins = ctx.positions
        return functional.embedding_bag(numbers, gradient, begins, mode="sum"), None, None


class TorchNetwork(nn.Module):
    """A `PolicyNetwork` that can learn."""

    def __init__(self, env: BoardGame, hidden: int, second: int, seed: int) -> None:
        super().__init__()
        self.board: FeatureBoard = feature_board(env)
        outputs = env.action_count + 1
        generator = torch.Generator().manual_seed(seed)

        def weights(inputs: int, units: int, holding: int) -> nn.Parameter:
            spread = torch.randn(inputs, units, generator=generator)
            return nn.Parameter(spread * (2 / max(1, holding)) ** 0.5)

        typical = self.board.most // 3
        self.features = weights(self.board.features, outputs + hidden, typical)
        self.bias = nn.Parameter(torch.zeros(outputs + hidden))
        self.dense = weights(hidden, second, hidden)
        self.dense_bias = nn.Parameter(torch.zeros(second))
        self.outputs = weights(second, outputs, second)
        with torch.no_grad():
            self.features[:, :outputs] = 0.0
            self.outputs *= 0.1

    def forward(self, movers: Words, masks: Words) -> tuple[Tensor, Tensor]:
        """Logits and values of positions."""
        first = FeatureSums.apply(self.features, *self._holding(movers, masks)) + self.bias
        count = self.outputs.shape[1]
        second = functional.relu(first[:, count:]) @ self.dense + self.dense_bias
        outputs = first[:, :count] + functional.relu(second) @ self.outputs
        return outputs[:, :-1], torch.tanh(outputs[:, -1])

    def _holding(self, movers: Words, masks: Words) -> tuple[Bags, Bags]:
        """The features that hold in each position, and the positions where each feature holds."""
        found = np.zeros((len(movers), self.board.most), np.int64)
        counts = np.zeros(len(movers), np.int64)
        fastest(features_of_all)(self.board, movers, masks, found, counts)
        features = found[np.arange(self.board.most) < counts[:, np.newaxis]]
        # numpy sorts numbers of 16 bits by counting them, which is several times as fast.
        order = np.argsort(features.astype(np.uint16), kind="stable")
        positions = np.repeat(np.arange(len(movers)), counts)[order]
        uses = np.bincount(features, minlength=self.board.features)
        device = self.bias.device
        return bags(features, counts, device), bags(positions, uses, device)

    def as_numpy(self) -> PolicyNetwork:
        """The network in the form that searches use."""
        weights = {
            name: parameter.detach().cpu().numpy().copy()
            for name, parameter in self.named_parameters()
        }
        return PolicyNetwork(**weights)


def first_network(env: BoardGame, settings: TrainingSettings) -> TorchNetwork:
    """The network that a training begins with: random, or that of the settings' file.

    Raises as `known_policy` and `require_known_game`.
    """
    if settings.weights is None:
        width = WIDTH if settings.width is None else settings.width
        return TorchNetwork(env, width, SECOND if width else 0, settings.seed)
    if settings.width is not None:
        raise ValueError("the network of --weights has its own width: leave out --width")
    policy = known_policy(settings.weights)
    require_known_game(policy, env)
    network = policy.network
    hidden, second = network.dense.shape
    begun = TorchNetwork(env, hidden, second, settings.seed)
    with torch.no_grad():
        for name, parameter in begun.named_parameters():
            parameter.copy_(torch.from_numpy(getattr(network, name)))
    return begun


class Losses(NamedTuple):
    """The losses of a step of learning, as means over its positions."""

    policy: float  # cross entropy of the target's policy and the network's
    value: float  # squared error of the value


class NetworkLearner:
    """The base of learners of one network: its learning step, and its state for a later run.

    It learns on one PyTorch thread in this process. With so small a network a second one gains a
    tenth at most, and beside another program the two mostly wait for each other.

    Raises:
        OSError, ValueError: as `first_network`.
    """

    def __init__(self, game: BoardGame, settings: TrainingSettings) -> None:
        torch.set_num_threads(1)
        self.game = game
        network = first_network(game, settings)
        self.network = network.cuda() if torch.cuda.is_available() else network
        self.rng = np.random.default_rng(settings.seed)
        self._optimizer = torch.optim.AdamW(
            self.network.parameters(), weight_decay=WEIGHT_DECAY, fused=True
        )

    @property
    def policy(self) -> TrainedPolicy:
        """The present policy."""
        return TrainedPolicy(policy_scope(self.game), self.network.as_numpy())

    def learn(self, targets: Targets, positions: int, learning_rate: float) -> Losses:
        """Draw a batch of positions, and take one step towards its targets."""
        batch = drawn_batch(self.game, targets, self.rng, positions)
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate
        device = self.network.bias.device
        policies = torch.from_numpy(batch.policies.astype(np.float32)).to(device)
        wanted = torch.from_numpy(batch.values).to(device)
        board, allowed = self.network.board, np.empty(batch.policies.shape, np.bool_)
        fastest(legal_actions_of_all)(board, batch.masks, allowed)
        legal = torch.from_numpy(allowed).to(device)
        logits, values = self.network(batch.movers, batch.masks)
        logarithms = functional.log_softmax(logits.masked_fill(~legal, ILLEGAL), dim=1)
        policy_loss = -(policies * logarithms).sum(dim=1).mean()
        value_loss = functional.mse_loss(values, wanted)
        self._optimizer.zero_grad()
        (policy_loss + VALUE_WEIGHT * value_loss).backward()
        self._optimizer.step()
        return Losses(policy_loss.item(), value_loss.item())

    def state(self) -> dict[str, Any]:
        """See `Learner.state`."""
        trainer = {"network": self.network.state_dict(), "optimizer": self._optimizer.state_dict()}
        return {"trainer": trainer, "random": self.rng.bit_generator.state}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state; see `Learner.restore`."""
        self.network.load_state_dict(state["trainer"]["network"])
        self._optimizer.load_state_dict(state["trainer"]["optimizer"])
        self.rng.bit_generator.state = state["random"]
