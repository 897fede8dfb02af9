"""Paths at which no file can be read or written: one sentence each, and nobody waits."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agents.reporting.input_file import read_content
from agents.reporting.output_file import growing_file, held, replace_content, require_writable
from submission.cli.arguments import require_distinct
from submission.executors import work
from submission.executors.local_workers import local_executor
from tests.helpers.clocks import ends_within
from tests.helpers.shell import Shell
from tests.helpers.systems import needs_posix

pytestmark = needs_posix


@pytest.fixture(autouse=True)
def nothing_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In an empty folder, fail instead of waiting for the other end of a named pipe."""
    monkeypatch.chdir(tmp_path)
    with ends_within(60, waiting=True):
        yield


def odd_path(kind: str) -> Path:
    """A path, in the current folder, at which no file can be written or read."""
    path = Path(kind)
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "loop":
            path.symlink_to("other")
            Path("other").symlink_to(path)
        case "link-to-pipe":
            os.mkfifo("there")
            path.symlink_to("there")
        case "chain":
            for number in range(2000):
                Path(f"{number}").symlink_to(f"{number + 1}")
            return Path("0")
        case "folder":
            path.mkdir()
        case "beneath-a-file":
            Path("file").touch()
            return Path("file", "new")
        case "absent":
            return Path("absent", "new")
        case "deep":
            return Path(*["absent"] * 1200, "new")
        case "long":
            return Path("n" * 999)
    return path


ODD = (
    *("pipe", "link-to-pipe", "loop", "chain", "folder"),
    *("absent", "beneath-a-file", "deep", "long"),
)
DEVICES = ("/dev/full", "/dev/null", "/dev/zero")


@pytest.mark.parametrize("kind", [*ODD, *DEVICES])
def test_an_odd_path_is_told_in_one_sentence(kind: str) -> None:
    path = odd_path(kind)
    before = sorted(Path().iterdir())
    attempts: list[Callable[[], object]] = [
        lambda: require_writable(path),
        lambda: replace_content(path, b"new"),
        lambda: growing_file(path).__enter__(),
        lambda: held(path).__enter__(),
        lambda: read_content(path, "advice"),
    ]
    for attempt in attempts:
        with pytest.raises(OSError, match=r"cannot (write|read) .* \(.+\): .") as refusal:
            attempt()
        assert "\n" not in str(refusal.value)
        assert f" {path} " in str(refusal.value)
    require_distinct(path, read=[Path("another")])
    assert sorted(Path().iterdir()) == before


COMMANDS = (
    "build greedy -o {}",
    "solve 44 --table {}",
    "solve 44 --table {} --resume",
    "book --rows 4 --columns 4 --workers 1 --table-megabytes 1 -o {}",
    "positions --labels 9 --rows 3 --columns 3 --workers 1 -o {}.npz",
    "positions --per-ply 1 --workers 1 -o {}",
    "evaluate random: --against greedy --games 2 --arena own --results {}",
    "evaluate random: --against greedy --games 2 --arena own --results {} --resume",
    "evaluate random: --against greedy --games 2 --arena own --json {}",
    "ladder random: greedy --games 2 --arena own --html {}",
    "grade random --json {}",
    "explain --tree [[3,12],[2,4]] --svg {}",
    "report {}",
    "review {} --player random",
    "grade random --positions {}",
    "evaluate {}.py --against random",
    "build perfect -O traps={} -o new.py",
    "build Mine --from {}.py -o new.py",
    "explain --tree @{}",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_refuse_odd_paths(shell: Shell, command: str) -> None:
    name = next(f"pipe{suffix}" for suffix in (".py", ".npz", "") if f"{{}}{suffix}" in command)
    odd_path("pipe").rename(name)
    message = shell.refusal(*command.format("pipe").split())
    assert "pipe" in message
    assert message.startswith("Error: ")
    assert [*Path().iterdir()] == [Path(name)]


@pytest.mark.parametrize(
    "command", ["build policy", "evaluate random --against random --games 2 --arena own"]
)
def test_a_current_folder_that_was_deleted_is_told(
    command: str, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "deleted"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    monkeypatch.setattr(work, "local_executor", local_executor)  # threads start without a folder
    message = shell.refusal(*command.split())
    assert message == "Error: the current folder was deleted: change to another one"
    assert "deleted" not in shell.refusal("solve", "8")


@contextmanager
def deep_folder(depth: int) -> Iterator[None]:
    """A current folder whose path is too long for the system; nothing recursive removes it."""
    home = Path.cwd()
    folder = Path("folder" * 30)
    for _ in range(depth):
        folder.mkdir()
        os.chdir(folder)
    try:
        yield
    finally:
        for _ in range(depth):
            os.chdir("..")
            folder.rmdir()
        os.chdir(home)


def test_files_deep_in_the_folders() -> None:
    path = Path("file")
    with deep_folder(30):
        with held(path):
            require_writable(path)
            replace_content(path, b"new")
        require_distinct(path, read=[Path("other")])
        assert read_content(path, "advice") == b"new"
        path.unlink()
        with growing_file(path) as file:
            file.append(b"line\n")
        assert [*Path().iterdir()] == [path]
        path.unlink()


def as_nobody(action: Callable[[], object]) -> str:
    """What an action says that fails for want of permission, which root has always."""
    if os.geteuid():
        with pytest.raises(OSError, match="cannot") as refusal:
            action()
        return str(refusal.value)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.setuid(65534)
            action()
        except OSError as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as told:
        return told.read()


def test_without_permission_nothing_is_read_or_written(tmp_path: Path) -> None:
    old, new = Path("old"), Path("new")
    old.touch(mode=0o400)
    tmp_path.chmod(0o777)
    denied = "cannot {} {} (Permission denied): choose a file in a folder"
    refused = as_nobody(lambda: read_content(old, "choose a file in a folder"))
    assert refused.startswith(denied.format("read", "old"))
    assert as_nobody(lambda: replace_content(old, b"new")).startswith(denied.format("write", "old"))
    tmp_path.chmod(0o555)
    try:
        for action in (
            lambda: require_writable(new),
            lambda: replace_content(new, b"new"),
            lambda: held(new).__enter__(),
            lambda: growing_file(new).__enter__(),
        ):
            assert as_nobody(action).startswith(denied.format("write", "new"))
    finally:
        tmp_path.chmod(0o700)
    assert [*Path().iterdir()] == [old]
