"""Files of labelled positions (`agents.policy.training.labelled_positions`).

There are two formats. As `.npz`, numpy's archive, a file holds the arrays `movers`, `masks` and
`scores`, `board` (rows, columns, inarow) and `format`. As `.parquet` it is a table with a row for
each position: `mover` and `mask`, 64-bit integers, and the score of each column in `score_0`,
`score_1` …, 8-bit integers, null for a full one; the schema's metadata hold `format` and `board`.

For a board of more than 64 bits (`envs.bitboard.bits_needed`) words are stored in parts of 64, the
lowest first: `movers` and `masks` have a column for each part, and a table has `mover_1`, `mask_1`
… for the further ones.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from agents.networks.array_archive import ArrayArchive
from agents.policy.training.labelled_positions import ILLEGAL, LabelledPositions, label_words
from agents.reporting.input_file import read_content
from agents.reporting.output_file import replace_content
from agents.solver.solver_engine import fits_solver
from envs.bitboard import WORD_BITS, word_of_board
from envs.compiled.jit import Words, bits_of_word, words_of, zeros
from envs.connectx import ConnectX

FORMAT = "connectx labels, version 1"
ADVICE = "make one with `connectx positions --labels N --output FILE.npz`"
MOST_FOLDED = 32
"""The most times that the content may be longer than its file: several times the ratio that
distinct positions have."""
WORD_BYTES = 8


def require_label_format(path: Path) -> None:
    """Check that labelled positions can be written to a file of this name, and read from it.

    Raises:
        ValueError: its name does not end in .npz or .parquet.
        ModuleNotFoundError: it ends in .parquet, and pyarrow is missing.
    """
    if path.suffix not in CODECS:
        raise ValueError(
            f"the name of a file of labelled positions must end in .npz or .parquet, not {path}"
        )
    if path.suffix == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError as error:
            raise ModuleNotFoundError(
                "a .parquet file needs pyarrow: install the extra `parquet` by "
                '`pip install -e ".[parquet]"`, or choose a .npz file'
            ) from error


def write_labelled_positions(path: Path, positions: LabelledPositions) -> None:
    """Write a file, as a whole or not at all.

    Raises:
        ValueError, ModuleNotFoundError: see `require_label_format`.
        OSError: it cannot be written.
    """
    require_label_format(path)
    encode, _ = CODECS[path.suffix]
    replace_content(path, encode(positions))


def read_labelled_positions(path: Path) -> LabelledPositions:
    """Read a file that `write_labelled_positions` has made.

    Raises:
        ValueError, ModuleNotFoundError: see `require_label_format`; or it holds something else.
        OSError: it cannot be read.
    """
    require_label_format(path)
    _, decode = CODECS[path.suffix]
    content = read_content(path, ADVICE, "the labels ")
    try:
        positions = decode(content)
        positions.require_sound()
    except Exception as error:  # a torn or hostile file may raise anything
        raise ValueError(f"{path} holds no labelled positions ({error}): {ADVICE}") from error
    return positions


def _part_names(name: str, board: Sequence[int]) -> list[str]:
    """The names of the 64-bit parts in which a file stores the words of a board."""
    word = word_of_board(*board)
    count = bits_of_word(word(0)) // WORD_BITS
    return [name, *(f"{name}_{part}" for part in range(1, count))]


def _parts(env: ConnectX, words: Words) -> Words:
    """[n, part] Words in parts, the lowest first."""
    import numpy as np

    parts: Words = words_of(words.tolist(), word_of_board(*env.size)).view(np.int64, np.ndarray)
    return parts.reshape(len(words), len(_part_names("", env.size)))


def _whole(env: ConnectX, parts: Words) -> Words:
    """The words that `_parts` has split."""
    import numpy as np

    words = zeros(len(parts), word=word_of_board(*env.size))
    words.view(np.int64, np.ndarray).reshape(parts.shape)[...] = parts
    return label_words(env, words.tolist())


def _encode_npz(positions: LabelledPositions) -> bytes:
    import numpy as np

    env, file = positions.env, BytesIO()
    movers, masks = _parts(env, positions.movers), _parts(env, positions.masks)
    if movers.shape[1] == 1:
        movers, masks = movers[:, 0], masks[:, 0]
    np.savez_compressed(
        file,
        format=np.array(FORMAT),
        board=np.array(env.size, np.int64),
        movers=movers,
        masks=masks,
        scores=positions.scores,
    )
    return file.getvalue()


def _decode_npz(content: bytes) -> LabelledPositions:
    arrays = ArrayArchive(content, MOST_FOLDED * len(content))
    words = arrays["movers"], arrays["masks"]
    return _decoded(str(arrays["format"]), arrays["board"].tolist(), words, arrays["scores"])


def _encode_parquet(positions: LabelledPositions) -> bytes:
    import pyarrow
    import pyarrow.parquet

    env, file = positions.env, BytesIO()
    columns: dict[str, Any] = {}
    for name, words in ("mover", positions.movers), ("mask", positions.masks):
        columns |= dict(zip(_part_names(name, env.size), _parts(env, words).T, strict=True))
    for column, scores in enumerate(positions.scores.T):
        columns[f"score_{column}"] = pyarrow.array(scores, mask=scores == ILLEGAL)
    metadata = {"format": FORMAT, "board": json.dumps(env.size)}
    pyarrow.parquet.write_table(pyarrow.table(columns, metadata=metadata), file)
    return file.getvalue()


def _decode_parquet(content: bytes) -> LabelledPositions:
    import numpy as np
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(content))
        groups = map(file.metadata.row_group, range(file.num_row_groups))
        rows = sum(group.num_rows for group in groups)
        if not all(map(pyarrow.types.is_integer, file.schema_arrow.types)):
            raise ValueError("numbers alone have a known length")
        if rows * len(file.schema_arrow) * WORD_BYTES > MOST_FOLDED * len(content):
            raise ValueError("it holds more than it may")
        table = file.read()
    except Exception as error:  # a torn or hostile file may raise anything
        raise ValueError("it is not a Parquet table, or it is damaged") from error
    metadata = table.schema.metadata
    board = json.loads(metadata[b"board"])
    scores = [table[f"score_{column}"].fill_null(ILLEGAL) for column in range(board[1])]
    words = [
        np.stack([table[part].to_numpy() for part in _part_names(name, board)], axis=1)
        for name in ("mover", "mask")
    ]
    return _decoded(metadata[b"format"].decode(), board, words, np.stack(scores, axis=1))


def _decoded(found: str, board: list[int], words: Sequence[Any], scores: Any) -> LabelledPositions:
    import numpy as np

    if found != FORMAT:
        raise ValueError(f"it must have the format {FORMAT!r}, not {found[:30]!r}")
    if not fits_solver(*board):  # before too large a board is made
        raise ValueError("the board is too large")
    env = ConnectX(*board)
    parts = (each.astype(np.int64, casting="safe") for each in words)
    movers, masks = (_whole(env, each if each.ndim == 2 else each[:, None]) for each in parts)
    return LabelledPositions(env, movers, masks, scores.astype(np.int8, casting="safe"))


CODECS: Mapping[
    str, tuple[Callable[[LabelledPositions], bytes], Callable[[bytes], LabelledPositions]]
] = {".npz": (_encode_npz, _decode_npz), ".parquet": (_encode_parquet, _decode_parquet)}
"""The functions that write and read the content of a file, by the ending of its name."""
