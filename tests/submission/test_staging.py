"""What is taken for a submission file, and what is laid out of it."""

import gzip
import tarfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from random import Random
from re import escape
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submission.sandbox import staging
from submission.sandbox.staging import lay_out, stage, unpack
from tests.helpers.archives import archive, header, tar
from tests.helpers.processes import completed
from tests.helpers.systems import needs_linux, needs_posix

MAIN = ("main.py", b"x = 1\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "staged"
    folder.mkdir()
    return folder


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


REFUSED = {
    "empty.py": (b"", "is empty"),
    "book.ipynb": (b"{}", "is not a submission"),
    "mine.zip": (b"PK", "is not a submission"),
    "text.tar.gz": (b"x = 1\n", "cannot be unpacked"),
    "cut.tar.gz": (gzip.compress(b"main.py" + bytes(2000), mtime=0)[:-30], "cannot be unpacked"),
    "torn.tar.gz": (
        gzip.compress(tar(("main.py", Random(1).randbytes(300_000))))[:200_000] + b"\xff" * 99_999,
        "cannot be unpacked",
    ),
    "elsewhere.tgz": (gzip.compress(tar(("agent/main.py", b"x = 1"))), r"no main\.py at its top"),
    **{
        f"outside{number}.tar.gz": (gzip.compress(tar((name, b"x"), MAIN)), "outside its folder")
        for number, name in enumerate(("../escaped", "/tmp/escaped", "a/../../escaped"))
    },
    **{
        f"odd{number}.tar.gz": (
            gzip.compress(tar(name="main.py", type=kind, linkname="/etc/passwd")),
            "not a plain file",
        )
        for number, kind in enumerate((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE))
    },
    "": (None, "is not a file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_submission(name: str, tmp_path: Path, folder: Path) -> None:
    content, message = REFUSED[name]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        stage(tmp_path / name, folder)
    assert not [*Path("/tmp").glob("escaped"), *tmp_path.rglob("escaped")]
    assert message != "not a plain file" or list(folder.iterdir()) == []


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


def test_a_file_too_large_for_kaggle_is_neither_read_nor_unpacked(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "MOST_BYTES", 1000)
    (tmp_path / "mine.py").write_bytes(bytes(1001))
    with pytest.raises(ValueError, match=r"mine\.py has 1001 bytes, more than 1000: shorten it"):
        stage(tmp_path / "mine.py", folder)
    packed = archive(tmp_path / "mine.tar.gz", ("main.py", bytes(1001)))
    with pytest.raises(ValueError, match="holds too much"):
        stage(packed, folder)
    monkeypatch.setattr(staging, "MOST_MEMBERS", 1)
    with pytest.raises(ValueError, match="holds too much"):
        stage(archive(tmp_path / "two.tar.gz", MAIN, ("more.py", b"")), folder)


LONG = 10_000_000
"""Bytes that a gzip file of 10 kB holds."""


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
    """A file of nothing but holes, whose map takes `size` bytes."""
    records = b"".join(
        record(key, value) for key, value in (("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"))
    )
    pax = header("pax", tarfile.XHDTYPE, len(records)) + padded(records)
    return pax + header("main.py", size=size) + b"%d\n" % (size // 4) + b"1\n" * (size // 2)


BOMBS: dict[str, Callable[[], bytes]] = {
    "PAX header": lambda: header("pax", tarfile.XHDTYPE, LONG) + record("path", "a" * LONG),
    "global PAX header": lambda: header("pax", tarfile.XGLTYPE, LONG) + record("path", "a" * LONG),
    "long name": lambda: header("././@LongLink", tarfile.GNUTYPE_LONGNAME, LONG) + b"a" * LONG,
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


NESTED = header("././@LongLink", tarfile.GNUTYPE_LONGNAME, 2) + padded(b"a\0")

CLAIMS = {
    "headers of headers": (NESTED * 5000 + header("main.py", size=0), "cannot be unpacked"),
    "less than nothing": (header("main.py", size=-(10**12)), "holds too much"),
    "a header of less": (header("pax", tarfile.XHDTYPE, -(10**12)), "cannot be unpacked"),
    "ten exabytes": (header("main.py", size=10**19), "holds too much"),
    "a folder's size, for a header": (
        header("data", tarfile.DIRTYPE, 10**6)
        + header("pax", tarfile.XHDTYPE, 10**6)
        + bytes(10**6),
        "cannot be unpacked",
    ),
    "holes": (sparse(1024), "not a plain file"),
    "two lines": (header("../a\nb", size=0), r"holds '\.\./a\\nb', which is outside"),
    "depth": (header("a/" * 32 + "b", size=0), "holds too much"),
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
    files = ((name, b"\0\1") for name in names)
    packed = archive(tmp_path / "mine.tar.gz", ("./main.py", b"x = 1\n"), *files)
    assert stage(packed, folder) == folder / "main.py"
    assert {(folder / name).read_bytes() for name in names} == {b"\0\1"}
    assert sum(path.is_file() for path in folder.rglob("*")) == 301


WELL_MADE = tar(*((name, b"#" * 700) for name in ("main.py", "data/" + "x" * 120, "data/ä")))


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
