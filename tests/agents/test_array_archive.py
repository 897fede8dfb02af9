"""Arrays of strangers: whatever a file claims to hold, it is read within limits or refused."""

import struct
from collections.abc import Callable
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.format import write_array_header_1_0

from agents.networks import network
from agents.networks.array_archive import ArrayArchive
from agents.networks.network import decode_policy, decode_scope, encode_policy
from agents.policy.training.label_files import read_labelled_positions, write_labelled_positions
from agents.policy.training.labelling import label_grove
from agents.policy.training.training_files import decode_state, encode_state
from envs import ConnectFour, ConnectX
from tests.helpers.systems import memory_below
from tests.helpers.trained_policies import random_policy

POLICY = encode_policy(random_policy(ConnectFour(), seed=1))
NO_POLICY = "this is not a trained policy: train one with `connectx train`"

FLAGS, METHOD, SIZE = 8, 10, 24
"""Where the central directory of a zip file has these of an entry; `SIZE` is that unpacked."""


def archive_with(known: bytes, compression: int = ZIP_STORED, /, **entries: bytes | None) -> bytes:
    """An archive that begins with other entries, some in the place of its own; None: without it."""
    file = BytesIO()
    with ZipFile(BytesIO(known)) as before, ZipFile(file, "w", compression) as archive:
        others = {name.removesuffix(".npy"): before.read(name) for name in before.namelist()}
        for name, content in {**entries, **others, **entries}.items():
            if content is not None:
                archive.writestr(f"{name}.npy", content)
    return file.getvalue()


def saved(numbers: Any) -> bytes:
    """An array's entry, as numpy makes it."""
    entry = BytesIO()
    np.save(entry, np.array(numbers))
    return entry.getvalue()


policy_with = partial(archive_with, POLICY)


def array(shape: tuple[int, ...], kind: str = "<f2", content: bytes = b"") -> bytes:
    """An array's entry that claims a shape, whatever follows."""
    entry = BytesIO()
    write_array_header_1_0(entry, {"shape": shape, "fortran_order": False, "descr": kind})
    return entry.getvalue() + content


def patched(content: bytes, place: int, kind: str, value: int) -> bytes:
    """The file with a field of its first entry changed, in the central directory and before it."""
    changed = bytearray(content)
    (directory,) = struct.unpack("<L", content[-6:-2])
    struct.pack_into(kind, changed, directory + place, value)
    struct.pack_into(kind, changed, place - 2, value)
    return bytes(changed)


UNFOLDED = 36_000_000
ZEROS = bytes(UNFOLDED)
SCOPE = array((4,), "<i8", struct.pack("<4q", 6, 7, 4, 7))


@cache
def zeros(compression: int) -> bytes:
    """A policy whose game unfolds to far more than the file tells."""
    return patched(policy_with(compression, scope=SCOPE + ZEROS), SIZE, "<L", len(SCOPE))


HOSTILE_GAMES: dict[str, Callable[[], bytes]] = {
    "zeros in bzip2": lambda: zeros(ZIP_BZIP2),
    "zeros in LZMA": lambda: zeros(ZIP_LZMA),
    "compression 97": lambda: patched(policy_with(scope=SCOPE), METHOD, "<H", 97),
    "encrypted": lambda: patched(policy_with(scope=SCOPE), FLAGS, "<H", 1),
    "a long file": lambda: bytes(network.MOST_BYTES) + POLICY,
}
"""Made where they are read, for some take a second."""

HOSTILE_ARRAYS: dict[str, Callable[[], bytes]] = {
    **HOSTILE_GAMES,
    "10^14 entries": lambda: policy_with(features=array((10**14,))),
    "10^14 entries of no length": lambda: policy_with(features=array((10**14,), "|S0")),
    "fewer entries than none": lambda: policy_with(features=array((-5, 7))),
    "fewer entries than there are": lambda: policy_with(features=array((2,), "<f2", bytes(40))),
    "objects": lambda: policy_with(features=array((1,), "|O", b"I0\n.".ljust(8))),
    "a nested header": lambda: policy_with(features=array((2,)).replace(b"(2,)", b"((((")),
    "zeros": lambda: policy_with(ZIP_DEFLATED, features=array((UNFOLDED // 2,), "<f2", ZEROS)),
    "zeros, said to be few": lambda: zeros(ZIP_DEFLATED),
}


little_memory = partial(memory_below, UNFOLDED / 10)
"""Of what is read here, all but a small part must not be unfolded."""


@pytest.mark.parametrize("made", HOSTILE_ARRAYS.values(), ids=HOSTILE_ARRAYS.keys())
def test_what_claims_too_much_is_refused_before_it_is_unfolded(made: Callable[[], bytes]) -> None:
    content = made()
    damaged = r"this trained policy is damaged \(its array '\w+' cannot be read\): train it again"
    with little_memory(), pytest.raises(ValueError, match=f"^({NO_POLICY}$|{damaged})"):
        decode_policy(content)
    if made in HOSTILE_GAMES.values():
        with little_memory(), pytest.raises(ValueError, match=f"^{NO_POLICY}$"):
            decode_scope(content)


def test_what_a_network_does_not_need_is_not_read() -> None:
    others = {f"a{number}": ZEROS for number in range(3)}
    content = policy_with(ZIP_DEFLATED, **others)
    with little_memory():
        assert encode_policy(decode_policy(content)) == POLICY


def test_no_more_of_the_game_is_read_than_it_can_take() -> None:
    longer = policy_with(ZIP_DEFLATED, scope=SCOPE + ZEROS)
    with little_memory():
        assert decode_scope(POLICY) == (6, 7, 4, 7) != decode_scope(longer)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", NO_POLICY),
        (b"PK\x03\x04 but no archive", NO_POLICY),
        (POLICY[:-40], NO_POLICY),
        (saved([0.0] * 3), NO_POLICY),
        (policy_with(format=None), NO_POLICY),
        (policy_with(format=saved({})), NO_POLICY),
        (policy_with(format=saved([2, 2])), NO_POLICY),
        (policy_with(format=saved(1)), "has version 1 of the format, not 2 or 3"),
        (policy_with(scope=None), "damaged"),
        (policy_with(format=saved(2)), r"shape of features is \(\d+, 20\), not"),
        (policy_with(format=saved(2), features=saved(1.0)), "damaged"),
        (policy_with(scope=saved([6, 7, 4])), "damaged"),
        (policy_with(scope=saved([6.0, 7.0, 4.0, float("nan")])), "damaged"),
        (policy_with(scope=saved([6, 7, 4, 9])), "damaged"),
        *(
            (policy_with(scope=saved(scope)), "no game has")
            for scope in ([10**6, 10**6, 4, 7], [1, 10**9, 4, 7], [-6, -7, 4, 7], [6, 7, 4, 10**9])
        ),
        (policy_with(scope=saved([6, 7, 10**9, 7])), "shape of features is"),
        (policy_with(dense=None), "damaged"),
        (policy_with(outputs=saved([[0.0] * 7] * 8)), r"shape of outputs is \(8, 7\), not \(8, 8"),
        (policy_with(bias=saved([float("nan")] * 20)), "bias holds a number that is not finite"),
    ],
)
def test_a_file_of_something_else_is_refused(content: bytes, message: str) -> None:
    """Before a board beyond all games would be made."""
    with little_memory(), pytest.raises(ValueError, match=message):
        decode_policy(content)


@given(
    st.lists(st.tuples(st.integers(0, len(POLICY)), st.binary(min_size=1, max_size=6)), max_size=4),
    st.integers(-40, 0),
)
def test_whatever_the_bytes_there_is_a_policy_or_a_sentence(
    changes: list[tuple[int, bytes]], missing: int
) -> None:
    content = bytearray(POLICY)
    for place, written in changes:
        content[place : place + len(written)] = written
    for decode in (decode_scope, decode_policy):
        said = "a policy"
        try:
            decode(bytes(content[: len(content) + missing]))
        except ValueError as error:
            said = str(error)
        assert "\n" not in said


# --- labels and checkpoints


def test_labels_and_checkpoints_beyond_their_budget_are_refused_before_they_are_unfolded(
    tmp_path: Path,
) -> None:
    path = tmp_path / "labels.npz"
    write_labelled_positions(path, label_grove(ConnectX(3, 3, 3), 1, 1))
    labels, checkpoint = path.read_bytes(), encode_state([np.arange(1000)])
    zeros, claim = array((UNFOLDED // 8,), "<i8", ZEROS), array((10**14,), "<i8")
    names = ("movers", "masks", "scores", "format", "board", "tree", "0")
    for name, written in (("movers", zeros), ("0", zeros), *((name, claim) for name in names)):
        known = checkpoint if name in ("tree", "0") else labels
        content = archive_with(known, ZIP_DEFLATED, **{name: written})
        path.write_bytes(content)
        sentence = f"its array '{name}' cannot be read"
        with little_memory(), pytest.raises(ValueError, match=sentence):
            decode_state(content) if known is checkpoint else read_labelled_positions(path)


def test_a_parquet_file_beyond_its_budget_is_refused_before_it_is_unfolded(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    names = ["mover", "mask", *(f"score_{column}" for column in range(7))]
    zeros = pyarrow.array(np.zeros(UNFOLDED // 8, np.int64))
    parquet.write_table(pyarrow.table(dict.fromkeys(names, zeros)), tmp_path / "labels.parquet")
    del zeros
    before = pyarrow.default_memory_pool().max_memory()
    with pytest.raises(ValueError, match=r"\(it is not a Parquet table, or it is damaged\): make"):
        read_labelled_positions(tmp_path / "labels.parquet")
    assert pyarrow.default_memory_pool().max_memory() == before


def test_an_array_of_a_checkpoint_is_not_unfolded_again_and_again() -> None:
    tree = b"[" + b",".join([b'{"bytes": "0"}'] * 1000) + b"]"
    content = encode_state([bytes(UNFOLDED // 1000)])
    content = archive_with(content, tree=array((len(tree),), "|u1", tree))
    with (
        little_memory(),
        pytest.raises(ValueError, match="its array '0' cannot be read"),
    ):
        decode_state(content)


def test_what_is_read_twice_counts_twice() -> None:
    file = BytesIO()
    np.savez(file, one=np.arange(100, dtype=np.int64))
    archive = ArrayArchive(file.getvalue(), 2000)
    for _ in range(2):
        np.testing.assert_array_equal(archive["one"], np.arange(100))
    with pytest.raises(ValueError, match="its array 'one' cannot be read"):
        archive["one"]
