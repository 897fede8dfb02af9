"""Learning as in AlphaZero: a network learns from the searches in its games against itself.

An iteration plays games with the present network, adds their positions to those of earlier ones,
and trains the network on a sample of them (D. Silver et al., "A general reinforcement learning
algorithm that masters chess, shogi, and Go through self-play", 2018). The next games begin before
the network learns from the last ones, so that no processor waits: the network that plays is one
iteration old. As in AlphaZero, there is no gating. The result is a running mean of the networks.
Late positions are solved: an exact value takes no longer than some simulations.
"""

from collections.abc import Mapping
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import nullcontext
from math import cos, pi
from typing import Any

import numpy as np

from agents.compiled.compiled_puct import PuctSettings
from agents.networks.network import PolicyNetwork, TrainedPolicy, policy_scope
from agents.parallel.workers import CORES, call_off
from agents.policy.learners.self_play_kernel import PlaySettings
from agents.policy.learners.targets import Targets, joined, no_targets, played
from agents.policy.learners.torch_network import Losses, NetworkLearner
from agents.policy.training.learner import TrainingSettings
from envs.bitboard import fits_in_wide_word
from envs.board import BoardGame
from envs.compiled.jit import WORDS
from envs.compiled.random_stream import STREAMS

SIMULATIONS = 64
PLAY = PlaySettings(
    PuctSettings(exploration=1.5, fpu=0.2),
    SIMULATIONS,
    visits_scale=50.0,
    value_scale=0.1,
    opening_plies=8,
    random_moves=0.03,
    result_share=0.5,
)
ITERATIONS = 8  # a round plays and learns this many times
GAMES = 1024  # games of an iteration
SHARES = 64  # parts of these games for workers to play, the same for any number of workers
WINDOW = 2_000_000  # the most recent positions to learn from, at most
PASSES = 6.0  # how often a position is learnt from, on average
BATCH = 1024
LEARNING_RATE = 3e-3
LEAST_RATE = 0.02  # the share of the learning rate that is left at the end
MEMORY = 0.9  # weight of the mean network against the newest one, in each iteration


class AlphaZeroLearner(NetworkLearner):
    """Learns from games against itself.

    Args:
        game: on a board that fits a word.
        settings: only the seed, `simulations`, `weights` and `width` count.
        executor: of `concurrent.futures`, whose workers play the games; None: threads of this
            process, one per core. The weights are the same on processors with the same rounding.

    Raises:
        ValueError: the board does not fit.
    """

    def __init__(
        self, game: BoardGame, settings: TrainingSettings, executor: Executor | None = None
    ) -> None:
        if not fits_in_wide_word(*game.size):
            raise ValueError(
                f"AlphaZero learns on boards of at most {max(WORDS)} bits, not {game!r}: choose a "
                "smaller one"
            )
        super().__init__(game, settings)
        self._executor = executor
        self._settings = PLAY._replace(simulations=settings.simulations or SIMULATIONS)
        self._mean = self.network.as_numpy()
        self._window = no_targets(game)

    @property
    def policy(self) -> TrainedPolicy:
        """The present running mean."""
        return TrainedPolicy(policy_scope(self.game), self._mean)

    def advance(self, spent: float) -> Mapping[str, float]:
        """Play games, and learn from them and earlier ones; ChildProcessError if workers died."""
        rate = LEARNING_RATE * max(LEAST_RATE, (1 + cos(pi * spent)) / 2)
        try:
            losses, plies = self._iterations(rate)
        except BrokenExecutor as error:
            raise ChildProcessError(
                "a worker process died, perhaps out of memory: go on with fewer and --resume"
            ) from error
        policy_loss, value_loss = np.mean(losses, axis=0)
        return {
            "loss/policy": float(policy_loss),
            "loss/value": float(value_loss),
            "play/plies": plies / (ITERATIONS * GAMES),
        }

    def _iterations(self, rate: float) -> tuple[list[Losses], int]:
        """Play and learn; return the losses of the steps, and the plies of all games."""
        losses: list[Losses] = []
        plies = 0
        executor = self._executor
        with ThreadPoolExecutor(CORES) if executor is None else nullcontext(executor) as players:
            games = self._begun(players)
            try:
                for left in reversed(range(ITERATIONS)):
                    new = joined([share.result() for share in games])
                    if left:
                        games = self._begun(players)
                    plies += len(new.movers)
                    self._window = joined([self._window, new]).take(slice(-WINDOW, None))
                    steps = max(1, round(PASSES * len(new.movers) / BATCH))
                    losses += [self.learn(self._window, BATCH, rate) for _ in range(steps)]
                    self._mean = mean_network(self._mean, self.network.as_numpy())
            finally:
                call_off(games)  # after Ctrl-C, cancels those not yet begun
        return losses, plies

    def state(self) -> dict[str, Any]:
        """See `Learner.state`; the mean and the latest positions, too."""
        return {**super().state(), "mean": list(self._mean), "window": list(self._window)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state; see `Learner.restore`."""
        super().restore(state)
        self._mean = PolicyNetwork(*state["mean"])
        movers, masks, policies, values = state["window"]
        kind = type(self._window.movers)  # a file stores wide words as plain bytes
        self._window = Targets(movers.view(kind), masks.view(kind), policies, values)

    def _begun(self, players: Executor) -> list[Future[Targets]]:
        """Start games of the present network, to be played while it learns from earlier ones."""
        streams = (1 + self.rng.integers(STREAMS, size=SHARES)).tolist()
        same = self.game, self.network.as_numpy(), self._settings
        return [players.submit(played, *same, stream, GAMES // SHARES) for stream in streams]


def mean_network(mean: PolicyNetwork, newest: PolicyNetwork) -> PolicyNetwork:
    """Move a running mean of networks towards the newest."""
    weights = [
        (MEMORY * old + (1 - MEMORY) * new).astype(np.float32)
        for old, new in zip(mean, newest, strict=True)
    ]
    return PolicyNetwork(*weights)
