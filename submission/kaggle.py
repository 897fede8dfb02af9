"""The one door to kaggle_environments: imported late, quietly, with advice if it is missing."""

import contextlib
import io
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


@cache
def kaggle_environments() -> ModuleType:
    """Import kaggle_environments, whose other games print lines that concern nobody here.

    Raises:
        ModuleNotFoundError: with the commands that install it, where it is missing.
    """
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            import kaggle_environments
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(f"{INSTALL_HINT} ({error})") from error
    module: ModuleType = kaggle_environments
    return module
