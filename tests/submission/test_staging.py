"""What is taken for a submission file, and what is laid out of it."""

import gzip
import io
import tarfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from re import escape
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submission.sandbox import staging
from submission.sandbox.staging import lay_out, stage, unpack
from tests.helpers.archives import archive
from tests.helpers.processes import completed
from tests.helpers.systems import needs_linux, needs_posix


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


@needs_posix
def test_a_program_in_an_archive_can_be_run(tmp_path: Path, folder: Path) -> None:
    for name, mode, text in (("main.py", 0o444, "x = 1"), ("engine", 0o755, "#!/bin/sh\necho 3")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(mode)
    with tarfile.open(tmp_path / "mine.tgz", "w:gz") as packed:
        packed.add(tmp_path / "main.py", "main.py")
        packed.add(tmp_path / "engine", "bin/engine")
    stage(tmp_path / "mine.tgz", folder)
    assert completed([folder / "bin/engine"]).stdout == "3\n"


@needs_linux
@pytest.mark.parametrize("name", ["mine.py", "mine.tar.gz"])
def test_a_full_disk_is_no_fault_of_the_submission(name: str, tmp_path: Path, folder: Path) -> None:
    submission = archive(tmp_path / name, ("main.py", b"x = 1\n"))
    if name.endswith(".py"):
        submission.write_bytes(b"x = 1\n")
    (folder / "main.py").symlink_to("/dev/full")
    sentence = f"cannot write a submission into {folder} (No space left on device): make room there"
    with pytest.raises(OSError, match=f"^{escape(sentence)}"):
        stage(submission, folder)
    with pytest.raises(OSError, match=f"^{escape(sentence)}"):
        lay_out(submission.read_bytes(), folder)


def test_a_missing_file_is_named(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no file .*nowhere\.py"):
        stage(tmp_path / "nowhere.py", folder)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.py", b"", "is empty"),
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


@pytest.mark.parametrize(
    ("content", "message"),
    [(b" \n\n", "is empty: "), (b"# caf\xe9\n", r"is not UTF-8 text \(byte 5\)")],
)
def test_the_file_with_the_fault_is_named(
    content: bytes, message: str, tmp_path: Path, folder: Path
) -> None:
    (tmp_path / "mine.py").write_bytes(content)
    packed = archive(tmp_path / "mine.tar.gz", ("main.py", content))
    for submission, named in (("mine.py", ""), (packed.name, "main.py in ")):
        with pytest.raises(
            ValueError, match=f"^{named}{escape(str(tmp_path / submission))} {message}"
        ):
            stage(tmp_path / submission, folder)


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


def test_a_file_too_large_for_kaggle_is_neither_read_nor_unpacked(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "MOST_BYTES", 1000)
    (tmp_path / "mine.py").write_bytes(bytes(1001))
    with pytest.raises(ValueError, match=r"mine\.py has 1001 bytes, more than 1000: shorten it"):
        stage(tmp_path / "mine.py", folder)
    packed = archive(tmp_path / "mine.tar.gz", ("main.py", bytes(1001)))
    with pytest.raises(ValueError, match="unpacks to too much"):
        stage(packed, folder)


MAIN = ("main.py", b"x = 1\n")


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """A member's header that claims a size, in whatever form holds it."""
    entry = tarfile.TarInfo(name)
    entry.size, entry.type = size, kind
    return entry.tobuf(tarfile.GNU_FORMAT)


def padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 512)


def record(key: str, value: str) -> bytes:
    """A record of a PAX header, which begins with its own length."""
    rest = f" {key}={value}\n".encode()
    length = len(rest)
    while length != len(rest) + len(str(length)):
        length = len(rest) + len(str(length))
    return str(length).encode() + rest


def sparse(size: int) -> bytes:
    """A file of nothing but holes, with so many bytes of a map of them."""
    records = b"".join(
        record(key, value) for key, value in (("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"))
    )
    pax = header("pax", len(records), tarfile.XHDTYPE) + padded(records)
    return pax + header("main.py", size) + b"%d\n" % (size // 4) + b"1\n" * (size // 2)


LONG = 10_000_000
"""Bytes that a gzip file of 10 kB holds."""

BOMBS: dict[str, Callable[[], bytes]] = {
    "PAX header": lambda: header("pax", LONG, tarfile.XHDTYPE) + record("path", "a" * LONG),
    "global PAX header": lambda: header("pax", LONG, tarfile.XGLTYPE) + record("path", "a" * LONG),
    "long name": lambda: header("././@LongLink", LONG, tarfile.GNUTYPE_LONGNAME) + b"a" * LONG,
    "map of holes": lambda: sparse(LONG),
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS.keys())
def test_a_header_that_takes_the_memory_is_not_unfolded(
    bomb: Callable[[], bytes], folder: Path
) -> None:
    packed = gzip.compress(bomb(), compresslevel=1)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"^a\.tgz cannot be unpacked .*: pack it again$"):
            unpack(packed, folder, "a.tgz")
        assert tracemalloc.get_traced_memory()[1] < LONG / 5
    finally:
        tracemalloc.stop()


NESTED = header("././@LongLink", 2, tarfile.GNUTYPE_LONGNAME) + padded(b"a\0")

CLAIMS = {
    "headers of headers": (NESTED * 5000 + header("main.py", 0), "cannot be unpacked"),
    "less than nothing": (header("main.py", -(10**12)), "unpacks to too much"),
    "a header of less": (header("pax", -(10**12), tarfile.XHDTYPE), "cannot be unpacked"),
    "ten exabytes": (header("main.py", 10**19), "unpacks to too much"),
    "a folder's size, for a header": (
        header("data", 10**6, tarfile.DIRTYPE)
        + header("pax", 10**6, tarfile.XHDTYPE)
        + bytes(10**6),
        "cannot be unpacked",
    ),
    "holes": (sparse(1024), "no plain file"),
    "two lines": (header("../a\nb", 0), r"holds '\.\./a\\nb', outside"),
    "depth": (header("a/" * 32 + "b", 0), "unpacks to too much"),
}


@pytest.mark.parametrize(("content", "message"), CLAIMS.values(), ids=CLAIMS.keys())
def test_what_an_archive_claims_is_held_against_the_limits(
    content: bytes, message: str, folder: Path
) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        unpack(gzip.compress(content, 1), folder, "a.tgz")
    assert "\n" not in str(refused.value)
    assert list(folder.iterdir()) in ([], [folder / "data"])


def test_files_of_many_small_headers_are_unpacked(tmp_path: Path, folder: Path) -> None:
    """Names too long for one header each, as archives of packages have them."""
    names = [f"{'package/' * 20}{'x' * 100}{number}.py" for number in range(300)]
    packed = archive(tmp_path / "mine.tar.gz", MAIN, *((name, b"1") for name in names))
    stage(packed, folder)
    assert sum(path.is_file() for path in folder.rglob("*")) == 301


def well_made() -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as packed:
        for name in ("main.py", "data/" + "x" * 120, "data/ä"):
            entry = tarfile.TarInfo(name)
            entry.size = 700
            packed.addfile(entry, io.BytesIO(b"#" * 700))
    return content.getvalue()


WELL_MADE = well_made()


@given(
    st.lists(st.tuples(st.integers(0, 6000), st.binary(min_size=1, max_size=12)), max_size=6),
    st.integers(0, len(WELL_MADE)),
)
def test_whatever_the_bytes_there_is_a_submission_or_a_sentence(
    changes: list[tuple[int, bytes]], length: int
) -> None:
    content = bytearray(WELL_MADE)
    for place, written in changes:
        content[place : place + len(written)] = written
    said = "a.tgz is a submission"
    with TemporaryDirectory() as name:
        try:
            unpack(gzip.compress(content[:length], 1), Path(name), "a.tgz")
        except ValueError as error:
            said = str(error)
    assert said.startswith("a.tgz ")
    assert "\n" not in said
