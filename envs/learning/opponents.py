"""Whom the learner plays against inside an environment."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from envs.board import BoardGame, BoardState
from envs.learning.observations import action_count
from envs.random_stream import drawn_index, next_stream, random_action

Opponent = Callable[[BoardGame, BoardState], int]
"""Chooses the action of the player whose turn it is; every agent's `act` is such a function."""

RANDOM = "random"
"""The opponent whose legal actions come from the environment's own random numbers."""


def make_opponent(opponent: str | Opponent, seed: int) -> Opponent:
    """The function that plays for an opponent.

    Args:
        opponent: a registered agent, with options if need be (`mcts:simulations=50`); or a function
            that is taken as it is.
        seed: of the agent's random numbers, where it has such an option and is given none.

    Raises:
        ValueError: neither a name nor a function, an unknown agent, or an option that it has not.
    """
    if callable(opponent):
        return opponent
    if not isinstance(opponent, str):
        raise ValueError(
            f"the opponent is {opponent!r}: give the name of an agent, a function "
            "(game, state) -> action such as an agent's `act`, or None for self-play"
        )
    # Late and by name: the rules know no agent, and who plays without one loads none.
    agents: Any = import_module("agents.specification")
    play: Opponent = agents.agent_from_text(opponent, seed).act
    return play


class Dice:
    """The random numbers of an environment: seats, and the actions of the random opponent.

    Args:
        stream: where they begin, as `envs.random_stream` has it.
    """

    def __init__(self, stream: int) -> None:
        self.stream = stream

    def player(self) -> int:
        """1 or 2, equally likely."""
        self.stream = next_stream(self.stream)
        return 1 + drawn_index(self.stream, 2)

    def action(self, game: BoardGame, state: BoardState) -> int:
        """A legal action, all equally likely."""
        legal = game.get_available_actions(state)
        action, self.stream = random_action(legal, action_count(game), self.stream)
        return action
