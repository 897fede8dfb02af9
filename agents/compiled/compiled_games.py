"""The games that the compiled searches play."""

from typing import TypeGuard

from agents.compilation import Compilation
from envs.board_kernels import fits_in_word
from envs.connectx import ConnectX

RULES = (
    "initial_state",
    "current_player",
    "get_available_actions",
    "get_next_state",
    "reward",
)
"""Methods that a class must not override."""


def is_compiled_game(env: object) -> TypeGuard[ConnectX]:
    """Whether `env` is ConnectX on a board that `fits_in_word`.

    A class that inherits ConnectX and has other rules is searched by the references.
    """
    return (
        isinstance(env, ConnectX)
        and all(getattr(type(env), rule) is getattr(ConnectX, rule) for rule in RULES)
        and fits_in_word(env.rows, env.columns, env.inarow)
    )


def runs_compiled(engine: str, able: bool, compilation: Compilation, requirement: str) -> bool:
    """Tell whether a search runs compiled now, and compile it if need be.

    Args:
        engine: one of `agents.options.ENGINES`.
        able: whether the compiled search knows the game and what it is handed.
        compilation: of that search.
        requirement: what it must be handed, for the message.

    Raises:
        ValueError: the compiled engine is asked for and cannot search.
    """
    if engine == "reference":
        return False
    if able and compilation.is_ready():
        return True
    if engine == "compiled" and (not able or compilation.has_failed()):
        raise ValueError(
            "the compiled engine needs Numba, ConnectX on a board of at most 64 bits, and "
            f"{requirement}: choose engine auto or reference"
        )
    return False
