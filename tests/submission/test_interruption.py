"""Ctrl-C at any instant of a command: exit status 130, and no traceback."""

import subprocess
import sys

import pytest

from tests.helpers.signals import heed_signals
from tests.helpers.systems import needs_posix

WHILE_LOADING = """
class Interrupting:
    "Presses Ctrl-C as a module is about to be loaded."
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
"""

IN_A_CLASS = """
class Interrupting:
    "Presses Ctrl-C as it becomes an attribute of a class."
    def __set_name__(self, owner, name):
        signal.raise_signal(signal.SIGINT)
class Loading:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            class Loaded: attribute = Interrupting()
sys.meta_path.insert(0, Loading())
"""

IN_A_FINALIZER = """
class Interrupting:
    "Presses Ctrl-C as it goes, where Python raises nothing."
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
class Loading:
    def find_spec(self, name, path=None, target=None):
        if name == "submission.cli.play":
            Interrupting()
sys.meta_path.insert(0, Loading())
"""

AT_THE_END = """
sys.argv[1:] = ["--help"]
atexit.register(signal.raise_signal, signal.SIGINT)
"""

WHILE_AN_ERROR_IS_TOLD = """
sys.argv[1:] = ["play", "nobody"]
""" + WHILE_LOADING.format(module="rich.console")

INTERRUPTIONS = {
    "the first module": WHILE_LOADING.format(module="submission.cli"),
    "a library": WHILE_LOADING.format(module="typer.core"),
    "a module of the command": WHILE_LOADING.format(module="submission.cli.play"),
    "a class that is made": IN_A_CLASS.format(module="submission.cli"),
    "a class of the command": IN_A_CLASS.format(module="submission.cli.play"),
    "a finalizer": IN_A_FINALIZER,
    "the end": AT_THE_END,
    "an error": WHILE_AN_ERROR_IS_TOLD,
}

PROGRAM = """
import atexit, signal, sys
sys.argv[1:] = ["agents"]
{interruption}
from submission.__main__ import main
main()
"""


@needs_posix
@pytest.mark.parametrize("instant", INTERRUPTIONS)
def test_ctrl_c_ends_a_command_at_any_instant(instant: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(interruption=INTERRUPTIONS[instant])],
        capture_output=True,
        text=True,
        preexec_fn=heed_signals,
    )
    assert ended.returncode == 130, ended.stderr
    assert ended.stderr.count("\n") <= 1, ended.stderr
    assert "Traceback" not in ended.stderr
