"""Arrays of strangers, labels and checkpoints among them: unfolded within a budget, or refused."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np
import pytest

from agents.policy.array_archive import ArrayArchive
from agents.policy.training.label_files import read_labelled_positions, write_labelled_positions
from agents.policy.training.labelling import label_grove
from agents.policy.training.training_files import decode_state, encode_state
from envs import ConnectX
from tests.agents.test_policy_file import UNFOLDED, array, little_memory

Change = Callable[[bytes, str], bytes]


def changed(archive: bytes, name: str, content: bytes, compression: int = ZIP_STORED) -> bytes:
    """The archive with something else in the place of an array."""
    file = BytesIO()
    with ZipFile(BytesIO(archive)) as known, ZipFile(file, "w", compression) as other:
        for entry in known.namelist():
            other.writestr(entry, content if entry == f"{name}.npy" else known.read(entry))
    return file.getvalue()


def claims_more(archive: bytes, name: str) -> bytes:
    return changed(archive, name, array((10**14,), "<i8"))


def unfolds_to_more(archive: bytes, name: str) -> bytes:
    zeros = array((UNFOLDED // 8,), "<i8", bytes(UNFOLDED))
    return changed(archive, name, zeros, ZIP_DEFLATED)


CHANGES = pytest.mark.parametrize("change", [claims_more, unfolds_to_more])


@CHANGES
def test_labels_beyond_their_budget_are_refused_before_they_are_unfolded(
    tmp_path: Path, change: Change
) -> None:
    path = tmp_path / "labels.npz"
    write_labelled_positions(path, label_grove(ConnectX(3, 3, 3), 1, 1))
    content = path.read_bytes()
    for name in ("movers", "masks", "scores", "format", "board"):
        path.write_bytes(change(content, name))
        sentence = rf"\(its array '{name}' cannot be read"
        with little_memory(), pytest.raises(ValueError, match=sentence):
            read_labelled_positions(path)


def test_a_parquet_file_beyond_its_budget_is_refused_before_it_is_unfolded(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    names = ["mover", "mask", *(f"score_{column}" for column in range(7))]
    zeros = pyarrow.array(np.zeros(UNFOLDED // 8, np.int64))
    parquet.write_table(pyarrow.table(dict.fromkeys(names, zeros)), tmp_path / "labels.parquet")
    del zeros
    before = pyarrow.default_memory_pool().max_memory()
    with pytest.raises(ValueError, match=r"\(it is no table of Parquet, or a damaged one\): make"):
        read_labelled_positions(tmp_path / "labels.parquet")
    assert pyarrow.default_memory_pool().max_memory() == before


@CHANGES
@pytest.mark.parametrize("name", ["tree", "0"])
def test_a_checkpoint_beyond_its_budget_is_refused_before_it_is_unfolded(
    change: Change, name: str
) -> None:
    content = change(encode_state([np.arange(1000)]), name)
    with little_memory(), pytest.raises(ValueError, match=rf"its array '{name}' cannot be read"):
        decode_state(content)


def test_an_array_of_a_checkpoint_is_not_unfolded_again_and_again() -> None:
    tree = b"[" + b",".join([b'{"bytes": "0"}'] * 1000) + b"]"
    content = encode_state([bytes(UNFOLDED // 1000)])
    content = changed(content, "tree", array((len(tree),), "|u1", tree))
    with little_memory(), pytest.raises(ValueError, match="its array '0' cannot be read"):
        decode_state(content)


def test_what_is_read_twice_counts_twice() -> None:
    file = BytesIO()
    np.savez(file, one=np.arange(100, dtype=np.int64))
    archive = ArrayArchive(file.getvalue(), 2000)
    for _ in range(2):
        np.testing.assert_array_equal(archive["one"], np.arange(100))
    with pytest.raises(ValueError, match="its array 'one' cannot be read"):
        archive["one"]
