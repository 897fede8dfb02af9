"""Kaggle: the one door to kaggle_environments, imported late and quietly, and the way to upload."""

import contextlib
import io
import shlex
from functools import cache
from threading import Lock
from types import ModuleType

DONE = "DONE"
"""Kaggle's status of a seat that played to the end of the game."""

BUILT_IN_AGENTS = ("negamax", "random")
"""Names of the agents that come with Kaggle's ConnectX environment."""

ONE_AT_A_TIME = Lock()
"""Held while Kaggle's code catches the output of the whole process: threads take turns."""

INSTALLATION = (
    "run `{pip} install jsonschema requests` and then "
    "`{pip} install --no-deps kaggle-environments` (185 MB; its full dependencies take 1.6 GB)"
)

INSTALL_HINT = f"kaggle-environments is not installed: {INSTALLATION.format(pip='pip')}"


_one_import_at_a_time = Lock()


@cache
def kaggle_environments() -> ModuleType:
    """Import kaggle_environments, whose other games print lines that concern nobody here.

    Raises:
        ModuleNotFoundError: with the commands that install it, where it is missing.
    """
    with (
        _one_import_at_a_time,  # or the output of the process would stay redirected
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        try:
            import kaggle_environments
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(f"{INSTALL_HINT} ({error})") from error
    module: ModuleType = kaggle_environments
    return module


def upload_command(file: str, message: str) -> str:
    """The command of Kaggle's own client that submits a file to the ConnectX competition."""
    # A name that begins with a dash would be read as an option.
    path = f"./{file}" if file.startswith("-") else file
    return f'kaggle competitions submit -c connectx -f {shlex.quote(path)} -m "{message}"'
