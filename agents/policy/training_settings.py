"""Settings of a training, and the libraries that it needs."""

from dataclasses import dataclass
from importlib.util import find_spec
from math import inf


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """Sizes and rates, found by experiment on Connect Four; the defaults suit the other games too.

    The names of the algorithm's own are those of J. Schulman et al., "Proximal Policy Optimization
    Algorithms" (2017), arXiv 1707.06347.
    """

    seed: int = 0
    """The same seed and number of steps give the same policy on the same machine."""
    widths: tuple[int, ...] = (256, 128)
    """Outputs of the network's layers, below the heads."""
    games: int = 256
    """Games that are played at the same time."""
    horizon: int = 64
    """Steps of each of these games between two updates of the network."""
    minibatch: int = 2048
    """Steps that a gradient is taken of."""
    epochs: int = 4
    """Passes of an update through the steps."""
    learning_rate: float = 5e-4
    discount: float = 0.98
    """Factor on a reward for each step before it; below 1, so that fast wins are better."""
    entropy: float = 0.01
    """Weight of the entropy of the policy in what is maximised."""
    random_share: float = 0.3
    """Part of the games that are played against random actions. Without it a policy that has
    learnt to beat itself forgets how to answer the rest of the world."""
    past_selves: int = 24
    """Past selves kept as opponents, at most."""
    updates_per_past_self: int = 8
    """After so many updates the network joins them."""
    trial_games: int = 200
    """Games of a trial from each seat."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The end of a training: after so much time or so many steps, whichever is first.

    Raises:
        ValueError: one of them is not positive.
    """

    seconds: float = inf
    steps: float = inf

    def __post_init__(self) -> None:
        if not (self.seconds > 0 and self.steps > 0):
            raise ValueError("training needs more than 0 minutes and more than 0 steps")

    def share(self, seconds: float, steps: int) -> float:
        """The part of it that has been used, in [0, 1]."""
        return min(1.0, max(seconds / self.seconds, steps / self.steps))


LIBRARIES = (
    "gymnasium",
    "torch",
    "stable_baselines3",
    "sb3_contrib",
    "matplotlib",
    "threadpoolctl",
)


def require_training_libraries() -> None:
    """See to it that training can begin.

    Raises:
        ModuleNotFoundError: a library is missing; the message says what to install.
    """
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(
            f"training needs {', '.join(missing)}: install the extra `train` by "
            '`pip install -e ".[train]"`'
        )
