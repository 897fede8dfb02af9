"""Probability distributions over actions: what chance, or a model of an opponent, plays."""

from collections.abc import Iterable
from numbers import Real
from typing import Any

TOLERANCE = 1e-9
"""By how much the sum of probabilities may miss 1."""


def require_distribution(of: str, probabilities: Iterable[Any]) -> None:
    """Check that these are numbers of at least 0 that sum to 1.

    Args:
        of: whose probabilities they are; begins the message.
        probabilities: one for each action.

    Raises:
        ValueError: one is no number or negative, or they sum to something else.
    """
    total = 0.0
    for probability in probabilities:
        is_number = isinstance(probability, Real) and not isinstance(probability, bool)
        if not is_number or not 0 <= probability <= 1 + TOLERANCE:
            raise ValueError(
                f"{of} has the probability {probability!r}: a number from 0 to 1 is expected"
            )
        total += float(probability)
    if abs(total - 1.0) > TOLERANCE:
        raise ValueError(f"{of} has probabilities that sum to {total:.12g}: they must sum to 1")
