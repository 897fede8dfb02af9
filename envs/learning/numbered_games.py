"""Games without a board, with numbered actions, for the environments.

Besides the five methods of `envs.protocol.Env` such a game has two members:

    actions              all possible actions; the index of an action is its number
    encode(state)        the observation: a NumPy array of numbers, of one shape and type for all
                         states. Both players get it, so it must include the player to move, or
                         show the state from the view of the player to move.
"""

from collections.abc import Hashable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from gymnasium.spaces import Box, Space
from numpy.typing import NDArray

from envs.protocol import class_advice, illegal_action

ENCODED = "encoded"  # the name of the only observation of such a game


class NumberedState(NamedTuple):
    """A state, with the player to move and the result."""

    state: Hashable  # the game's own state
    player: int  # the player to move: 1 or 2
    result: float  # the game's result, from player 1's view; 0.0 before its end

    def __str__(self) -> str:
        return str(self.state)


class NumberedGame:
    """A game whose actions are the indices of another game's `actions`.

    It has the five methods of a game, so agents can play it, and is its own observer for the
    environments, with arrays in `space`; `game` is the original.

    Raises:
        ValueError: the game lacks `actions` or `encode`, or they are invalid.
    """

    def __init__(self, game: Any) -> None:
        self.game = game
        if isinstance(game, type):
            raise ValueError(class_advice(game))
        if not hasattr(game, "initial_state"):
            raise ValueError(f"{game!r} is not a game: give one such as ConnectX(5, 5, inarow=3)")
        name = type(game).__name__
        if not callable(getattr(game, "encode", None)):
            raise ValueError(
                f"{name} has no encode(state): environments show the NumPy array that it returns"
            )
        if not isinstance(getattr(game, "actions", None), Sequence | np.ndarray):
            raise ValueError(
                f"{name} has no sequence `actions` of all its actions: environments number them by "
                "their places in it"
            )
        self._all = tuple(game.actions)
        self._numbers: dict[Hashable, int] = {}
        with suppress(TypeError):  # a list cannot be hashed
            self._numbers = {action: number for number, action in enumerate(self._all)}
        if not self._all or len(self._numbers) != len(self._all):
            raise ValueError(
                f"{name}.actions are {self._all}: give each action once, and tuples, not lists"
            )
        first = np.asarray(game.encode(game.initial_state()))
        if first.dtype.kind not in "biuf":
            raise ValueError(f"{name}.encode gives {first.dtype}: return an array of numbers")
        kind = np.dtype(np.int8) if first.dtype.kind == "b" else first.dtype
        low, high = (-np.inf, np.inf)
        if kind.kind != "f":
            low, high = np.iinfo(kind).min, np.iinfo(kind).max
        self.space: Space[NDArray[Any]] = Box(low, high, first.shape, kind.type)

    def __repr__(self) -> str:
        return f"NumberedGame({self.game!r})"

    @property
    def action_count(self) -> int:
        """How many actions there are, legal or not."""
        return len(self._all)

    def initial_state(self) -> NumberedState:
        """Return the state before the first ply."""
        return self._numbered(self.game.initial_state(), 0.0)

    def current_player(self, state: NumberedState) -> int:
        """Return the player to move: 1 or 2."""
        return state.player

    def get_available_actions(self, state: NumberedState) -> Sequence[int]:
        """Return the numbers of the legal actions in ascending order.

        Raises:
            ValueError: the game has an action that is not among its `actions`.
        """
        legal = self.game.get_available_actions(state.state)
        try:
            return sorted(self._numbers[action] for action in legal)
        except KeyError as error:
            name = type(self.game).__name__
            raise ValueError(
                f"{error.args[0]!r} is legal in {state.state} but not in {name}.actions: add it"
            ) from None

    def get_next_state(self, state: NumberedState, action: int) -> NumberedState:
        """Return the state after an action."""
        legal = self.get_available_actions(state)
        if action not in legal:
            raise illegal_action(action, state, legal)
        chosen = self._all[action]
        reward = float(self.game.reward(state.state, chosen))
        return self._numbered(self.game.get_next_state(state.state, chosen), reward)

    def reward(self, state: NumberedState, action: int) -> float:
        """Return the reward for playing an action, from player 1's view."""
        return self.get_next_state(state, action).result

    def result(self, state: NumberedState) -> float:
        """Return the game's result, from player 1's view; 0.0 before its end."""
        return state.result

    def encode(self, state: NumberedState) -> NDArray[Any]:
        """Return the game's encoding of a state as a new array.

        Raises:
            ValueError: its shape differs from that of the initial state, or its type cannot be
                cast safely to the type of that one.
        """
        encoded = np.asarray(self.game.encode(state.state))
        shape, kind = self.space.shape, np.dtype(self.space.dtype)
        if encoded.shape != shape or not np.can_cast(encoded.dtype, kind):
            raise ValueError(
                f"{type(self.game).__name__}.encode gives {encoded.dtype} of shape "
                f"{encoded.shape} for {state.state}, but {kind} of shape {shape} for the initial "
                "state: make them equal"
            )
        return encoded.astype(kind)

    def observe(self, state: NumberedState, viewer: int) -> NDArray[Any]:
        """Return a new array of a state; it is the same for both players."""
        return self.encode(state)

    def _numbered(self, state: Hashable, result: float) -> NumberedState:
        player = self.game.current_player(state)
        if player not in (1, 2):
            raise ValueError(
                f"in {state} it is the turn of {player!r}: in environments, the players must be 1 "
                "and 2"
            )
        return NumberedState(state, player, result)


def as_text(game: NumberedGame, state: NumberedState) -> str:
    """Write a state as text, for the render mode `ansi`."""
    return str(state)
