"""Archives, of submissions or weights, that are made to do damage."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
from functools import cache

from tests.helpers.archives import header, tar
from tests.helpers.checks import GOOD

BLOCK = 64 * 2**20
MAIN = ("main.py", GOOD.encode())


@cache
def zeros(blocks: int) -> bytes:
    """Blocks of zeros, as gzip packs them: a gzip file may have any number of parts."""
    return gzip.compress(bytes(BLOCK), 9) * blocks


def pax(records: bytes) -> bytes:
    """A file behind a PAX header of any records."""
    described = header("x", b"x", len(records)) + records.ljust(512, b"\0")
    return described + header("main.py", size=6) + b"x = 1\n".ljust(512, b"\0")


def big(kind: bytes, blocks: int = 16) -> bytes:
    """A real member of a GB, by default."""
    return gzip.compress(tar(MAIN)[:1024] + header("x", kind, blocks * BLOCK)) + zeros(blocks)


KINDS = {
    "a hard link to main.py": (tarfile.LNKTYPE, "main.py"),
    "a character device": (tarfile.CHRTYPE, ""),
    "a block device": (tarfile.BLKTYPE, ""),
    "a sparse file": (tarfile.GNUTYPE_SPARSE, ""),
    "a contiguous file": (tarfile.CONTTYPE, ""),
    "an unknown kind": (b"Z", ""),
}

NAMES = {
    "Windows' own": "C:\\escaped",
    "in a file": "main.py/x",
    "empty": "",
    "a dot": ".",
    "two lines": "a\nb\x1b[2J",
    "a long part": "x" * 300,
    "long": "x/" * 3000 + "x",
    "surrogates": "\udcff\udcfe",
    "from right to left": "\u202egp.niam",
    "1500 folders deep": "d/" * 1500 + "x",
}

RECORDS = {
    "a negative size": b"12 size=-10\n",
    "a huge size": b"33 size=999999999999999999999999\n",
    "a size that is none": b"12 size=nan\n",
    "an absolute path": b"28 path=/tmp/connectx-escap\n",
    "a path above": b"22 path=../../escaped\n",
    "too long a length": b"99999999999 path=x\n",
    "a length of 0": b"0 path=x\n",
    "no length": b"path=x\n",
    "no end": b"9 path=xx",
    "a sparse file": b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n28 GNU.sparse.realsize=999\n",
    "a sparse map": b"22 GNU.sparse.size=99\n31 GNU.sparse.map=0,1,2,3,4,5\n",
    "no text": b"14 path=\xff\xfe\xfd\xfc\xfb\n",
    "another charset": b"21 hdrcharset=BINARY\n",
    "an odd time": b"19 mtime=infinity\n",
}


@cache
def submissions() -> dict[str, bytes]:
    """Would-be submissions, besides those of `test_staging.py`."""
    return {
        "2 GB of files": gzip.compress(tar(MAIN)[:1024])
        + b"".join(gzip.compress(header(f"f{n}", size=BLOCK)) + zeros(1) for n in range(32)),
        "a link's name of 1 GB": big(b"K"),
        "a file of 1 GB": big(b"0"),
        "a folder of 1 GB": big(b"5"),
        "4 GB behind the end": gzip.compress(tar(MAIN)) + zeros(64),
        "1 GB of zeros alone": zeros(16),
        **{
            name: gzip.compress(content)
            for name, content in {
                "nothing": b"",
                "a size that is no number": header("main.py", raw_size=b"zzzzzzzzzzz\0")
                + tar(MAIN),
                "30 000 files": b"".join(header(f"f{n}") for n in range(30_000)) + tar(MAIN),
                "30 000 headers": (header("x", b"x", 11) + b"11 path=ab\n".ljust(512, b"\0"))
                * 30_000
                + tar(MAIN),
                "main.py as a folder": tar(name="main.py", type=b"5"),
                "main.py twice": tar(MAIN, MAIN),
                "main.py, then a folder": tar(MAIN, name="main.py", type=b"5"),
                "main.py as a link": tar(name="main.py", type=b"2", linkname="/etc/passwd"),
                "a way through a link": tar(name="d", type=b"2", linkname="..")[:512]
                + tar(("d/escaped", b"x"), MAIN),
                "itself, packed again": gzip.compress(tar(MAIN)),
                **{
                    name: tar(MAIN, name="x", type=kind, linkname=to)
                    for name, (kind, to) in KINDS.items()
                },
                **{
                    f"a name that is {name}": tar((text, b"x"), MAIN)
                    for name, text in NAMES.items()
                },
                **{
                    f"a record with {name}": pax(text) + bytes(1024)
                    for name, text in RECORDS.items()
                },
            }.items()
        },
        "no content": b"\x1f\x8b",
        "only tar": tar(MAIN),
        "bzip2": bz2.compress(tar(MAIN)),
        "xz": lzma.compress(tar(MAIN)),
        "a zip": b"PK\x03\x04" + bytes(99),
        "a wrong checksum": gzip.compress(tar(MAIN))[:-8] + b"\0" * 8,
        "unknown flags": gzip.compress(tar(MAIN))[:3] + b"\xff" + gzip.compress(tar(MAIN))[4:],
        "unknown compression": gzip.compress(tar(MAIN))[:2]
        + b"\x61"
        + gzip.compress(tar(MAIN))[3:],
    }


# --- archives of arrays


def npy(about: str | bytes, content: bytes = b"", version: tuple[int, int] = (1, 0)) -> bytes:
    """An array's file with any header."""
    text = about.encode() if isinstance(about, str) else about
    length = struct.pack("<H" if version == (1, 0) else "<I", len(text) + 1)
    return b"\x93NUMPY" + bytes(version) + length + text + b"\n" + content


def claimed(kind: str, shape: str) -> str:
    return f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}}}"


ARRAYS: dict[str, bytes] = {
    "10**14 entries": npy(claimed("'<f8'", "(10**7, 10**7)").replace("10**7", "10000000")),
    "a negative shape": npy(claimed("'<f8'", "(-1, 5)")),
    "a shape of texts": npy(claimed("'<f8'", "('5',)")),
    "objects": npy(claimed("'|O'", "(1,)"), b"cos\n_exit\n(I0\ntR."),
    "long texts": npy(claimed("'<U500000000'", "(9,)")),
    "nested types": npy(claimed("[" * 50 + "'<f8'" + "]" * 50, "()")),
    "deep parentheses": npy("(" * 60_000 + ")"),
    "deep minuses": npy("-" * 60_000 + "1"),
    "no dict": npy("__import__('os')._exit(0)"),
    "no text": npy(b"\xff\xfe\xfd"),
    "another version": npy("{}", version=(9, 9)),
    "a header of 4 GB": b"\x93NUMPY\x02\x00\xff\xff\xff\xff{",
    "an empty file": b"",
}


def zipped(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for name, content in files.items():
            new.writestr(name, content)
    return file.getvalue()


def unfolded(weights: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(weights)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def with_headers(weights: bytes, place: int, value: int) -> bytes:
    """The same with two bytes changed in each of its headers, counted as in those of the files."""
    raw = bytearray(weights)
    for mark, shift in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
        begin = raw.find(mark)
        while begin >= 0:
            struct.pack_into("<H", raw, begin + place + shift, value)
            begin = raw.find(mark, begin + 4)
    return bytes(raw)


def hostile_weights(weights: bytes) -> dict[str, bytes]:
    """Archives of arrays, made from one that is in order."""
    files = unfolded(weights)
    *_, last = files
    half_gigabyte = npy(claimed("'<f4'", "(16384, 8192)"), bytes(2**29))
    return {
        "encrypted": with_headers(weights, 6, 1),
        **{f"compression {n}": with_headers(weights, 8, n) for n in (0, 1, 9, 12, 14, 97, 99)},
        "512 MB of zeros": zipped({**files, last: half_gigabyte}),
        "20 000 files": zipped({**files, **{f"{n}.npy": b"" for n in range(20_000)}}),
        "names above": zipped({f"../{name}": content for name, content in files.items()}),
        "no arrays": zipped({"readme": b"x"}),
        "a tar": tar(MAIN),
        **{
            f"{name} in {file}": zipped({**files, file: content})
            for file in (last, "scope.npy", "format.npy", "masks.npy", "tree.npy")
            if file in files
            for name, content in ARRAYS.items()
        },
    }


SOURCES: dict[str, bytes] = {
    "deep parentheses": b"x = " + b"(" * 10**5,
    "deep minuses": b"x = " + b"-" * 10**6 + b"1",
    "a long sum": b"x = " + b"1+" * 10**5 + b"1",
    "deep functions": b"x = " + b"lambda:" * 10**4 + b"1",
    "deep indents": b"".join(b" " * n + b"if 1:\n" for n in range(999)),
    "a huge integer": b"x = " + b"9" * 10**5,
    "a null byte": b"x = 1\0\n",
    "a byte order mark": b"\xef\xbb\xbfx = 1\n",
    "UTF-16": "x = 1".encode("utf-16"),
    "another encoding": b"# coding: rot13\nk = 1\n",
    "surrogates": b"x = '\xed\xa0\x80'\n",
    "one line of 20 MB": b"x = '" + b"y" * 20 * 2**20 + b"'",
    "form feeds": b"\x0c" * 99,
}
"""Sources of agents, of which each is read before it is played."""
