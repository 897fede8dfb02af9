"""A solver's table as a file, from which a long search resumes.

The file is a line of JSON with the board and the layout of the table, followed by the table's
words, compressed by zlib, whose checksum detects a truncated or changed file. Entries that took
little work are left out, because they are soon found again.
"""

import json
import zlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from agents.reporting.input_file import read_content, read_header
from agents.reporting.output_file import replace_parts
from agents.solver.score_table import BOUND_BITS, WORK_BITS, generation_in
from agents.solver.solver import Solver
from agents.solver.solver_engine import CompiledEngine
from envs.compiled.jit import Words
from envs.games import game_id

FORMAT = "connectx solver table, version 1"
ADVICE = "delete it, and begin anew without --resume"
LEAST_WORK = 8
"""The least bit length of the node count of a saved entry: 128 nodes or more. In a full table the
share of such entries grows, because they stay and the others are replaced."""
LEVEL = 1  # level of the compression: higher ones take many times as long and save a tenth
CHUNK = 1 << 20  # entries that are compressed at once
LONGEST_HEADER = 4096
MOST_GENERATIONS = 1 << 62


def save_table(solver: Solver, path: Path) -> None:
    """Write a solver's table; an existing file is replaced only when the new one is complete.

    Other threads may use the table meanwhile. Raises OSError if it cannot be written.
    """
    engine = require_table(solver)
    header = json.dumps(_header(solver, engine)).encode()
    replace_parts(path, chain([header, b"\n"], _compressed(engine.table)))


def load_table(solver: Solver, path: Path) -> None:
    """Fill a solver's table from a file written by `save_table`.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is not a table, is for another board or size, or is damaged.
    """
    content = read_content(path, "name a file that --table has written", "the table ")
    first, _, compressed = content.partition(b"\n")
    header = read_header(first[:LONGEST_HEADER], FORMAT, path, "name a file of --table")
    engine = require_table(solver)
    own = _header(solver, engine)
    if missing := own.keys() - header.keys():
        raise ValueError(f"the table {path} does not state its {min(missing)}: {ADVICE}")
    if header["board"] != own["board"]:
        raise ValueError(f"the table {path} is for {header['board']!r:.60}, not {own['board']!r}")
    if header["megabytes"] != own["megabytes"]:
        raise ValueError(
            f"the table {path} has {header['megabytes']!r:.20} MB, not {own['megabytes']}: go on "
            "with the size that it was begun with"
        )
    if header["layout"] != own["layout"]:
        raise ValueError(f"the table {path} comes from another version of the solver: {ADVICE}")
    generation = header["generation"]
    is_number = type(generation) is int and 0 < generation < MOST_GENERATIONS
    if not (is_number and generation_in(engine.layout.near, generation)):
        raise _damaged(path)
    _decompress(path, compressed, engine)
    engine.generation = generation


def require_table(solver: Solver) -> CompiledEngine:
    """The engine of a solver whose table can be saved; a ValueError if it is plain Python."""
    if not isinstance(solver.engine, CompiledEngine):
        raise ValueError(
            "a table is kept only where the search is compiled: install numba, or leave --table out"
        )
    return solver.engine


def _header(solver: Solver, engine: CompiledEngine) -> dict[str, Any]:
    """The description of a table in the first line of its file."""
    near, far, *rest = engine.layout
    return {
        "format": FORMAT,
        "board": game_id(solver.env),
        "megabytes": int(engine.table.nbytes >> 20),
        "layout": [list(near), list(far), *rest],
        "generation": int(engine.generation),
    }


def _compressed(table: Words) -> Iterator[bytes]:
    """The parts of the compressed words, the lowest byte first."""
    compressor = zlib.compressobj(LEVEL)
    entries = _parts_of_entries(table)
    for start in range(0, len(entries), CHUNK):
        parts = entries[start : start + CHUNK].astype("<i8")
        work = (parts[:, 0] >> (2 * BOUND_BITS)) & ((1 << WORK_BITS) - 1)
        parts[work < LEAST_WORK] = 0
        yield compressor.compress(parts.tobytes())
    yield compressor.flush()


def _decompress(path: Path, compressed: bytes, engine: CompiledEngine) -> None:
    """Fill a table; if something is wrong, leave it empty."""
    decompressor, rest = zlib.decompressobj(), compressed
    entries = _parts_of_entries(engine.table)
    try:
        for start in range(0, len(entries), CHUNK):
            part, wanted = bytearray(), entries[start : start + CHUNK].nbytes
            while len(part) < wanted:
                part += decompressor.decompress(rest, wanted - len(part)) or _missing()
                rest = decompressor.unconsumed_tail
            parts = np.frombuffer(part, "<i8").reshape(-1, entries.shape[1])
            _require_bounds(parts[:, 0], engine.layout.offset)
            entries[start : start + CHUNK] = parts
        if decompressor.decompress(rest, 1) or not decompressor.eof or decompressor.unused_data:
            raise zlib.error("it does not end here")
    except zlib.error as error:
        entries[:] = 0
        raise _damaged(path) from error


def _require_bounds(lowest: Words, offset: int) -> None:
    """Reject entries with bounds that contradict each other or are impossible on the board."""
    most = (1 << BOUND_BITS) - 1
    lower, upper = lowest & most, (lowest >> BOUND_BITS) & most
    if ((lower > upper) | (upper > 2 * offset)).any():
        raise zlib.error("no score has such bounds")


def _parts_of_entries(table: Words) -> Words:
    """A view of a table: each entry as its parts of 64 bits, the lowest first."""
    return np.asarray(table).view(np.int64).reshape(len(table), -1)


def _missing() -> bytes:
    raise zlib.error("it ends early")


def _damaged(path: Path) -> ValueError:
    return ValueError(f"the table {path} is damaged: {ADVICE}")
