"""A Gymnasium vector environment as Stable-Baselines3's `VecEnv`, with masks for MaskablePPO."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

Infos = list[dict[str, Any]]
Indices = int | Iterable[int] | None


class SB3VecEnv(VecEnv):
    """Adapts a Gymnasium vector environment to Stable-Baselines3's algorithms.

    Sub-environments restart in the step that ends their episode. The info of that step has the
    vector environment's `final_info`, the `episode` of Gymnasium's `RecordEpisodeStatistics`, and
    the last observation as `terminal_observation`; the infos of other steps are empty.
    `env_method("action_masks")` returns the masks of legal actions, so sb3-contrib's MaskablePPO
    can train on it.

    Args:
        vector_env: its autoreset mode is SAME_STEP, and its infos have `action_mask`. Its render
            mode is None or `rgb_array`, the only one that Stable-Baselines3 shows.

    Raises:
        ValueError: no vector environment, or another autoreset mode or render mode.
    """

    def __init__(self, vector_env: VectorEnv[Any, Any, Any]) -> None:
        if not isinstance(vector_env, VectorEnv):
            raise ValueError(
                f"{vector_env!r:.60} is no vector environment: give one that gymnasium.make_vec "
                "makes with autoreset_mode=AutoresetMode.SAME_STEP"
            )
        mode = vector_env.metadata.get("autoreset_mode")
        if mode != AutoresetMode.SAME_STEP:
            raise ValueError(
                "Stable-Baselines3 needs environments that start again in the same step, not "
                f"{mode}: gymnasium.make_vec makes them with autoreset_mode=AutoresetMode.SAME_STEP"
            )
        if vector_env.render_mode not in (None, "rgb_array"):
            raise ValueError(
                "Stable-Baselines3 shows only pictures, not the render mode "
                f"{vector_env.render_mode!r}: make the environments with render_mode='rgb_array'"
            )
        self.vector_env = vector_env
        self._masks: NDArray[np.int8] | None = None
        super().__init__(
            vector_env.num_envs, vector_env.single_observation_space, vector_env.single_action_space
        )

    def reset(self) -> Any:
        """Start all episodes, with the seeds and options that were set before.

        Returns:
            The observations, a row for each sub-environment.

        Raises:
            ValueError: options that differ between the sub-environments, or infos without masks.
        """
        options = self._options
        self._reset_options()  # they apply to this reset alone, even if it refuses them
        if any(each != options[0] for each in options):
            raise ValueError("all sub-environments must start with the same options: give one dict")
        # Sub-environment i takes the first seed + i, in Gymnasium as in Stable-Baselines3.
        observations, infos = self.vector_env.reset(seed=self._seeds[0], options=options[0] or None)
        if "action_mask" not in infos:
            raise ValueError(
                "the infos of these environments have no 'action_mask', from which MaskablePPO "
                "learns what is legal: add it to them, or use Stable-Baselines3's own DummyVecEnv"
            )
        self._masks = infos["action_mask"]
        self._reset_seeds()
        return observations

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Store the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], Infos]:
        """Play an action in each sub-environment.

        Returns:
            The observations (where an episode has ended, those of the next one), the rewards, which
            episodes have ended, and an info for each sub-environment.
        """
        observations, rewards, terminations, truncations, infos = self.vector_env.step(
            self._actions
        )
        self._masks = infos["action_mask"]
        ended = terminations | truncations
        last_infos: Infos = [{} for _ in range(self.num_envs)]
        # Gymnasium's statistics of the ended episodes are among the infos of the new ones.
        statistics = {key: infos[key] for key in ("episode", "_episode") if key in infos}
        for index in np.flatnonzero(ended).tolist():
            last_infos[index] = {
                **info_of(infos["final_info"] | statistics, index),
                "terminal_observation": infos["final_obs"][index],
                "TimeLimit.truncated": bool(truncations[index] and not terminations[index]),
            }
        return observations, rewards.astype(np.float32), ended, last_infos

    def close(self) -> None:
        """Close the vector environment."""
        self.vector_env.close()

    def action_masks(self) -> NDArray[np.int8]:
        """Return the legal actions as 0 and 1, of shape (sub-environments, actions).

        Raises:
            ValueError: called before the first `reset`.
        """
        if self._masks is None:
            raise ValueError("masks are known only after the first reset: call reset() first")
        return self._masks

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of each sub-environment: `action_masks` is the only one.

        Raises:
            AttributeError: another method; all sub-environments live in one object.
        """
        if method_name != "action_masks":
            raise AttributeError(
                f"sub-environments have no method {method_name!r}, only 'action_masks', because "
                "all share one object: call its methods on `vector_env.unwrapped`"
            )
        return [self.action_masks()[index] for index in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute for each sub-environment; all share the vector environment's.

        Raises:
            AttributeError: there is no such attribute.
        """
        owner = self if attr_name == "action_masks" else self.vector_env
        return [getattr(owner, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute of the vector environment, which all sub-environments share.

        Raises:
            ValueError: `indices` are given; sub-environments have no attributes of their own.
        """
        if indices is not None:
            raise ValueError("sub-environments share their attributes: set them without indices")
        setattr(self.vector_env, attr_name, value)

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Indices = None
    ) -> list[bool]:
        """False for each sub-environment: they are never wrapped one by one."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[Any]:
        """Return the picture of each sub-environment, where the render mode is `rgb_array`."""
        return self.vector_env.render() or ()


def info_of(infos: Mapping[str, Any], index: int) -> dict[str, Any]:
    """Extract a sub-environment's info from those of all; `_key` flags the ones that have `key`.

    Keys without flags belong to all.
    """
    return {
        key: info_of(values, index) if isinstance(values, Mapping) else values[index]
        for key, values in infos.items()
        if not key.startswith("_") and (f"_{key}" not in infos or infos[f"_{key}"][index])
    }
