"""The late and silent import of kaggle_environments (only here), and the upload command."""

import contextlib
import io
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from types import ModuleType
from typing import Any

DONE = "DONE"  # Kaggle's status of a seat that played to the end of the game


class Referee(StrEnum):
    """The environments of kaggle-environments that can referee games, by their names there."""

    CONNECTX = "connectx"
    OPEN_SPIEL_CONNECT_FOUR = "open_spiel_connect_four"
    OPEN_SPIEL_TIC_TAC_TOE = "open_spiel_tic_tac_toe"

    @classmethod
    def _missing_(cls, value: Any) -> None:
        from agents.options import require_one_of  # late: a player's process has no agents

        require_one_of("referee", value, tuple(cls))

    @property
    def is_open_spiel(self) -> bool:
        """Whether it is one of OpenSpiel's, which take actions of another form."""
        return self is not Referee.CONNECTX

    @property
    def game(self) -> str:
        """The game's name in `envs.games.GAMES`."""
        return "tictactoe" if self is Referee.OPEN_SPIEL_TIC_TAC_TOE else "connectx"

    @property
    def built_in_agents(self) -> tuple[str, ...]:
        """The names of the agents that come with it."""
        return ("random",) if self.is_open_spiel else BUILT_IN_AGENTS

    @property
    def bank(self) -> float:
        """Seconds by which the moves of a seat may exceed their limits, in a whole game."""
        return OPEN_SPIEL_BANK if self.is_open_spiel else BANK


BUILT_IN_AGENTS = ("negamax", "random")  # those that come with Kaggle's ConnectX

BANK, OPEN_SPIEL_BANK = 60, 12  # seconds, in ConnectX and in OpenSpiel's environments

ONE_AT_A_TIME = Lock()
"""Held by the thread that uses the state shared by the process: the output that Kaggle's code
catches, and the global random numbers."""

IMPORTING = Lock()
"""Held while the import's output is caught: another thread would restore the wrong streams."""

INSTALLATION = (
    "run `{pip} install jsonschema requests` and then "
    "`{pip} install --no-deps kaggle-environments` (185 MB; its full dependencies take 1.6 GB)"
)


@cache
def kaggle_environments() -> ModuleType:
    """Import kaggle_environments without the lines that its other games print.

    Raises:
        ModuleNotFoundError: it is missing; the message has the commands that install it.
    """
    with (
        IMPORTING,
        grammar_put_off(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        try:
            import kaggle_environments
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"kaggle-environments is not installed: {INSTALLATION.format(pip='pip')} ({error})"
            ) from error
    module: ModuleType = kaggle_environments
    return module


@contextlib.contextmanager
def grammar_put_off() -> Iterator[None]:
    """Make jsonschema load its IRI grammar when it checks an IRI, not when it is imported.

    Loading takes about two seconds in every process that plays. JupyterLab installs the grammar;
    Kaggle's schemas use no IRIs.
    """
    grammar = "rfc3987_syntax"
    if grammar in sys.modules or find_spec(grammar) is None:
        yield
        return
    later = ModuleType(grammar)
    later.is_valid_syntax = lambda *asked: import_module(grammar).is_valid_syntax(*asked)  # type: ignore[attr-defined]
    sys.modules[grammar] = later
    try:
        yield
    finally:
        del sys.modules[grammar]


def environment_of(referee: Referee) -> Mapping[str, Any]:
    """The referee's parts in kaggle_environments: `specification`, `agents` and more.

    Raises:
        ModuleNotFoundError: kaggle_environments or OpenSpiel is missing; says how to install it.
    """
    environments: Mapping[str, Mapping[str, Any]] = kaggle_environments().environments
    if referee not in environments:
        raise ModuleNotFoundError(
            f"{referee} needs OpenSpiel, which is not installed here: install the extra "
            '`open-spiel` by `pip install -e ".[open-spiel]"`'
        )
    return environments[referee]


def upload_command(file: str, message: str) -> str:
    """The command of Kaggle's own client that submits a file to the ConnectX competition."""
    # A name that begins with a dash would be read as an option.
    path = f"./{file}" if file.startswith("-") else file
    word = subprocess.list2cmdline([path]) if sys.platform == "win32" else shlex.quote(path)
    return f'kaggle competitions submit -c connectx -f {word} -m "{message}"'
