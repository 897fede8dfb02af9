"""How agents declare and check their options."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, field
from math import inf
from pathlib import Path
from typing import Any, TypeVar

Chosen = TypeVar("Chosen", bound=Callable[..., Any])

ENGINES = ("auto", "compiled", "reference")
"""By what a search runs: compiled code, plain Python, or the faster one that knows the game."""


def option(default: Any, help_text: str) -> Any:
    """A dataclass field with a default and a line of help."""
    return field(default=default, metadata={"help": help_text})


def file_option(help_text: str, default: Any = MISSING) -> Any:
    """A dataclass field for a data file of the agent's.

    Its type is `str | bytes`, or that and None: the path, or what the file holds. The bundler puts
    the latter in the place of the former, so that a submission needs no file beside it.
    """
    return field(default=default, metadata={"help": help_text, "is_file": True})


def file_content(file: str | bytes) -> bytes:
    """What the file of a `file_option` holds.

    Raises:
        OSError: it cannot be read.
    """
    if isinstance(file, bytes):
        return file
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise OSError(
            f"cannot read {file} ({error.strerror}): give the path of a file that can be read"
        ) from error


def choose(name: str, choice: str | Chosen, known: Mapping[str, Chosen]) -> Chosen:
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


def require_engine(engine: str) -> None:
    """Check the name of an engine.

    Raises:
        ValueError: no engine has this name; the message lists the known ones.
    """
    if engine not in ENGINES:
        raise ValueError(f"unknown engine {engine!r}: choose one of {', '.join(ENGINES)}")
