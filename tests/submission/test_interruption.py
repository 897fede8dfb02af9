"""Ctrl-C at any instant of a command: exit status 130, and no traceback."""

import subprocess
import sys

import pytest

from tests.helpers.signals import heed_signals
from tests.helpers.systems import needs_posix

PROGRAM = """
import atexit, signal, sys
sys.argv[1:] = ["agents"]
def press():
    signal.raise_signal(signal.SIGINT)
class Attribute:
    def __set_name__(self, owner, name): press()
class Goes:  # where Python raises nothing
    def __del__(self): press()
{interruption}
from submission.__main__ import main
main()
"""

LOADING = """
class Loading:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            {deed}
sys.meta_path.insert(0, Loading())
"""


def when_loaded(module: str, deed: str = "press()") -> str:
    """Press Ctrl-C, or do what does so, as a module is about to be loaded."""
    return LOADING.format(module=module, deed=deed)


MAKE_A_CLASS = "class Made: attribute = Attribute()"
INTERRUPTIONS = {
    "the first module": when_loaded("submission.cli"),
    "a library": when_loaded("typer.core"),
    "a module of the command": when_loaded("submission.cli.play"),
    "a class that is made": when_loaded("submission.cli", MAKE_A_CLASS),
    "a class of the command": when_loaded("submission.cli.play", MAKE_A_CLASS),
    "a finalizer": when_loaded("submission.cli.play", "Goes()"),
    "the end": 'sys.argv[1:] = ["--help"]\natexit.register(press)',
    "an error": 'sys.argv[1:] = ["play", "nobody"]\n' + when_loaded("rich.console"),
}


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
