"""What searches ask where chance decides, or a player whose choice is only likely."""

from collections.abc import Iterable, Sequence
from typing import Any

from envs.protocol import GameOfChance


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
