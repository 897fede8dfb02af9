"""How a person names moves: counted from 1, as columns or as cells."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from envs.board import BoardGame, BoardState
from envs.connectx import ConnectX


class Word(StrEnum):
    """What a person can type instead of a move."""

    UNDO = "undo"
    VALUES = "values"
    HINT = "hint"
    HELP = "help"
    QUIT = "quit"


class Places(NamedTuple):
    """What the stones of a game are put on."""

    name: str
    """Of one place."""
    last: int
    """The highest number of one; the lowest is 1."""
    used_up: str
    """What a place is where no stone can go."""


def places(env: BoardGame) -> Places:
    """The columns of ConnectX, or the cells of other boards."""
    if isinstance(env, ConnectX):
        return Places("column", env.columns, "full")
    return Places("cell", env.rows * env.columns, "taken")


def read_move(env: BoardGame, state: BoardState, text: str) -> int | Word:
    """The legal action, counted from 0, or the word that a person has typed.

    Raises:
        ValueError: neither; the message says why, and lists the legal moves.
    """
    typed = text.strip().lower()
    if typed in list(Word):
        return Word(typed)
    name, last, used_up = places(env)
    legal = env.get_available_actions(state)
    advice = f"type one of {numbers(legal)}, or help"
    if not typed:
        raise ValueError(f"nothing was typed: {advice}")
    if not (typed.isascii() and typed.isdigit()):
        raise ValueError(f"{typed!r} is neither a {name} nor a command: {advice}")
    action = {str(action + 1): action for action in range(last)}.get(typed.lstrip("0"))
    if action is None:
        raise ValueError(f"there is no {name} {typed}: {advice}")
    if action not in legal:
        raise ValueError(f"{name} {typed} is {used_up}: {advice}")
    return action


def numbers(actions: Iterable[int]) -> str:
    """Actions as a person counts them: `1, 2, 5`."""
    return ", ".join(str(action + 1) for action in actions)
