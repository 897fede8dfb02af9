"""The common ground of all searches: the clock, variations, chance, random numbers."""

import random
from collections.abc import Callable, Iterable, Sequence
from math import inf
from time import perf_counter
from typing import Any

from envs.protocol import Action, GameOfChance

OnProgress = Callable[[int, int, str], None]
"""Takes the number done, the total, and a word on the present step."""


class TimeUp(Exception):
    """The search has used up its time."""


class Clock:
    """Runs from its creation to the shortest of the limits.

    Args:
        *time_limits: seconds each; None is no limit.
    """

    def __init__(self, *time_limits: float | None) -> None:
        self._seconds = min((limit for limit in time_limits if limit is not None), default=inf)
        self.restart()

    def restart(self) -> None:
        """Begin to run now, as if the clock had just been created."""
        self._start = perf_counter()
        self._end = self._start + self._seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the clock was created."""
        return perf_counter() - self._start

    @property
    def left(self) -> float:
        """Seconds until the time is up, at least 0; inf without a limit."""
        return max(0.0, self._end - perf_counter())

    def expired(self) -> bool:
        """Whether the time is up."""
        return perf_counter() >= self._end

    def check(self) -> None:
        """Let the search go on, or end it.

        Raises:
            TimeUp: the time is up.
        """
        if perf_counter() >= self._end:
            raise TimeUp


Variation = tuple[Any, Any] | None
"""An action and the variation that follows it; None is the empty one."""

Found = dict[Action, tuple[float, Variation]]
"""By examined action, in the order of the search: its value and the variation that follows it."""


def variation_actions(variation: Variation) -> tuple[Any, ...]:
    """The actions of a variation, in the order of play."""
    actions = []
    while variation is not None:
        action, variation = variation
        actions.append(action)
    return tuple(actions)


def possible_outcomes(env: Any, state: Any) -> dict[Any, float]:
    """The actions that chance can take in `state`, with their probabilities.

    Args:
        env: a `GameOfChance`; searches ask where `current_player` is `CHANCE`, and nowhere else.
        state: where chance decides.
    """
    game: GameOfChance[Any, Any] = env
    probabilities = game.chance_probabilities(state)
    return {action: probability for action, probability in probabilities.items() if probability}


def expected_value(values: Sequence[float], probabilities: Iterable[float]) -> float:
    """The mean of `values`, each weighted with its probability.

    Where all of them are wins the result is exactly 1.0, whatever the probabilities round to.
    """
    weights = list(probabilities)
    weighted = [weight * value for weight, value in zip(weights, values, strict=True)]
    return sum(weighted) / sum(weights)


def make_rng(seed: int | None) -> random.Random:
    """A generator of its own, so that no agent disturbs another.

    Args:
        seed: None draws the seed from Python's global generator; so `random.seed` makes a whole
            match of unseeded agents repeat.
    """
    return random.Random(random.getrandbits(64) if seed is None else seed)
