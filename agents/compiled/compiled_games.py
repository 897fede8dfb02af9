"""Which games the compiled searches play."""

from typing import TypeGuard

from envs.board_kernels import fits_in_word
from envs.connectx import ConnectFour, ConnectX


def is_compiled_game(env: object) -> TypeGuard[ConnectX]:
    """Whether `env` is ConnectX on a board that `fits_in_word`.

    A class that inherits ConnectX may have other rules: the references search it.
    """
    return (
        type(env) in (ConnectX, ConnectFour)
        and isinstance(env, ConnectX)
        and fits_in_word(env.rows, env.columns, env.inarow)
    )
