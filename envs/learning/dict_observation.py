"""Observations with the mask of legal actions inside, each library's way.

`DictObservation(env)` is the form of PettingZoo and TorchRL, `RLlibObservation(env)` and
`TianshouObservation(env)` those of RLlib and Tianshou.
"""

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

Observation = dict[str, NDArray[Any]]


class DictObservation(gymnasium.Wrapper[Any, int, Any, int], RecordConstructorArgs):
    """Gives `{"observation": ..., "action_mask": ...}` instead of the observation alone.

    The mask has the shape (actions,), 1 for each legal action, 0 for the others; int8.

    Args:
        env: one of our environments, wrapped or not: it gives `info["action_mask"]`.

    Raises:
        ValueError: its spaces are not those of a board and of numbered actions; or, when it is
            reset, it gives no mask.
    """

    observation_key: ClassVar[str] = "observation"
    mask_key: ClassVar[str] = "action_mask"
    mask_dtype: ClassVar[np.dtype[Any]] = np.dtype(np.int8)

    def __init__(self, env: gymnasium.Env[NDArray[np.int8], int]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        board, actions = env.observation_space, env.action_space
        if not (isinstance(board, Box) and isinstance(actions, Discrete)):
            raise ValueError(f"boards are a Box, and actions Discrete: not {board} and {actions}")
        self.observation_space = Dict(
            {
                self.observation_key: self._board_space(board),
                self.mask_key: Box(0, 1, (int(actions.n),), dtype=self.mask_dtype),
            }
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode, as the wrapped environment does."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._with_mask(observation, info), info

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action, as the wrapped environment does."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._with_mask(observation, info), float(reward), terminated, truncated, info

    def _with_mask(self, observation: NDArray[np.int8], info: dict[str, Any]) -> Observation:
        if "action_mask" not in info:
            raise ValueError("there is no info['action_mask']: wrap an environment that gives it")
        mask = info["action_mask"].astype(self.mask_dtype)
        return {self.observation_key: self._board(observation), self.mask_key: mask}

    def _board_space(self, space: "Box[Any]") -> "Box[Any]":
        return space

    def _board(self, observation: NDArray[np.int8]) -> NDArray[Any]:
        return observation


class RLlibObservation(DictObservation):
    """`{"observations": ..., "action_mask": ...}`: what RLlib's `ActionMaskingTorchRLModule` takes.

    The observation is flattened and of float32, for RLlib hands it to its networks as it is.
    """

    observation_key = "observations"

    def _board_space(self, space: "Box[Any]") -> "Box[Any]":
        return Box(space.low.ravel(), space.high.ravel(), dtype=np.float32)

    def _board(self, observation: NDArray[np.int8]) -> NDArray[Any]:
        return observation.ravel().astype(np.float32)


class TianshouObservation(DictObservation):
    """`{"obs": ..., "mask": ...}` with a mask of bool, which Tianshou's discrete policies heed."""

    observation_key = "obs"
    mask_key = "mask"
    mask_dtype = np.dtype(np.bool_)
