"""Checks of arguments that the environments share."""

from collections.abc import Sequence
from operator import index
from typing import SupportsIndex

ILLEGAL = ("loss", "raise")
"""What an illegal action does: it loses the game, or it is a ValueError."""


def require_choice(name: str, choice: object, known: Sequence[object]) -> None:
    """Check an argument that is one of a few.

    Raises:
        ValueError: it is none of them; the message lists them.
    """
    if choice not in known:
        raise ValueError(f"{name} is {choice!r}: choose one of {', '.join(map(str, known))}")


def whole_number(action: SupportsIndex) -> int:
    """An action as a plain integer: of Python, of NumPy, or an array of a single one.

    Raises:
        ValueError: it is no whole number.
    """
    try:
        return index(action)
    except TypeError:
        raise ValueError(f"an action is a whole number, not {action!r}") from None
