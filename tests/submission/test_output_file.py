"""Files that commands are given, those that they leave, and what two runs would both write."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from io import FileIO
from pathlib import Path
from types import SimpleNamespace

import pytest

from agents.reporting import output_file
from agents.reporting.output_file import (
    growing_file,
    held,
    replace_content,
    replace_parts,
    replace_text,
    require_writable,
)
from submission.cli.arguments import files_of_options, files_of_players, require_distinct
from tests.helpers.processes import Piped, running_command
from tests.helpers.shell import Shell
from tests.helpers.systems import largest_file, needs_posix


def test_whether_a_file_can_be_written_is_asked_without_writing_it(tmp_path: Path) -> None:
    new, old = tmp_path / "new.json", tmp_path / "old.json"
    old.write_text("old")
    require_writable(new)
    require_writable(old)
    assert old.read_text() == "old"
    assert [*tmp_path.iterdir()] == [old]


def test_what_is_read_is_not_overwritten_by_whatever_name(tmp_path: Path) -> None:
    mine, link, second_name = (tmp_path / name for name in ("mine.py", "link.py", "second.py"))
    mine.touch()
    link.symlink_to(mine)
    second_name.hardlink_to(mine)
    for name in (mine, tmp_path / "." / "mine.py", link, second_name):
        with pytest.raises(ValueError, match=f"{name} is read and would be overwritten"):
            require_distinct(None, name, read=[None, mine])
    with pytest.raises(ValueError, match="is named for two outputs"):
        require_distinct(tmp_path / "new", None, tmp_path / "folder" / ".." / "new")
    require_distinct(tmp_path / "new", None, None, read=[tmp_path / "old", tmp_path / "old"])


def test_players_and_options_name_the_files_that_they_are_read_from() -> None:
    players = ["random", "policies/mine.py", "policy:weights=policy.npz,seed=1"]
    assert files_of_players(players) == [Path("policies/mine.py"), Path("policy.npz")]
    assert files_of_options({"file": "policy.npz", "seed": 1}) == [Path("policy.npz")]


def test_names_that_are_no_utf8_are_written_as_python_escapes_them(tmp_path: Path) -> None:
    replace_text(tmp_path / "page", "ä\udcff.py")
    assert (tmp_path / "page").read_text(encoding="utf-8") == "ä\\udcff.py"


# --- what is left of the old file


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@needs_posix
@pytest.mark.parametrize("mode", [None, 0o600, 0o640, 0o666])
def test_the_mode_is_kept_and_that_of_a_new_file_is_the_usual_one(
    tmp_path: Path, mode: int | None
) -> None:
    for mask, usual in ((0o022, 0o644), (0o077, 0o600)):
        path = tmp_path / f"{mask}"
        if mode is not None:
            path.touch()
            path.chmod(mode)
        with umask(mask):
            replace_text(path, "new")
        assert stat.S_IMODE(path.stat().st_mode) == (usual if mode is None else mode)


def test_the_unfinished_file_is_as_private_as_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret"
    path.touch(mode=0o600)
    modes = list[int]()

    def synced(file: FileIO) -> None:
        modes.append(stat.S_IMODE(os.fstat(file.fileno()).st_mode))
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", synced)
    with umask(0), pytest.raises(KeyboardInterrupt):
        replace_content(path, b"new")
    assert modes == [0o600]
    assert list(tmp_path.iterdir()) == [path]


def test_the_file_of_a_link_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    link, there, not_there = (tmp_path / name for name in ("link", "there", "not there"))
    for target in (there, not_there):
        link.unlink(missing_ok=True)
        link.symlink_to(target.name)
        require_writable(link)
        replace_content(link, b"new")
        assert link.is_symlink()
        assert target.read_bytes() == b"new"
    assert sorted(tmp_path.iterdir()) == [link, not_there, there]


# --- what may lie where the unfinished file would be


def test_even_who_knows_the_random_name_overwrites_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "urandom", bytes)
    victim, link = tmp_path / "victim", tmp_path / ".connectx-0000000000000000.part"
    victim.write_bytes(b"precious")
    link.symlink_to(victim)
    with pytest.raises(OSError, match=r"cannot write .*policy\.npz \(File exists\)"):
        replace_content(tmp_path / "policy.npz", b"new")
    assert victim.read_bytes() == b"precious"
    assert link.is_symlink()


@needs_posix
def test_two_writers_of_one_file_leave_one_of_their_contents(tmp_path: Path) -> None:
    path, contents = tmp_path / "both", [bytes([number]) * 100_000 for number in range(2)]
    children = []
    for content in contents:
        child = os.fork()
        if not child:
            try:
                for _ in range(50):
                    replace_content(path, content)
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    assert path.read_bytes() in contents
    assert list(tmp_path.iterdir()) == [path]


# --- what killed writers have left

WRITER = """
import os, sys
from pathlib import Path
from agents.reporting.output_file import replace_content
def pause(*_):
    print("begun", flush=True)
    sys.stdin.read()
os.fsync = pause
replace_content(Path(sys.argv[1]), bytes(99))
"""
HOLDER = """
import sys
from pathlib import Path
from agents.reporting.output_file import growing_file, held
folder = Path(sys.argv[1])
with held(folder / "held"), growing_file(folder / "growing_file"):
    print("begun", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another_run(program: str, path: Path) -> Iterator[Piped]:
    """Another process that has begun with a file, and goes on when its standard input ends."""
    with running_command(str(path), program=("-c", program)) as process:
        assert process.stdout.readline() == "begun\n"
        yield process
        process.kill()


def parts(folder: Path) -> list[Path]:
    return sorted(folder.glob(".connectx-*.part"))


@pytest.mark.parametrize("is_killed", [False, pytest.param(True, marks=needs_posix)])
def test_an_unfinished_file_stays_until_its_writer_has_ended(
    tmp_path: Path, is_killed: bool
) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    writes: list[Callable[[], None]] = [
        lambda: replace_content(mine, b"mine"),
        lambda: require_writable(mine),
    ]
    with another_run(WRITER, theirs) as other:
        for write in writes:
            write()
            (part,) = parts(tmp_path)
        if is_killed:
            other.kill()
            other.wait()
            for write in writes:
                part.touch()
                write()
                assert parts(tmp_path) == []
        else:
            other.communicate("")
            assert theirs.read_bytes() == bytes(99)
    assert parts(tmp_path) == []


@needs_posix
@pytest.mark.parametrize("is_removed", [True, False])
def test_a_new_file_that_another_writer_takes_for_an_old_one_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_removed: bool
) -> None:
    """It has removed that, or locked it to do so, before we have locked it."""
    take, calls = output_file._take_lock, list[FileIO]()

    def take_late(file: FileIO) -> None:
        calls.append(file)
        (part,) = parts(tmp_path)
        with FileIO(part) as other:
            if len(calls) == 1:
                take(other)
                if is_removed:
                    part.unlink()
                    other.close()
            take(file)

    monkeypatch.setattr(output_file, "_take_lock", take_late)
    replace_content(tmp_path / "mine", b"mine")
    assert len(calls) == 2
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"mine"]


@needs_posix
def test_only_plain_files_are_taken_for_what_others_have_left(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    link, pipe, folder = (tmp_path / f".connectx-{number}.part" for number in range(3))
    link.symlink_to(victim)
    os.mkfifo(pipe)
    folder.mkdir()
    replace_content(tmp_path / "mine", b"mine")
    assert parts(tmp_path) == [link, pipe, folder]
    assert victim.read_bytes() == b"precious"


def test_where_nothing_can_be_locked_nothing_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = tmp_path / ".connectx-0.part"
    part.touch()
    monkeypatch.setattr(output_file, "fcntl", None)
    replace_content(tmp_path / "mine", b"mine")
    assert (tmp_path / "mine").read_bytes() == b"mine"
    assert parts(tmp_path) == [part]


def test_on_windows_only_old_files_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A younger one may be closed already, to be renamed; an open one cannot be removed there."""
    locking = SimpleNamespace(locking=lambda *_: None, LK_NBLCK=2)
    monkeypatch.setattr(output_file, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.setattr(output_file, "msvcrt", locking, raising=False)
    old, young = (tmp_path / f".connectx-{age}.part" for age in ("old", "young"))
    for part in (old, young):
        part.touch()
    os.utime(old, (0, 0))
    replace_content(tmp_path / "mine", b"mine")
    assert (tmp_path / "mine").read_bytes() == b"mine"
    assert parts(tmp_path) == [young]


# --- the disk


@needs_posix
def test_the_file_is_on_the_disk_before_its_name_and_then_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events, rename = list[str](), Path.replace

    def synced(file: FileIO | int) -> None:
        number = file if isinstance(file, int) else file.fileno()
        found = os.fstat(number)
        events.append("folder" if stat.S_ISDIR(found.st_mode) else f"{found.st_size} bytes")

    def renamed(old: Path, new: Path) -> Path:
        events.append("renamed")
        return rename(old, new)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    replace_content(tmp_path / "new", b"content")
    assert events == ["7 bytes", "renamed", "folder"]


def test_an_unfinished_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "policy.npz"
    replace_parts(path, [b"o", b"ld"])
    with largest_file(10), pytest.raises(OSError, match=r"cannot write .*policy\.npz \(File too"):
        replace_content(path, bytes(100))
    with pytest.raises(ZeroDivisionError):
        replace_parts(path, (b"%d" % (1 / divisor) for divisor in (1, 0)))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_told_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    path = tmp_path / "policy.npz"
    message = r"cannot write .*policy\.npz \(No space left on device\): make room there, or"
    with pytest.raises(OSError, match=message):
        replace_content(path, b"new")
    assert list(tmp_path.iterdir()) == []
    with (
        pytest.raises(OSError, match=r"cannot write .*games \(No space left.*with --resume"),
        growing_file(tmp_path / "games") as file,
    ):
        file.append(b"line\n")


# --- the lock

Opening = Callable[[Path], AbstractContextManager[object]]
OPENINGS: dict[str, Opening] = {"held": held, "growing_file": growing_file}


def test_a_file_of_another_run_is_refused_until_that_is_killed(tmp_path: Path) -> None:
    with another_run(HOLDER, tmp_path) as other:
        for kind, opened in OPENINGS.items():
            path, link = tmp_path / kind, tmp_path / f"link to {kind}"
            link.symlink_to(path)
            for name in (path, link):
                message = f"^another run is using {name}: wait until"
                with pytest.raises(BlockingIOError, match=message), opened(name):
                    pass
            link.unlink()
        other.kill()
        other.wait()
    for kind, opened in OPENINGS.items():
        with opened(tmp_path / kind):
            pass
    assert [*tmp_path.iterdir()] == [tmp_path / "growing_file"]


@needs_posix
@pytest.mark.parametrize("opened", OPENINGS.values(), ids=OPENINGS)
def test_a_lock_on_what_is_gone_by_then_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Opening
) -> None:
    """Its owner removes the file between our opening and locking it, and a third run makes it."""
    path, take = tmp_path / "shared", output_file._take_lock

    def take_late(file: object) -> None:
        for each in tmp_path.iterdir():
            each.unlink()
            each.touch()
        take(file)  # type: ignore[arg-type]

    monkeypatch.setattr(output_file, "_take_lock", take_late)
    with pytest.raises(BlockingIOError, match="another run is using"), opened(path):
        pass


def test_a_second_run_of_a_command_is_told_of_the_first(shell: Shell, tmp_path: Path) -> None:
    book = "book --rows 4 --columns 4 --inarow 3 --plies 2 --workers 1 --table-megabytes 1"
    runs: dict[str, tuple[Opening, str]] = {
        "solve 44444 --table t.bin": (held, "t.bin"),
        book: (growing_file, "openings.cxbk.scores"),
        f"{book} --repertoire": (growing_file, "repertoire.cxrp.moves"),
        "evaluate random: --against greedy --games 2 --arena own --results g": (growing_file, "g"),
        "ladder random: greedy --games 2 --arena own --results g": (growing_file, "g"),
    }
    for words, (opened, name) in runs.items():
        for more in ((), ("--resume",)):
            with opened(Path(name)):
                refused = shell.refusal(*words.split(), *more)
            assert f"another run is using {name}: wait until it ends" in refused
        Path(name).unlink(missing_ok=True)
    assert list(tmp_path.iterdir()) == []
