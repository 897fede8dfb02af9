"""Learners: ways to train a network, round by round; their settings, their budget, their table."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any, Protocol

from agents.networks.network import TrainedPolicy
from agents.options import require_one_of, require_within
from envs.board import BoardGame


class Learner(Protocol):
    """A way to train a network; deterministic for its seed."""

    @property
    def policy(self) -> TrainedPolicy:
        """The present policy."""

    def advance(self, spent: float) -> Mapping[str, float]:
        """Learn for one round, of some 5 to 60 seconds on a board of 6 rows and 7 columns.

        Args:
            spent: the part of the budget that is used, in [0, 1); rates may fall with it. If the
                budget is a number of rounds, it is the same in every run.

        Returns:
            Figures for the curves, grouped by the word before a slash: the parts of the loss, such
            as `loss/policy`, add up to it.
        """

    def state(self) -> dict[str, Any]:
        """The state from which a later run continues as if there had been no interrupt.

        It consists of numbers, texts, None, numpy arrays and PyTorch tensors, in lists, tuples and
        dicts, and includes the states of random generators.
        """

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state.

        Raises:
            KeyError, RuntimeError, TypeError, ValueError: the state is of another training;
            PyTorch's modules raise RuntimeError.
        """


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How to train; None leaves a setting to the method. Raises ValueError beyond `RANGES`."""

    seed: int = 0
    """The same seed and number of rounds give the same policy on the same machine."""
    simulations: int | None = None
    """Simulations of the search for each move of self-play, 2 to 100 000."""
    width: int | None = None
    """Hidden neurons of the network, 0 to 1024; with 0 it is linear in its features."""
    positions: Path | None = None
    """File of labelled positions to learn from."""
    weights: str | None = None
    """Weights to begin with, as `agents.networks.shipped.weights_content` reads them; None: random
    ones."""

    def __post_init__(self) -> None:
        for name, (least, most) in RANGES.items():
            number = getattr(self, name)
            if number is not None:
                require_within(name, number, least, most)


RANGES = {"seed": (0, 2**32 - 1), "simulations": (2, 100_000), "width": (0, 1024)}
"""The least and the most that each number may be."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The end of a training: a time or a number of rounds, whichever is reached first."""

    seconds: float = inf
    rounds: float = inf

    def __post_init__(self) -> None:
        if not (self.seconds > 0 and self.rounds > 0):
            raise ValueError("training needs more than 0 minutes and more than 0 rounds")

    def share(self, seconds: float, rounds: int) -> float:
        """The part of it that has been used, in [0, 1]."""
        return min(1.0, max(seconds / self.seconds, rounds / self.rounds))


@dataclass(frozen=True)
class Method:
    """A learner in the table: its class, and the settings that it takes."""

    name: str
    summary: str  # what it learns from, for the help
    learner: str  # module and class, imported when the learner is made, for it may import PyTorch
    settings: tuple[str, ...] = ()  # the settings that it takes beside the seed
    needed: str | None = None  # the setting without which it cannot begin
    takes_workers: bool = False  # whether its class takes an executor, too

    def __call__(
        self, game: BoardGame, settings: TrainingSettings, executor: Executor | None = None
    ) -> Learner:
        """Make a learner at the beginning of its training; raises as `require_fitting`."""
        workers = () if executor is None else (executor,)
        self.require_fitting(settings, has_workers=bool(workers))
        module, _, name = self.learner.rpartition(".")
        learner: Learner = getattr(import_module(module), name)(game, settings, *workers)
        return learner

    def require_fitting(self, settings: TrainingSettings, has_workers: bool) -> None:
        """Raise ValueError unless the method takes these settings and workers, and lacks none."""
        if has_workers and not self.takes_workers:
            raise ValueError(
                f"--method {self.name} learns in one process: leave --workers and --dask out"
            )
        given = {name for name, value in asdict(settings).items() if value is not None}
        for name in sorted(given - {"seed", *self.settings}):
            raise ValueError(f"--method {self.name} takes no --{name}: leave it out")
        if self.needed is not None and self.needed not in given:
            raise ValueError(
                f"--method {self.name} needs --{self.needed}: see connectx train --help"
            )


LEARNERS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method(
            "alphazero",
            "from zero, by games against itself, each move searched with the network",
            "agents.policy.learners.alphazero.AlphaZeroLearner",
            ("simulations", "width", "weights"),
            takes_workers=True,
        ),
        Method(
            "distill",
            "from the solver, by positions that `connectx positions --labels` has scored",
            "agents.policy.learners.distillation.DistillationLearner",
            ("width", "positions", "weights"),
            needed="positions",
        ),
    )
}
"""The methods by their names; first the one that trains best from random weights."""


def find_method(name: str) -> Method:
    """Look up a method; a ValueError if none has this name."""
    require_one_of("method", name, LEARNERS)
    return LEARNERS[name]


LIBRARIES = ("torch", "matplotlib", "tensorboard")


def require_training_libraries() -> None:
    """Check that training can begin; a ModuleNotFoundError says what to install."""
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(
            f"training needs {', '.join(missing)}: install the extra `train` by "
            '`pip install -e ".[train]"`'
        )
