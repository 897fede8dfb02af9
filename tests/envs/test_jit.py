"""Machine code: each process finds on disk what was compiled for it, whoever compiles beside it."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module, invalidate_caches
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from envs.compiled.jit import COMPILED_ANEW, MAKING_TWINS, compiled, fastest, jit

caching = pytest.importorskip("numba.core.caching")

HELPER = """
from envs.compiled.jit import inlined

STEP = {step}

@inlined
def helped(number):
    return {code}
"""
CALLER = """
from called import helped
from envs.compiled.jit import jit, parallel_range
from envs.compiled.shared_loops import jit_parallel

@jit
def total(count):
    return helped(count)

def make_totals(kernel):
    @jit_parallel
    def totals(count):
        found = 0
        for _ in parallel_range(3):
            found += kernel(count)
        return found
    return totals

in_parts = make_totals(total)
"""

PAIR = """
from collections import namedtuple

Pair = namedtuple("Pair", {fields})
"""
READER = """
from envs.compiled.jit import jit

@jit
def first_of(nested):
    return nested[0].first
"""

CONSTANTS = """
from envs.compiled.jit import jit

def make(factor, step):
    @jit
    def scale(number):
        return factor * number + 1000 * step
    return scale

def make_nested(first, second):
    @jit
    def nested(number):
        return first(number) - 3 * second(number)
    return nested
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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of modules that can be imported."""
    (tmp_path / "calling.py").write_text(CALLER)
    (tmp_path / "scales.py").write_text(CONSTANTS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    sys.modules.pop("scales", None)
    return tmp_path


def test_two_processes_that_compile_at_once_keep_their_own_code(folder: Path) -> None:
    make: Callable[[int, int], Any] = import_module("scales").make
    with pytest.MonkeyPatch.context() as patch, as_if_at_the_same_time(patch):
        assert [compiled(make(step, 1))(40) for step in (1, 2)] == [1040, 1080]
    assert [compiled(make(step, 1))(40) for step in (1, 2)] == [1040, 1080]
    assert {path.parent for path in folder.rglob("*.nbc")} == {folder / "__pycache__"}


def twins_of(folder: Path, **words: object) -> list[Any]:
    """The compiled functions of a module that calls one of another module, written anew."""
    (folder / "called.py").write_text(HELPER.format(**words))
    for name in ("called", "calling"):
        sys.modules.pop(name, None)
    invalidate_caches()
    calling = import_module("calling")
    return [compiled(calling.total), compiled(calling.in_parts)]


def hits_of(twins: list[Any]) -> list[int]:
    """How many of their signatures came from the disk."""
    return [sum(twin.stats.cache_hits.values()) for twin in twins]


def test_code_is_found_again_until_something_that_it_was_made_of_has_changed(folder: Path) -> None:
    words = {"code": "2 * number + STEP", "step": 1}
    results = []
    for change in ({}, {}, {"step": 2}, {"code": "3 * number + STEP"}, {}, {"step": 1}):
        words |= change
        COMPILED_ANEW.clear()
        twins = twins_of(folder, **words)
        results.append(([twin(10) for twin in twins], hits_of(twins)))
        anew = [] if any(hits_of(twins)) else ["total", "totals"]
        assert [*dict.fromkeys(COMPILED_ANEW)] == anew
    assert results == [
        ([21, 63], [0, 0]),
        ([21, 63], [1, 1]),
        ([22, 66], [0, 0]),
        ([32, 96], [0, 0]),
        ([32, 96], [1, 1]),
        ([31, 93], [0, 0]),
    ]


def test_fields_that_have_moved_are_read_where_they_are(folder: Path) -> None:
    (folder / "reading.py").write_text(READER)
    for fields in (["first", "second"], ["second", "first"]):
        (folder / "pairs.py").write_text(PAIR.format(fields=fields))
        for name in ("pairs", "reading"):
            sys.modules.pop(name, None)
        invalidate_caches()
        pair = import_module("pairs").Pair(first=1, second=2)
        assert compiled(import_module("reading").first_of)((pair, 3)) == 1


def test_what_was_kept_and_cannot_be_read_is_compiled_anew(folder: Path) -> None:
    def found() -> tuple[int, list[int]]:
        total, _ = twins_of(folder, code="2 * number + STEP", step=1)
        return total(10), hits_of([total])

    assert found() == (21, [0])
    for suffix, types_have_moved in product(("nbi", "nbc"), (True, False)):
        for path in folder.rglob(f"*.{suffix}"):
            kept = path.read_bytes()
            moved = kept.replace(b"numba.core.types", b"numba.gone.types")
            assert moved != kept
            path.write_bytes(moved if types_have_moved else kept[: len(kept) // 2])
        assert [found(), found()] == [(21, [0]), (21, [1])], (suffix, types_have_moved)


def test_code_of_other_constants_is_other_code(folder: Path) -> None:
    """Though written one behind the other they look alike."""
    scales = import_module("scales")
    numbers = [(1, 12), (11, 2), (12, 1)]
    for _ in range(2):
        kernels = [scales.make(*pair) for pair in numbers] + [
            scales.make_nested(scales.make(*pair), scales.make(*reversed(pair))) for pair in numbers
        ]
        assert [compiled(kernel)(1) for kernel in kernels] == [kernel(1) for kernel in kernels]


def test_code_of_other_constants_has_other_names(folder: Path) -> None:
    """By these Numba links it, beside a number that counts the functions of each process.

    So code that two processes had compiled could call each other's functions in a third one.
    """
    scales = import_module("scales")
    kernels = [scales.make(factor, step) for factor, step in ((1, 12), (11, 2), (1, 12))]
    first, other, again = [compiled(kernel).__qualname__ for kernel in kernels]
    assert first == again != other


def test_nobody_waits_for_the_compiler_of_other_code() -> None:
    @jit
    def one() -> int:
        return 1

    twin = fastest(one)
    with ThreadPoolExecutor(1) as executor, MAKING_TWINS:
        assert executor.submit(fastest, one).result(timeout=10) is twin
