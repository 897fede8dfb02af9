"""Temporary folders are removed, whatever strangers made of them; by the next run at the latest."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from submission.sandbox import folders
from submission.sandbox.folders import owned_folder, remove_folder
from tests.helpers.processes import Piped, running_command

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files by their numbers, locks")

NOBODY = 65534


def nest(folder: Path, depth: int) -> None:
    """Make folders within folders, whose path is longer than any that the system takes."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("deeper", dir_fd=here)
        below = os.open("deeper", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("file", os.O_CREAT, dir_fd=here))
    os.close(here)


def test_the_depth_of_folders_does_not_matter() -> None:
    in_memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # a disk takes seconds
    folder = Path(tempfile.mkdtemp(dir=in_memory))
    nest(folder, 3000)
    remove_folder(folder)
    assert not folder.exists()


def test_names_may_be_any_bytes(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    for name in map(os.fsdecode, (b"\xff\xfe", b"a\nb", b"-rf", b"x" * 255)):
        (folder / name / name).mkdir(parents=True)
        (folder / name / name / name).touch()
    remove_folder(folder)
    assert list(tmp_path.iterdir()) == []


CLOSED = """
import os, sys
from pathlib import Path
from submission.sandbox.folders import remove_folder
folder = Path(sys.argv[1])
if os.getuid() == 0:  # to whom no folder is closed
    os.setresgid({nobody}, {nobody}, {nobody})
    os.setresuid({nobody}, {nobody}, {nobody})
folder.mkdir()
for name, mode in (("a", 0), ("b", 0o500), ("c", 0o300)):
    (folder / name / "inner").mkdir(parents=True)
    (folder / name / "inner" / "file").touch()
    (folder / name / "inner").chmod(mode)
    (folder / name).chmod(mode)
folder.chmod(0)
remove_folder(folder)
"""


def test_folders_that_their_owner_has_closed_are_removed() -> None:
    with tempfile.TemporaryDirectory() as name:
        shared = Path(name)
        shared.chmod(0o777)
        script = CLOSED.format(nobody=NOBODY)
        subprocess.run([sys.executable, "-c", script, str(shared / "closed")], check=True)
        assert list(shared.iterdir()) == []


def test_links_are_removed_and_not_followed(tmp_path: Path) -> None:
    kept, folder = tmp_path / "kept", tmp_path / "folder"
    (kept / "inner").mkdir(parents=True)
    (kept / "inner" / "file").touch()
    kept.chmod(0o555)
    folder.mkdir()
    (folder / "link").symlink_to(kept)
    (folder / "loop").symlink_to(folder)
    remove_folder(folder)
    folder.symlink_to(kept)
    remove_folder(folder)
    assert [*tmp_path.iterdir()] == [kept]
    assert (kept / "inner" / "file").exists()
    assert kept.stat().st_mode & 0o777 == 0o555


OWNING = """
import sys
from pathlib import Path
from submission.sandbox.folders import owned_folder
with owned_folder(Path(sys.argv[1])) as folder:
    (folder / "inner").mkdir()
    print(folder.name, flush=True)
    sys.stdin.read()
"""


@contextmanager
def owner(parent: Path) -> Iterator[tuple[Piped, Path]]:
    """A process that owns a folder until it is killed, or its input ends; and the folder."""
    with running_command(str(parent), program=("-c", OWNING)) as process:
        yield process, parent / process.stdout.readline().strip()


def test_the_next_run_removes_the_folder_of_one_that_was_killed_and_no_other(
    tmp_path: Path,
) -> None:
    others = tmp_path / "connectx-mine", tmp_path / "connectx-run-file"
    others[0].mkdir()
    others[1].touch()
    with owner(tmp_path) as (living, of_living), owner(tmp_path) as (killed, of_killed):
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert (of_killed / "inner").exists()
        with owned_folder(tmp_path) as own:
            assert {*tmp_path.iterdir()} == {*others, own, of_living}
            assert (of_living / "inner").exists()
        assert living.poll() is None
    assert {*tmp_path.iterdir()} == {*others}


KILLED = """
import os, signal, sys, tempfile
from pathlib import Path
from submission.sandbox.folders import owned_folder
make = tempfile.mkdtemp
tempfile.mkdtemp = lambda **options: make(**options) and os.kill(os.getpid(), signal.SIGKILL)
with owned_folder(Path(sys.argv[1])):
    pass
"""


def test_the_next_run_removes_a_folder_whose_owner_was_killed_as_soon_as_it_was_made(
    tmp_path: Path,
) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len([*tmp_path.iterdir()]) == 1
    with owned_folder(tmp_path) as own:
        assert [*tmp_path.iterdir()] == [own]


@pytest.mark.parametrize("has_removed", [True, False])
def test_another_run_may_begin_before_the_new_folder_is_locked(
    has_removed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, made = tempfile.mkdtemp, list[str]()
    with contextlib.ExitStack() as other_run:

        def make_slowly(**options: Any) -> str:
            made.append(make(**options))
            if len(made) == 1 and has_removed:
                folders.remove_abandoned(tmp_path)
            elif len(made) == 1:  # it is about to
                other_run.enter_context(folders._locked(Path(made[0])))
            return made[-1]

        monkeypatch.setattr(tempfile, "mkdtemp", make_slowly)
        with owned_folder(tmp_path) as own:
            assert own == Path(made[1])
            other_run.close()
            folders.remove_abandoned(tmp_path)
            assert [*tmp_path.iterdir()] == [own]
        assert [*tmp_path.iterdir()] == []


def test_without_locks_no_folder_counts_as_abandoned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with owned_folder(tmp_path) as locked:
        with monkeypatch.context() as patch:
            patch.setattr(folders, "fcntl", None)  # as on Windows, or on some network file systems
            unlocked = owned_folder(tmp_path)
            folder = unlocked.__enter__()
        with owned_folder(tmp_path) as own:
            assert {*tmp_path.iterdir()} == {locked, folder, own}
        unlocked.__exit__(None, None, None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="gives a folder away")
def test_a_folder_of_another_user_stays(tmp_path: Path) -> None:
    foreign = tmp_path / "connectx-run-abc"
    foreign.mkdir()
    os.chown(foreign, NOBODY, NOBODY)
    with owned_folder(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == [foreign]
