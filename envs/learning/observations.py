"""Observations: arrays of the board, and the mask of legal actions.

The environments return the mask in `info`. Wrappers put both into a dictionary, as libraries expect
it: `DictObservation(env)` for PettingZoo and TorchRL, `RLlibObservation(env)`,
`TianshouObservation(env)`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Protocol

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from envs.board import BoardGame, BoardState
from envs.learning.arguments import require_choice
from envs.learning.numbered_games import ENCODED, NumberedGame

PARITY = bytes(number & 1 for number in range(256))
"""Translates the characters `0` and `1` to the numbers 0 and 1."""


class Observer(Protocol):
    """Turns the positions of a game into arrays."""

    space: Space[NDArray[Any]]  # the space of the arrays

    def observe(self, state: Any, viewer: int) -> NDArray[Any]:
        """Return a new array of a position as player `viewer` (1 or 2) sees it."""


class Planes:
    """Two planes of 0 and 1, int8 of shape (2, rows, columns), row 0 on top.

    Plane 0 has the viewer's stones, plane 1 the other player's.
    """

    def __init__(self, game: BoardGame) -> None:
        shape = (2, game.rows, game.columns)
        self.space: Space[NDArray[np.int8]] = Box(0, 1, shape, np.int8)
        self._board_bits = game.columns * (game.rows + 1)
        # One binary number holds the viewer's board in its upper digits, the other's in the lower.
        self._digits = f"0{2 * self._board_bits}b"
        lower = [2 * self._board_bits - cell.bit_length() for cell in game.cell_masks]
        upper = [digit - self._board_bits for digit in lower]
        self._places = np.array([upper, lower]).reshape(shape)

    def observe(self, state: BoardState, viewer: int) -> NDArray[np.int8]:
        """Return a new array of a position as player `viewer` (1 or 2) sees it."""
        mover, mask, player, _ = state
        own = mover if player == viewer else mask ^ mover
        digits = format(own << self._board_bits | mask ^ own, self._digits)
        stones = np.frombuffer(digits.encode().translate(PARITY), np.int8)
        planes: NDArray[np.int8] = stones[self._places]
        return planes


class FlatBoard:
    """Kaggle's board, int8 of shape (rows * columns,): row by row from the top.

    0 is an empty cell, 1 and 2 are the stones of player 1 and of player 2, whoever views them.
    Whose turn it is follows from the number of stones.
    """

    def __init__(self, game: BoardGame) -> None:
        cells = game.rows * game.columns
        self.space: Space[NDArray[np.int8]] = Box(0, 2, (cells,), np.int8)
        self._planes = Planes(game)

    def observe(self, state: BoardState, viewer: int) -> NDArray[np.int8]:
        """Return a new array of a position; it is the same for both players."""
        player_1, player_2 = self._planes.observe(state, viewer=1)
        board: NDArray[np.int8] = player_1 + 2 * player_2
        return board.ravel()


OBSERVERS: Mapping[str, Callable[[Any], Observer]] = {"planes": Planes, "flat": FlatBoard}
"""The observations of boards, the default first."""
DEFAULT_OBSERVATION = next(iter(OBSERVERS))


def make_observer(observation: str | None, game: BoardGame | NumberedGame) -> Observer:
    """Return the observer of this name; None is the game's default."""
    if isinstance(game, BoardGame):
        observation = DEFAULT_OBSERVATION if observation is None else observation
        require_choice("observation", observation, OBSERVERS)
        return OBSERVERS[observation](game)
    require_choice("observation", ENCODED if observation is None else observation, [ENCODED])
    return game


def action_mask(legal: Sequence[int], actions: int) -> NDArray[np.int8]:
    """Return a new array of shape (actions,): 1 for each legal action, 0 for the others."""
    return _known_mask(tuple(legal), actions).copy()


@lru_cache(maxsize=4096)
def _known_mask(legal: tuple[int, ...], actions: int) -> NDArray[np.int8]:
    mask = np.zeros(actions, np.int8)
    mask[list(legal)] = 1
    return mask


Observation = dict[str, NDArray[Any]]


class DictObservation(gymnasium.Wrapper[Any, int, Any, int], RecordConstructorArgs):
    """Returns `{"observation": ..., "action_mask": ...}` instead of the observation alone.

    The mask has the shape (actions,), 1 for each legal action, 0 for the others; int8.

    Args:
        env: one of this package's environments, wrapped or not, with `info["action_mask"]`.

    Raises:
        ValueError: its spaces are not those of a board and of numbered actions, or a reset returns
            no mask.
    """

    observation_key: ClassVar[str] = "observation"
    mask_key: ClassVar[str] = "action_mask"
    mask_dtype: ClassVar[np.dtype[Any]] = np.dtype(np.int8)

    def __init__(self, env: gymnasium.Env[NDArray[np.int8], int]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        board, actions = env.observation_space, env.action_space
        if not (isinstance(board, Box) and isinstance(actions, Discrete)):
            raise ValueError(
                f"boards must be a Box and actions Discrete, not {board} and {actions}"
            )
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
    """`{"observations": ..., "action_mask": ...}`, for RLlib's `ActionMaskingTorchRLModule`.

    The observation is a flat float32 array, because RLlib passes it to its networks unchanged.
    """

    observation_key = "observations"

    def _board_space(self, space: "Box[Any]") -> "Box[Any]":
        return Box(space.low.ravel(), space.high.ravel(), dtype=np.float32)

    def _board(self, observation: NDArray[np.int8]) -> NDArray[Any]:
        return observation.ravel().astype(np.float32)


class TianshouObservation(DictObservation):
    """`{"obs": ..., "mask": ...}` with a mask of bools, for Tianshou's discrete policies."""

    observation_key = "obs"
    mask_key = "mask"
    mask_dtype = np.dtype(np.bool_)
