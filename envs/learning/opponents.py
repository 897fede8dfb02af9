"""The opponents in the environments: a single one, or one drawn from several."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from inspect import signature
from numbers import Real
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from envs.board import BoardGame, BoardState
from envs.compiled.jit import Words
from envs.compiled.random_stream import DRAWN_MASK, drawn_index, next_stream, random_action
from envs.learning.arguments import whole_number
from envs.learning.vector.vector_kernels import Bytes
from envs.protocol import illegal_action, is_number

Opponent = Callable[[BoardGame, BoardState], int]
"""Chooses the action of the player to move; every agent's `act` is such a function."""


class Actor(Protocol):
    """An object whose `act` is an `Opponent`, like every agent."""

    def act(self, env: Any, state: Any, /) -> Any:
        """Choose the action of the player to move."""


RANDOM = "random"  # plays random legal actions, drawn by the environment itself

MOST_WEIGHT = np.float64(1e300)  # the limit of an opponent's weight, which keeps sums finite

KAGGLE_ARGUMENTS = (
    "structify({'board': game.to_board(state), 'mark': state.player})",
    "structify({'rows': game.rows, 'columns': game.columns, 'inarow': game.inarow})",
)


def is_random(opponent: object) -> bool:
    """Whether the environment itself draws the opponent's actions."""
    return isinstance(opponent, str) and opponent == RANDOM


def require_opponent(opponent: str | Opponent | Actor | None, game: BoardGame) -> None:
    """Check that an opponent can be made and that it plays the game."""
    if opponent is not None and not is_random(opponent):
        play: Any = make_opponent(opponent, seed=0)
        _require_no_observation(play)
        agent: Any = getattr(play, "__self__", None)
        if hasattr(agent, "require_playable"):
            agent.require_playable(game)


def _require_no_observation(play: Opponent) -> None:
    """Refuse an agent for Kaggle or a policy, recognised by the name of its first argument."""
    names: list[str] = []
    with suppress(ValueError, TypeError):  # builtins may have no signature
        names = [*signature(play).parameters]
    if not names or not names[0].startswith("obs"):
        return
    if len(names) > len(KAGGLE_ARGUMENTS):
        raise ValueError(
            f"the opponent {play!r} takes observations: give a function (game, state) -> action "
            "that calls it, or in vector environments an object with choose_actions"
        )
    arguments = ", ".join(KAGGLE_ARGUMENTS[: len(names)])
    raise ValueError(
        f"the opponent {play!r} is an agent for Kaggle: after `from kaggle_environments.utils "
        f"import structify` give `lambda game, state: {getattr(play, '__name__', 'agent')}"
        f"({arguments})`"
    )


def make_opponent(opponent: str | Opponent | Actor, seed: int) -> Opponent:
    """Return the function that plays for an opponent.

    Args:
        opponent: the name of a registered agent, perhaps with options (`mcts:simulations=50`); or
            an agent or a function, used as it is.
        seed: seeds a named agent, if it has this option and `opponent` does not set it.

    Raises:
        ValueError: `opponent` is not a name, an agent or a function, or it names an unknown agent
            or option.
    """
    agent: Any = opponent
    if isinstance(opponent, str):
        agent = known_agents().agent_from_text(opponent, seed)
    if isinstance(agent, type):
        raise ValueError(f"the opponent is a class: give an agent, as in {agent.__name__}()")
    play: Opponent | None = getattr(agent, "act", agent if callable(agent) else None)
    if play is None:
        is_batch = isinstance(agent, BatchOpponent)
        why = ", whose choose_actions only vector environments of boards call" if is_batch else ""
        raise ValueError(
            f"the opponent is {opponent!r}{why}: give an agent or the name of one, a function "
            "(game, state) -> action, a list of such opponents, or None for self-play"
        )
    return play


def known_agents() -> Any:
    """Return `agents.registry`, imported on demand because the rules do not depend on agents."""
    return import_module("agents.registry")


def legal_answer(
    answer: Any, state: object, legal: Sequence[int], opponent: object, index: int | None = None
) -> int:
    """Return an opponent's answer as an action; if it is not legal, raise a ValueError.

    In a vector environment, the message also names the sub-environment at `index`.
    """
    try:
        action = whole_number(answer)
    except ValueError:
        action = None
    if action is not None and action in legal:
        return action
    place = "" if index is None else f"sub-environment {index}: "
    if action is not None:
        raise illegal_action(action, state, legal, opponent, place)
    raise ValueError(
        f"{place}the action of the opponent {opponent!r} must be a whole number, not {answer!r}"
    )


class Dice:
    """The random numbers of an environment: for seats, opponents and random actions."""

    def __init__(self, stream: int) -> None:
        self.stream = stream

    def player(self) -> int:
        """Draw 1 or 2, equally likely."""
        self.stream = next_stream(self.stream)
        return 1 + drawn_index(self.stream, 2)

    def member(self, mixture: "Mixture") -> int:
        """Draw an opponent of a mixture; return its number."""
        self.stream = next_stream(self.stream)
        return int(mixture.drawn(np.array([self.stream]))[0])

    def action(self, game: BoardGame, state: BoardState) -> int:
        """Draw a legal action, all equally likely."""
        legal = game.get_available_actions(state)
        action, self.stream = random_action(legal, game.action_count, self.stream)
        return action


@runtime_checkable
class BatchOpponent(Protocol):
    """Chooses actions in many games at once, as a network does."""

    def choose_actions(
        self, observations: Bytes, action_masks: Bytes, sub_environments: Words
    ) -> Words:
        """Choose the actions in all games in which the opponent is to move.

        Args:
            observations: planes of shape (n, 2, rows, columns), the opponent's stones first.
            action_masks: of shape (n, actions), 1 for each legal action.
            sub_environments: the numbers of the games, of shape (n,).

        Returns:
            A legal action for each game, of shape (n,).
        """


Member: TypeAlias = str | Opponent | Actor | BatchOpponent
AnyOpponent: TypeAlias = Member | Sequence[Member | tuple[Member, float]] | None
"""One opponent; a list of opponents, one of which is drawn for each game; or None for self-play."""


class Mixture(NamedTuple):
    """Opponents, one of which is drawn at the beginning of each game."""

    members: Sequence[Any]
    upto: NDArray[np.float64]  # cumulative probabilities of the members; the last is 1

    def drawn(self, streams: Words) -> Words:
        """Return the index of the member that each random stream draws."""
        draws = (streams & DRAWN_MASK) / (DRAWN_MASK + 1)
        return np.searchsorted(self.upto[:-1], draws, side="right")


def mixture_of(opponent: AnyOpponent) -> Mixture | None:
    """The mixture that a list of opponents describes; None if it is not a list.

    Raises:
        ValueError: the list is empty or contains None, or a weight is not a number above 0 or is so
            large that the sum could be infinite.
    """
    if not isinstance(opponent, list | tuple):
        return None
    pairs = [
        entry if isinstance(entry, list | tuple) and len(entry) == 2 else (entry, 1)
        for entry in opponent
    ]
    for member, weight in pairs:
        if not is_number(weight) or not 0 < weight <= MOST_WEIGHT:
            raise ValueError(
                f"the weight of {member!r} is {weight!r}: give a number above 0, at most "
                f"{MOST_WEIGHT:g}"
            )
        if member is None or isinstance(member, list | tuple | Real):
            raise ValueError(
                f"{member!r} is not an opponent for a list: write each as 'random' or as a pair of "
                "an opponent and its weight, as in ['greedy', ('random', 2)]"
            )
    if not pairs:
        raise ValueError("the list of opponents is empty: name at least one")
    weights = np.array([float(weight) for _, weight in pairs])
    return Mixture([member for member, _ in pairs], weights.cumsum() / weights.sum())
