"""What is taken for a submission file, and what is laid out of it."""

import gzip
import tarfile
from pathlib import Path

import pytest

from submission.sandbox import staging
from submission.sandbox.staging import stage
from tests.helpers.archives import archive


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "staged"
    folder.mkdir()
    return folder


def test_a_file_is_copied_alone_under_kaggles_name(tmp_path: Path, folder: Path) -> None:
    submission = tmp_path / "mine.py"
    submission.write_text("x = 1\n")
    (tmp_path / "sibling.py").write_text("y = 1\n")
    assert stage(submission, folder) == folder / "main.py"
    assert [entry.name for entry in folder.iterdir()] == ["main.py"]
    assert (folder / "main.py").read_text() == "x = 1\n"


def test_an_archive_is_unpacked(tmp_path: Path, folder: Path) -> None:
    packed = archive(
        tmp_path / "mine.tar.gz", ("./main.py", b"x = 1\n"), ("data/deep/weights.bin", b"\0\1")
    )
    assert stage(packed, folder) == folder / "main.py"
    assert (folder / "data/deep/weights.bin").read_bytes() == b"\0\1"


def test_a_missing_file_is_named(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no file .*nowhere\.py"):
        stage(tmp_path / "nowhere.py", folder)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.py", b"", "is empty"),
        ("blank.py", b" \n\n", "is empty"),
        ("latin.py", "caf\xe9 = 1\n".encode("latin-1"), r"not UTF-8 text \(byte 3\)"),
        ("book.ipynb", b"{}", "is no submission"),
        ("mine.zip", b"PK", "is no submission"),
        ("text.tar.gz", b"x = 1\n", "cannot be unpacked"),
        (
            "cut.tar.gz",
            gzip.compress(b"main.py" + bytes(2000), mtime=0)[:-30],
            "cannot be unpacked",
        ),
    ],
)
def test_what_is_no_submission(
    name: str, content: bytes, message: str, tmp_path: Path, folder: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        stage(tmp_path / name, folder)


def test_a_folder_is_no_submission(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(ValueError, match="is not a file"):
        stage(tmp_path, folder)


@pytest.mark.parametrize("name", ["../escaped.py", "/tmp/escaped.py", "a/../../escaped.py"])
def test_nothing_is_written_outside_of_the_folder(name: str, tmp_path: Path, folder: Path) -> None:
    packed = archive(tmp_path / "mine.tar.gz", (name, b"x = 1\n"), ("main.py", b"x = 1\n"))
    with pytest.raises(ValueError, match="outside of its folder"):
        stage(packed, folder)
    assert not (tmp_path / "escaped.py").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_refused(kind: bytes, tmp_path: Path, folder: Path) -> None:
    packed = archive(tmp_path / "mine.tar.gz", ("main.py", b""), kind=kind)
    with pytest.raises(ValueError, match="no plain file"):
        stage(packed, folder)
    assert list(folder.iterdir()) == []


def test_an_archive_without_main(tmp_path: Path, folder: Path) -> None:
    packed = archive(tmp_path / "mine.tar.gz", ("agent/main.py", b"x = 1\n"))
    with pytest.raises(ValueError, match=r"has no main\.py at its top"):
        stage(packed, folder)


def test_an_archive_that_unpacks_to_too_much(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "MOST_BYTES", 1000)
    packed = archive(tmp_path / "mine.tar.gz", ("main.py", bytes(1001)))
    with pytest.raises(ValueError, match="unpacks to too much"):
        stage(packed, folder)
