"""Adapts pgx, whose games run on JAX, to the timing of vector environments."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.learning.random_play import LegalActionSampler

PGX_IDS = {"Connect Four": "connect_four", "tic-tac-toe": "tic_tac_toe"}
"""pgx's names of the games."""


class PgxGames:
    """Many games of pgx in self-play; finished games begin again by pgx's `auto_reset`.

    Raises:
        ModuleNotFoundError: pgx is not installed.
    """

    def __init__(self, game: str, num_envs: int) -> None:
        import jax
        import pgx
        from pgx.experimental import auto_reset

        self.sampler = LegalActionSampler(seed=1)
        env: Any = pgx.make(PGX_IDS[game])
        self._keys: Any = jax.random.split(jax.random.PRNGKey(0), num_envs)
        self._step: Any = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
        self._array: Any = jax.numpy.asarray
        self._ready: Any = jax.block_until_ready
        self._state: Any = jax.jit(jax.vmap(env.init))(self._keys)

    def action_masks(self) -> NDArray[np.int8]:
        """1 for each legal action, of shape (num_envs, actions)."""
        return np.asarray(self._state.legal_action_mask).astype(np.int8)

    def prepare(self, actions: NDArray[np.int64]) -> Any:
        """The actions as `step` takes them."""
        return self._array(actions.astype(np.int32))

    def step(self, actions: Any) -> None:
        """Play an action in each game, and wait for JAX to finish."""
        self._state = self._ready(self._step(self._state, actions, self._keys))
