"""How agents declare and check their options."""

from collections.abc import Callable, Mapping
from dataclasses import field
from math import inf
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def option(default: Any, help_text: str) -> Any:
    """A dataclass field with a default and a line of help."""
    return field(default=default, metadata={"help": help_text})


def choose(name: str, choice: str | Function, known: Mapping[str, Function]) -> Function:
    """The function that an option names, or the function itself where one is handed in.

    Raises:
        ValueError: no function of that name; the message lists the known ones.
    """
    if callable(choice):
        return choice
    if choice not in known:
        raise ValueError(f"unknown {name} {choice!r}: choose one of {', '.join(known)}")
    return known[choice]


def require_at_least(name: str, number: float | None, least: float) -> None:
    """Check a limit; None is no limit.

    Raises:
        ValueError: `number` is below `least`, or not finite.
    """
    if number is not None and not least <= number < inf:
        expected = "finite" if number == inf else f"at least {least}"
        raise ValueError(f"{name} must be {expected}, not {number!r}")
