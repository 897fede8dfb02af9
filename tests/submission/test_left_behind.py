"""Commands that run strangers' files leave nothing behind, however they are ended."""

import signal
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.helpers.clocks import wait_until
from tests.helpers.processes import is_gone, noted, running_command, survivors
from tests.helpers.systems import needs_posix, needs_throttling

LASTING = """
import os, time
if not os.fork():
    os.setsid()
with open({noted!r}, "a") as file:
    print(os.getpid(), file=file)
while True:
    time.sleep({seconds})
"""

ENDINGS = [
    ("check {file}", 4, "SIGTERM"),
    pytest.param("check {file} --speed 0.05", 4, "SIGKILL", marks=needs_throttling),
    ("evaluate {file} --against random --workers 1", 2, "SIGKILL"),
    ("ladder {file} random --workers 1", 2, "SIGINT"),
]
"""A command, how many processes of the submission it runs at a time, which are two in each game,
and the signal that ends it. Any other command and signal share all that ends them with these."""


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder in which submissions may write."""
    with TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


@needs_posix
@pytest.mark.parametrize(("command", "processes", "name"), ENDINGS)
def test_nothing_is_left_behind(
    command: str, processes: int, name: str, tmp_path: Path, shared: Path
) -> None:
    temporary, file = tmp_path / "temporary", tmp_path / "loop.py"
    temporary.mkdir()
    # Who sleeps is not slowed down: there the submission keeps a core busy, and is stopped.
    seconds = 0 if "--speed" in command else 1
    file.write_text(LASTING.format(noted=str(shared / "pids"), seconds=seconds))
    words = [word.format(file=file) for word in command.split()]
    with running_command(*words, TMPDIR=str(temporary)) as running:
        pids = noted(shared / "pids", processes, seconds=60)
        assert not any(map(is_gone, pids))
        assert survivors(str(temporary))
        running.send_signal(getattr(signal, name))
        assert running.wait(60) != 0
    wait_until(lambda: not [*survivors(str(temporary)), *temporary.iterdir()], 20)
    assert all(map(is_gone, pids))
