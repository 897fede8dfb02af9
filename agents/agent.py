"""The interface of agents, the results of their searches, and the tools that all searches share.

The tools are the clock, variations, chance and random numbers.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from sys import float_info
from time import perf_counter
from typing import Any, ClassVar, Generic, NamedTuple

from envs.board import BoardGame, BoardState
from envs.protocol import (
    CHANCE,
    Action,
    Env,
    GameOfChance,
    State,
    class_advice,
    is_number,
    require_distribution,
    require_hashable,
    require_player,
    require_sequence,
)


@dataclass(frozen=True)
class SearchResult(Generic[Action]):
    """The result of a search. Values are from player 1's view, in [-1, 1].

    An estimate lies strictly between -1 and 1 and may be 0, which is a draw only if `proven`.
    """

    action: Action
    """The action to play."""
    value: float
    """The value of the state; 0.0 from agents that estimate nothing."""
    proven: bool = field(default=False, kw_only=True)
    """Whether `value` is exact: the value under perfect play, or against expectimax's model."""
    principal_variation: tuple[Action, ...] = ()
    """The line of play that the search expects, `action` first."""
    action_values: Mapping[Action, float] = field(default_factory=dict)
    """The value of each examined action; the agent's docstrings say how exact they are."""
    nodes: int = 0
    """States visited."""
    simulations: int = 0
    """Simulations run (Monte Carlo searches only)."""
    depth: int | None = None
    """Plies that the search looked ahead on every line; None for searches without such a depth."""
    elapsed: float = 0.0
    """Seconds that the search took."""
    engine: str = "reference"
    """`reference`, which is plain Python, or `compiled`."""


class Agent(ABC):
    """Chooses actions in any game that implements `Env`.

    An agent may keep its tree or table for the next move, so each thread needs an agent of its own.
    An agent is a dataclass of JSON-able options; `agents.options.option` declares an option.
    """

    unlimited: ClassVar[Mapping[str, Any]] = {}
    """The options with which the agent uses all the time that it is given; empty if it cannot."""
    quick: ClassVar[Mapping[str, Any]] = {}
    """The options with which the agent moves in a few milliseconds, for tests and for opponents in
    environments; empty if its defaults are fast enough."""
    compiling_share: ClassVar[float] = 0.25
    """Share of a match's time bank that may be spent waiting for a compiled search."""

    @abstractmethod
    def search(
        self, env: Env[State, Action], state: State, time_limit: float | None = None
    ) -> SearchResult[Action]:
        """Search `state` for the best action of the player whose turn it is.

        Args:
            env: the rules.
            state: where to search from.
            time_limit: seconds, in addition to the agent's own limits.

        Raises:
            ValueError: the game is over in `state`, or chance decides there.
        """

    def compile(self, env: Env[Any, Any]) -> None:  # noqa: B027  # most agents have nothing to do
        """Compile the search for this game, if possible; see `agents.compiled.compilation`."""

    def require_playable(self, env: Env[Any, Any]) -> None:  # noqa: B027  # most play every game
        """Raise ValueError for a game that the options of the agent do not fit."""

    def bank_share(self, env: Env[Any, Any]) -> float:
        """Share of a match's time bank that one move may take, from 0 to 1.

        Above 0 for agents whose search ends on its own and is worth the wait.
        """
        return 0.0

    def act(self, env: Env[State, Action], state: State, time_limit: float | None = None) -> Action:
        """The action that `search` chooses."""
        return self.search(env, state, time_limit).action


def legal_actions(env: Env[State, Action], state: State) -> tuple[Action, ...]:
    """The legal actions of a state in which a player is to move.

    Raises:
        ValueError: the game is over, or chance decides; it is no state of the game, or `env` is no
            game; or the game breaks the protocol: by actions in no list or tuple, by what cannot
            be hashed, or by other players than 1 and 2.
    """
    if isinstance(env, type):
        raise ValueError(class_advice(env))
    if not hasattr(env, "get_available_actions"):
        raise ValueError(
            f"{env!r:.60} has no get_available_actions: give a game, or the `unwrapped` of a "
            "Gymnasium environment"
        )
    if isinstance(env, BoardGame) and not isinstance(state, BoardState):
        raise ValueError(
            f"{state!r:.60} is not a state of {env!r}: make one by its from_board(board), or by "
            "state_from_moves(game, moves)"
        )
    require_hashable("the state", state)
    given = env.get_available_actions(state)
    require_sequence(state, given)
    actions = tuple(given)
    require_hashable("a legal action among", actions)
    if not actions:
        raise ValueError(f"the game is over in {state}: there is nothing to search")
    player = env.current_player(state)
    require_player(env, state, player)
    if player == CHANCE:
        raise ValueError(f"chance decides in {state}: draw an outcome and search what follows it")
    return actions


def is_value(number: Any) -> bool:
    """Whether this is a number from -1 to 1."""
    try:
        is_within: bool = -1.0 <= number <= 1.0
    except TypeError:
        return False
    return is_within


def final_reward(env: Env[State, Action], state: State, action: Action) -> float:
    """The reward of an action that ends the game, from player 1's view.

    Raises ValueError if it is not a number from -1 to 1: a search could not recognise a win.
    """
    reward = env.reward(state, action)
    try:  # as `is_value`, but without a call for each end of a game
        if -1.0 <= reward <= 1.0:
            return reward
    except TypeError:  # not a number
        pass
    raise ValueError(
        f"the reward of {action!r} in {state} is {reward!r}: scale rewards to [-1, 1], where "
        "1 is a win of player 1"
    )


def player_sign(env: Env[State, Action], state: State) -> int:
    """+1 where player 1 is to move, -1 where player 2 is, 0 where chance decides."""
    player = env.current_player(state)
    return 0 if player == CHANCE else 1 if player == 1 else -1


OnProgress = Callable[[int, int, str], None]
"""Takes the number done, the total, and a description of the current step."""


class TimeUp(Exception):
    """The search has used up its time."""


class Clock:
    """Measures time from its start to the shortest of some limits, in seconds; None is no limit.

    Raises ValueError if one is no number, or nan: the time would never be up.
    """

    def __init__(self, *time_limits: float | None) -> None:
        limits = [limit for limit in time_limits if limit is not None]
        for limit in limits:
            if not (is_number(limit) and limit <= inf):
                raise ValueError(
                    f"a time limit must be a number of seconds, not {limit!r}: None is no limit"
                )
        self._seconds = min((min(limit, float_info.max) for limit in limits), default=inf)
        self.restart()

    def restart(self) -> None:
        """Start again from 0, as if the clock had just been created."""
        self._start = perf_counter()
        self._end = self._start + self._seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the clock was created or restarted."""
        return perf_counter() - self._start

    @property
    def left(self) -> float:
        """Seconds until the time is up, at least 0; inf without a limit."""
        return max(0.0, self._end - perf_counter())

    def expired(self) -> bool:
        """Whether the time is up."""
        return perf_counter() >= self._end

    def check(self) -> None:
        """Raise `TimeUp` if the time is up."""
        if perf_counter() >= self._end:
            raise TimeUp


Variation = tuple[Any, Any] | None
"""An action and the variation that follows it; None is the empty one."""


class Finding(NamedTuple):
    """The result of a search for one action or state. Values are player 1's, in [-1, 1].

    The value comes from look-ahead and may rest on guesses. The bounds rest only on ends of the
    game: the true value lies between them, whatever is beyond the horizon, and so does `value`.
    """

    value: float
    low: float  # the true value is at least this; -1 where nothing is known
    high: float  # the true value is at most this; 1 where nothing is known
    variation: Variation = None  # the line of play that the search expects

    def assured(self, sign: int) -> float:
        """The proven minimum for the player with this sign (+1: player 1), from their view."""
        return self.low if sign == 1 else -self.high

    def possible(self, sign: int) -> float:
        """The maximum still possible for the player with this sign, from their view."""
        return self.high if sign == 1 else -self.low


UNKNOWN = Finding(0.0, -1.0, 1.0)  # the finding for an action that was not examined

Found = dict[Action, Finding]  # by examined action, in the order of the search

BackedUp = tuple[float, float, float, Variation]
"""The fields of a `Finding`, as a recursion returns them: plain tuples are faster to make."""


def mean(findings: Sequence[BackedUp], probabilities: Iterable[float]) -> BackedUp:
    """The finding that a chance node backs up: the expected value and its bounds."""
    weights = list(probabilities)
    values, lows, highs, _ = zip(*findings, strict=True)
    value, low, high = (expected_value(each, weights) for each in (values, lows, highs))
    return value, low, high, None


def variation_actions(variation: Variation) -> tuple[Any, ...]:
    """The actions of a variation, in the order of play."""
    actions = []
    while variation is not None:
        action, variation = variation
        actions.append(action)
    return tuple(actions)


def possible_outcomes(env: Any, state: Any) -> dict[Any, float]:
    """The actions that chance can take in a state of a `GameOfChance`, with their probabilities.

    Raises ValueError if there are none, one is not a number from 0 to 1, or they do not sum to 1.
    """
    game: GameOfChance[Any, Any] = env
    require_player(game, state, CHANCE)
    probabilities = game.chance_probabilities(state)
    require_distribution(f"chance in {state}", probabilities.values())
    return {action: probability for action, probability in probabilities.items() if probability}


def expected_value(values: Sequence[float], probabilities: Iterable[float]) -> float:
    """The mean of `values`, each weighted with its probability.

    If all of them are wins the result is exactly 1.0, however the probabilities are rounded.
    """
    weights = list(probabilities)
    weighted = [weight * value for weight, value in zip(weights, values, strict=True)]
    return sum(weighted) / sum(weights)


def make_rng(seed: int | None) -> random.Random:
    """A separate random generator, so that no agent disturbs another.

    Without a seed one is drawn from Python's global generator, so that `random.seed` makes a match
    of unseeded agents repeatable.
    """
    return random.Random(random.getrandbits(64) if seed is None else seed)
