"""The protocol between a game and a search: all that an agent may use of an environment."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Protocol, TypeGuard, TypeVar

State = TypeVar("State", bound=Hashable)
Action = TypeVar("Action", bound=Hashable)

CHANCE = 0  # the player to move in states where chance decides; only games of chance have these


class Env(Protocol[State, Action]):
    """The rules of a two-player zero-sum game of perfect information.

    An environment stores no position: each method is a pure function of the given state. States
    are immutable and hashable; two states are equal exactly when the game continues from both in
    the same way. The game ends, whatever is played: no time limit interrupts a rollout. The
    environment defines the dynamics and the winner, and a search uses nothing else of the game, as
    in G. Crassous, "Tree Search algorithms for solving games".
    """

    def initial_state(self) -> State:
        """Return the state before the first ply."""

    def current_player(self, state: State) -> int:
        """Return the player to move: 1 (who maximises the value) or 2 (who minimises it)."""

    def get_available_actions(self, state: State) -> Sequence[Action]:
        """Return the legal actions, in a fixed order; empty exactly when the game is over."""

    def get_next_state(self, state: State, action: Action) -> State:
        """Return the state after `action`.

        Raises:
            ValueError: the action is illegal; the message names it, the state and the legal ones.
        """

    def reward(self, state: State, action: Action) -> float:
        """Return the reward for playing `action` in `state`, from player 1's view, in [-1, 1].

        +1 when player 1 has just won, -1 when player 2 has, 0 otherwise; a game with more than
        three outcomes may end with a value in between. Only an action that ends the game has a
        reward other than 0, so the reward of the last action is the value of the whole game.

        Raises:
            ValueError: the action is illegal, as for `get_next_state`.
        """


class GameOfChance(Env[State, Action], Protocol[State, Action]):
    """A game with states in which chance decides: there `current_player` is `CHANCE`."""

    def chance_probabilities(self, state: State) -> Mapping[Action, float]:
        """Return the probability of each action of a chance state; they sum to 1."""


def is_number(value: object) -> TypeGuard[float]:
    """Return whether `value` is a real number; True and False do not count."""
    return isinstance(value, float) or (isinstance(value, Real) and not isinstance(value, bool))


def require_count(name: str, count: object) -> int:
    """Return a count of at least 1, which may be a NumPy integer, as a plain integer."""
    return whole_from(1, count, f"{name} must be")


def whole_from(least: int, number: object, what: str) -> int:
    """Return a number of at least `least` as a plain integer; `what` starts the error message."""
    if not isinstance(number, Integral) or isinstance(number, bool) or number < least:
        raise ValueError(f"{what} a whole number of at least {least}, not {number!r}")
    return int(number)


def illegal_action(
    action: object,
    state: object,
    legal: Collection[object],
    opponent: object = None,
    place: str = "",
) -> ValueError:
    """Make the error for an illegal action, which `opponent` played if one is given."""
    whose = "" if opponent is None else f"the opponent {opponent!r} plays an "
    return ValueError(f"{place}{whose}illegal action {action!r} in {state}: {legal_advice(legal)}")


def require_sequence(state: object, actions: object) -> None:
    """Check that the actions of a state are a list or a tuple, not an iterator, an array or a set.

    Raises:
        ValueError: they are not.
    """
    if not isinstance(actions, Sequence):
        raise ValueError(
            f"get_available_actions({state}) is {actions!r:.60}: return a list or a tuple"
        )


def require_hashable(what: str, thing: object) -> None:
    """Check that a state or actions can be hashed; `what` starts the error message.

    Raises:
        ValueError: they cannot.
    """
    try:
        hash(thing)
    except TypeError as error:
        raise ValueError(
            f"{what} {thing!r:.60} cannot be hashed: write numbers, texts and tuples, not lists or "
            "arrays"
        ) from error


def require_player(game: object, state: object, player: object) -> None:
    """Check the player to move.

    Raises:
        ValueError: it is not 1, 2 or `CHANCE`, or chance has no probabilities in this game.
    """
    if player == CHANCE and not hasattr(game, "chance_probabilities"):
        raise ValueError(
            f"current_player({state}) is 0, which means chance, but there are no "
            "chance_probabilities: add them, or number the players 1 and 2"
        )
    if player not in (CHANCE, 1, 2):
        raise ValueError(f"current_player({state}) is {player!r}, not 1 or 2")


def class_advice(rules: type) -> str:
    """Return the message that a class was given in place of a game."""
    return f"{rules.__name__} is a class: give a game, as in {rules.__name__}()"


def legal_advice(legal: Collection[object]) -> str:
    """Return the end of an error message, which lists the legal actions."""
    return f"legal: {', '.join(map(str, legal))}" if legal else "the game is over"


TOLERANCE = 1e-9  # the most by which a sum of probabilities may miss 1


def require_distribution(of: str, probabilities: Iterable[Any]) -> None:
    """Check that probabilities are numbers of at least 0 that sum to 1.

    `of` names what the probabilities belong to; it starts the error message.

    Raises:
        ValueError: one is not a number or is negative, or they do not sum to 1.
    """
    total = 0.0
    for probability in probabilities:
        if not is_number(probability) or not 0 <= probability <= 1 + TOLERANCE:
            raise ValueError(
                f"{of} has the probability {probability!r}: a number from 0 to 1 is expected"
            )
        total += float(probability)
    if abs(total - 1.0) > TOLERANCE:
        raise ValueError(f"{of} has probabilities that sum to {total:.12g}: they must sum to 1")
