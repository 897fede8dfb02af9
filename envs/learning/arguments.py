"""Checks of arguments that the environments share."""

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, SupportsIndex

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
    """An action as a plain integer: of Python, of NumPy, or an array without dimensions.

    Raises:
        ValueError: it is no whole number.
    """
    try:
        return index(action)
    except TypeError:
        raise ValueError(f"an action is a whole number, not {action!r}") from None


def moves_of_reset(options: Mapping[str, Any] | None) -> str:
    """The move string of the options of a reset, "" where there is none.

    Raises:
        ValueError: another option, or moves that are no text.
    """
    options = options or {}
    for option in options:
        if option != "moves":
            raise ValueError(f"unknown option {option!r} of reset: the only one is 'moves'")
    return require_moves(options.get("moves", ""))


def require_moves(moves: object) -> str:
    """The move string, checked to be one.

    Raises:
        ValueError: it is no text.
    """
    if not isinstance(moves, str):
        raise ValueError(f"the moves are {moves!r}: write them as a text, as in '4453'")
    return moves
