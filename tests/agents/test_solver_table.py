"""The solver's table: a position's place in it, by arithmetic, and the table in a file.

The place is the same compiled and in plain Python. A search goes on with a file, or refuses it.
"""

import json
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agents.solver.saved_table import load_table, save_table
from agents.solver.score_table import (
    FAR_LEFT,
    HASH_MULTIPLIERS,
    ScoreTable,
    TableLayout,
    TablePart,
    bucket_and_tag,
    table_layout,
)
from agents.solver.solver import ScoreBounds, Solver
from agents.solver.solver_engine import CompiledEngine
from envs import ConnectX
from envs.bitboard import board_masks
from envs.compiled.jit import bits_of_word, compiled, jit, words_of, zeros

KEYS = 2000

BOARDS = {
    "5 bits": (4, 1, 4),
    "49 bits": (6, 7, 4),
    "63 bits": (6, 9, 4),
    "64 bits, the sign": (7, 8, 4),
    "64 bits, low": (1, 32, 4),
    "128 bits": (15, 8, 4),
    "130 bits": (9, 13, 4),
}
"""Boards by the bits of their positions' keys."""

MEGABYTES = (1, 4096)


def places_by(layout: TableLayout) -> Callable[..., None]:
    """A kernel with this layout compiled in, as the solver's is."""

    @jit
    def places(keys: Any, generation: int, left: int, buckets: Any, tags: Any) -> None:
        table = ScoreTable(layout, keys, generation)
        for index in range(len(keys)):
            bucket, tag = bucket_and_tag(table, keys[index], left)
            buckets[index] = bucket
            tags[index] = tag

    return places


def expected(layout: TableLayout, part: TablePart, key: int, generation: int) -> tuple[int, int]:
    """By D. E. Knuth's multiplicative hashing modulo the word: all bits in turn, from the lowest.

    They are the check's, and then the bucket's.
    """
    bits = bits_of_word(layout.multiplier)
    product = key * HASH_MULTIPLIERS[bits] % 2**bits
    bucket, check = divmod(product, 2**part.check_bits)
    bucket %= 2**part.bucket_bits
    tag = check * 2**part.generation_bits + generation % 2**part.generation_bits
    return part.first + 2 * bucket, tag


@pytest.mark.parametrize("megabytes", MEGABYTES)
@pytest.mark.parametrize("size", BOARDS.values(), ids=BOARDS.keys())
def test_a_place_is_the_same_compiled_or_not(size: tuple[int, int, int], megabytes: int) -> None:
    board, rng = board_masks(*size), Random(str(size))
    layout = table_layout(board, megabytes)
    word, bits = type(board.board), bits_of_word(board.board)
    key_bits = (board.rows + 1) * board.columns
    keys = [0, 1, 2**key_bits - 1, 2 ** (key_bits - 1)]
    keys += [rng.getrandbits(key_bits) for _ in range(KEYS)]
    numbers = [key - 2**bits * (key >> bits - 1) for key in keys]  # with the word's sign
    kernel, generation = places_by(layout), rng.getrandbits(40)
    for left, part in ((FAR_LEFT + 1, layout.far), (FAR_LEFT, layout.near)):
        true = [expected(layout, part, key, generation) for key in keys]
        for places, given in ((kernel, numbers), (compiled(kernel), words_of(numbers, word))):
            buckets, tags = zeros(len(keys)), zeros(len(keys), word=word)
            places(given, generation, left, buckets, tags)
            assert list(zip(buckets.tolist(), tags.tolist(), strict=True)) == true


BOARD = ConnectX(6, 5)
"""J. Tromp: a draw."""
EMPTY = BOARD.initial_state()


def solver_of(env: ConnectX = BOARD, megabytes: int = 1) -> Solver:
    return Solver(env, table_megabytes=megabytes)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ScoreBounds]:
    """The table of a search that was left on its way, and how far it had come."""
    solver, path = solver_of(), tmp_path_factory.mktemp("tables") / "begun.table"
    bounds = solver.bounds(EMPTY, node_limit=100_000)
    save_table(solver, path)
    return path, bounds


def test_a_search_goes_on_from_its_table(begun: tuple[Path, ScoreBounds]) -> None:
    path, left = begun
    assert not left.exact
    anew, resumed = solver_of(), solver_of()
    load_table(resumed, path)
    whole, rest = anew.bounds(EMPTY), resumed.bounds(EMPTY)
    assert (whole.lower, whole.upper) == (rest.lower, rest.upper) == (0, 0)
    assert rest.nodes < whole.nodes - left.nodes / 2


def test_the_file_is_smaller_than_the_table(begun: tuple[Path, ScoreBounds]) -> None:
    path, _ = begun
    assert path.stat().st_size < 1 << 18
    assert list(path.parent.iterdir()) == [path], "nothing unfinished is left"


def test_a_finished_search_is_not_searched_again(tmp_path: Path) -> None:
    solver, resumed = solver_of(), solver_of()
    solver.forget()
    solver.bounds(EMPTY)
    save_table(solver, tmp_path / "table")
    load_table(resumed, tmp_path / "table")
    assert resumed.bounds(EMPTY).nodes < 10


def other_header(**fields: object) -> Callable[[bytes], bytes]:
    def changed(content: bytes) -> bytes:
        first, _, words = content.partition(b"\n")
        return json.dumps(json.loads(first) | fields).encode() + b"\n" + words

    return changed


def other_words(content: bytes) -> bytes:
    first, _, words = content.partition(b"\n")
    return first + b"\n" + zlib.compress(zlib.decompress(words)[:-8])


def with_entry(lower: int, upper: int) -> Callable[[bytes], bytes]:
    """One entry of other bounds, each of 7 bits."""

    def changed(content: bytes) -> bytes:
        first, _, words = content.partition(b"\n")
        table = bytearray(zlib.decompress(words))
        table[:2] = (lower | upper << 7).to_bytes(2, "little")
        return first + b"\n" + zlib.compress(bytes(table))

    return changed


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (with_entry(lower=17, upper=16), "is damaged"),
        (with_entry(lower=3, upper=33), "is damaged"),  # bounds are from 0 to 32 on 30 cells
        (lambda content: b"", "must begin with the format 'connectx solver table, version 1'"),
        (lambda content: b"\xff" * 9000, "must begin with the format"),
        (other_header(format="connectx solver table, version 0"), "not 'connectx solver table"),
        (other_header(board="connectx-6x6x4"), "is for 'connectx-6x6x4', not 'connectx-6x5x4'"),
        (other_header(board="\x1b" * 500), r"is for '(\\x1b)+\\x1, not 'connectx-6x5x4'$"),
        (other_header(megabytes=10**3000), r"has 1(0{19}) MB, not 1: go on with the size"),
        (other_header(format="f" * 3000), r"not 'f{1,99}\.\.\.f{1,99}': name a file"),
        (other_header(megabytes=64), "has 64 MB, not 1: go on with the size"),
        (other_header(layout=[1, 2, 3, 4]), "comes from another version of the solver"),
        (other_header(generation=0), "is damaged"),
        (other_header(generation="1"), "is damaged"),
        (other_header(generation=1.0), "is damaged"),
        (lambda content: content.replace(b'"layout"', b'"lay out"'), "does not state its layout"),
        (lambda content: content[:-100], "is damaged"),
        (lambda content: content[: len(content) // 2], "is damaged"),
        (lambda content: content + b"more", "is damaged"),
        (lambda content: content[:-200] + b"?" + content[-199:], "is damaged"),
        (other_words, "is damaged: delete it, and begin anew without --resume"),
    ],
)
def test_another_or_a_torn_file_is_one_sentence_and_leaves_an_empty_table(
    begun: tuple[Path, ScoreBounds], tmp_path: Path, change: Callable[[bytes], bytes], sentence: str
) -> None:
    path, solver = tmp_path / "changed.table", solver_of()
    path.write_bytes(change(begun[0].read_bytes()))
    with pytest.raises(ValueError, match=sentence) as refusal:
        load_table(solver, path)
    assert str(refusal.value).isprintable()
    assert isinstance(solver.engine, CompiledEngine)
    assert not solver.engine.table.any()


def test_the_widest_bounds_are_taken_but_no_missing_file_and_no_plain_solver(
    begun: tuple[Path, ScoreBounds], tmp_path: Path
) -> None:
    (tmp_path / "wide").write_bytes(with_entry(lower=0, upper=32)(begun[0].read_bytes()))
    load_table(solver_of(), tmp_path / "wide")
    with pytest.raises(OSError, match=r"cannot read the table .*absent"):
        load_table(solver_of(), tmp_path / "absent")
    with pytest.raises(ValueError, match="a table is kept only where the search is compiled"):
        save_table(Solver(BOARD, plain=True), tmp_path / "table")


def require_narrowing(told: list[ScoreBounds]) -> None:
    """The last bounds are equal, and all before them lie around the next."""
    for before, after in pairwise(told):
        assert before.lower <= after.lower <= after.upper <= before.upper
        assert before.nodes <= after.nodes
    assert told[-1].exact


@pytest.mark.parametrize("threads", [1, 2])
def test_reports_narrow_to_the_result(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.solver.solver.STEP_NODES", 50_000)
    monkeypatch.setattr("agents.solver.solver.STEP_SECONDS", 0.01)
    monkeypatch.setattr("agents.solver.solver.FIRST_BUDGET", 1000)
    told: list[ScoreBounds] = []
    solver = Solver(BOARD, table_megabytes=1, threads=threads)
    result = solver.bounds(EMPTY, on_progress=told.append)
    assert (result.lower, result.upper) == (0, 0)
    assert len(told) > 3
    require_narrowing([*told, result])

    begin, of_columns = ConnectX(5, 5).initial_state(), list[dict[int, ScoreBounds]]()
    solver = Solver(ConnectX(5, 5), table_megabytes=1, threads=threads)
    scores = solver.scores(begin, on_progress=lambda found: of_columns.append(dict(found)))
    for column, bounds in Solver(ConnectX(5, 5)).scores(begin).items():
        assert scores[column] == of_columns[-1][column]
        assert scores[column].lower == bounds.lower
        require_narrowing([found[column] for found in of_columns])
