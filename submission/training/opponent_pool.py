"""Whom a learner plays: its past selves and random actions."""

import numpy as np
from numpy.typing import NDArray

from agents.trained.network import Floats, PolicyNetwork, evaluate_network

RANDOM_PLAYER = -1
"""In the place of a past self's number."""
LATEST_SHARE = 0.5
"""Part of the games against past selves that is against the latest of them."""


class OpponentPool:
    """The opponents of all sub-environments of a vector environment; each has one of the pool.

    It is a `BatchOpponent` of `envs.learning.vector_opponents`.

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
