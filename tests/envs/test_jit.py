"""Machine code on disk: each process finds what was compiled for it, whoever compiles beside it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from envs.jit import compiled

caching = pytest.importorskip("numba.core.caching")

MODULE = """
from envs.jit import jit

def make_adder(step):
    @jit
    def add(number):
        return number + step
    return add
"""


@contextmanager
def as_if_at_the_same_time(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nobody sees what others have kept, and who has compiled first is the last to write code."""
    files = caching.IndexDataCacheFile
    write, written = files._save_data, []
    patch.setattr(files, "_load_index", lambda self: {})
    patch.setattr(files, "_save_data", lambda *arguments: written.append(arguments))
    yield
    patch.undo()
    for arguments in reversed(written):
        write(*arguments)


def test_two_processes_that_compile_at_once_keep_their_own_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "adders.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    make_adder: Callable[[int], Any] = import_module("adders").make_adder
    with pytest.MonkeyPatch.context() as patch, as_if_at_the_same_time(patch):
        assert [compiled(make_adder(step))(40) for step in (1, 2)] == [41, 42]
    assert [compiled(make_adder(step))(40) for step in (1, 2)] == [41, 42]
    assert {path.parent for path in tmp_path.rglob("*.nbc")} == {tmp_path / "__pycache__"}
    del sys.modules["adders"]
