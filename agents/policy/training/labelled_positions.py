"""Labelled positions: what the solver teaches a network, as arrays and as files.

A file is one of two. As `.npz`, numpy's archive, it holds the arrays `movers`, `masks` and
`scores`, `board` (rows, columns, inarow) and `format`. As `.parquet` it is a table with a row for
each position: `mover` and `mask`, 64-bit integers, and the score of each column in `score_0`,
`score_1` …, 8-bit integers, null for a full one; the schema's metadata hold `format` and `board`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from agents.book.book_positions import have_line
from agents.policy.array_archive import ArrayArchive
from agents.reporting.input_file import read_content
from agents.reporting.output_file import replace_content
from envs.bitboard import board_masks, column_cells, fits_in_word, mirrored
from envs.board import BoardState
from envs.compiled.jit import Words
from envs.connectx import ConnectX

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Scores: TypeAlias = npt.NDArray[np.int8]
else:
    Scores = object

ILLEGAL = -128
"""In place of the score of a column that is full."""

FORMAT = "connectx labels, version 1"
ADVICE = "make one with `connectx positions --labels N --output FILE.npz`"
MOST_FOLDED = 32
"""How many times as long as its file the content may be: several times what distinct positions
come to."""
WORD_BYTES = 8


def require_labelled_board(env: ConnectX) -> None:
    """Check that positions of a board can be labelled.

    Raises:
        ValueError: the board is too large.
    """
    if not fits_in_word(env.rows, env.columns, env.inarow):
        raise ValueError(f"labelled positions are of boards of at most 64 bits, not of {env!r}")


@dataclass(frozen=True, eq=False)
class LabelledPositions:
    """Unfinished positions of one game with the exact score of each move.

    Scores are from the view of the player to move before the move, on the scale of
    `agents.solver.solver.ScoreBounds`.

    Raises:
        ValueError: the arrays do not belong together, or to a board of 64 bits.
    """

    env: ConnectX
    movers: Words
    """[n] Stones of the player to move, laid out as in `envs.bitboard`."""
    masks: Words
    """[n] Stones of both players."""
    scores: Scores
    """[n, columns] The score of each column, `ILLEGAL` for a full one."""

    def __post_init__(self) -> None:
        env, count = self.env, len(self.movers)
        shapes = self.movers.shape, self.masks.shape, self.scores.shape
        require_labelled_board(env)
        if shapes != ((count,), (count,), (count, env.columns)):
            raise ValueError(f"arrays of the shapes {shapes} are no positions of {env!r}")

    def __len__(self) -> int:
        """The number of positions."""
        return len(self.movers)

    @cached_property
    def plies(self) -> Words:
        """[n] How many plies were played."""
        return self._stones(self.masks)

    @cached_property
    def keys(self) -> Words:
        """[n] A number of each position and its mirror image alone."""
        import numpy as np

        keys: Any = self.movers + self.masks
        smaller: Words = np.minimum(keys, mirrored(self.env.rows, self.env.columns, keys))
        return smaller

    def _stones(self, words: Words) -> Words:
        """[n] The numbers of stones in words."""
        import numpy as np

        stones: Words = np.zeros_like(words)
        for bit in range((self.env.rows + 1) * self.env.columns):
            stones += (words >> bit) & 1
        return stones

    def require_sound(self) -> None:
        """Check that all are unfinished positions, with scores that there can be.

        Raises:
            ValueError: some are not.
        """
        env, masks, movers = self.env, self.masks, self.movers
        board, steps = board_masks(env.rows, env.columns, env.inarow), self.env.line_steps
        sound = (masks & ~board.board) == 0
        sound &= ((masks + board.bottom) & masks) & board.board == 0
        sound &= (movers & ~masks == 0) & (self._stones(movers) == self.plies // 2)
        sound &= ~(have_line(movers, steps) | have_line(masks ^ movers, steps))
        least, most = -((board.cells - self.plies) // 2), (board.cells + 1 - self.plies) // 2
        for column, scores in enumerate(self.scores.T):
            cells = column_cells(env.rows, column)
            is_full, has_score = masks & cells == cells, scores != ILLEGAL
            sound &= is_full != has_score
            sound &= is_full | ((least <= scores) & (scores <= most))
        if not sound.all():
            raise ValueError(f"some are no positions of {env!r}, or have scores that cannot be")

    def without(self, states: Sequence[BoardState]) -> "LabelledPositions":
        """All but some positions and their mirror images."""
        import numpy as np

        movers = np.array([state.mover for state in states], np.int64)
        masks = np.array([state.mask for state in states], np.int64)
        scores = np.zeros((len(states), self.env.columns), np.int8)
        unwanted = LabelledPositions(self.env, movers, masks, scores)
        return self.take(~np.isin(self.keys, unwanted.keys))

    def take(self, places: Any) -> "LabelledPositions":
        """The positions at some places: a slice, their numbers, or a flag for each position."""
        return LabelledPositions(
            self.env, self.movers[places], self.masks[places], self.scores[places]
        )


def joined(env: ConnectX, parts: list[LabelledPositions]) -> LabelledPositions:
    """The positions of all parts, one after the other."""
    import numpy as np

    return LabelledPositions(
        env,
        np.concatenate([np.zeros(0, np.int64), *(part.movers for part in parts)]),
        np.concatenate([np.zeros(0, np.int64), *(part.masks for part in parts)]),
        np.concatenate([np.zeros((0, env.columns), np.int8), *(part.scores for part in parts)]),
    )


def require_label_format(path: Path) -> None:
    """See to it that labelled positions can be written to a file of this name, and read from it.

    Raises:
        ValueError: its name ends in something else than .npz or .parquet.
        ModuleNotFoundError: it ends in .parquet, and pyarrow is missing.
    """
    if path.suffix not in CODECS:
        raise ValueError(
            f"labelled positions are kept in .npz or .parquet files, not in {path}: name it so"
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
    """Write a file, at once.

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
    except Exception as error:  # whatever a torn or a stranger's file may lead to
        raise ValueError(f"{path} holds no labelled positions ({error}): {ADVICE}") from error
    return positions


def _encode_npz(positions: LabelledPositions) -> bytes:
    import numpy as np

    env, file = positions.env, BytesIO()
    np.savez_compressed(
        file,
        format=np.array(FORMAT),
        board=np.array([env.rows, env.columns, env.inarow], np.int64),
        movers=positions.movers,
        masks=positions.masks,
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
    columns = {"mover": positions.movers, "mask": positions.masks} | {
        f"score_{column}": pyarrow.array(scores, mask=scores == ILLEGAL)
        for column, scores in enumerate(positions.scores.T)
    }
    metadata = {"format": FORMAT, "board": json.dumps([env.rows, env.columns, env.inarow])}
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
    except Exception as error:  # whatever a torn or a stranger's file may lead to
        raise ValueError("it is no table of Parquet, or a damaged one") from error
    metadata = table.schema.metadata
    board = json.loads(metadata[b"board"])
    scores = [table[f"score_{column}"].fill_null(ILLEGAL) for column in range(board[1])]
    words = table["mover"].to_numpy(), table["mask"].to_numpy()
    return _decoded(metadata[b"format"].decode(), board, words, np.stack(scores, axis=1))


def _decoded(found: str, board: list[int], words: Sequence[Any], scores: Any) -> LabelledPositions:
    import numpy as np

    if found != FORMAT:
        raise ValueError(f"it must have the format {FORMAT!r}, not {found[:30]!r}")
    movers, masks = (word.astype(np.int64, casting="safe") for word in words)
    if not fits_in_word(*board):  # before so large a board is made
        raise ValueError("the board is too large")
    return LabelledPositions(
        ConnectX(*board), movers, masks, scores.astype(np.int8, casting="safe")
    )


CODECS: Mapping[
    str, tuple[Callable[[LabelledPositions], bytes], Callable[[bytes], LabelledPositions]]
] = {".npz": (_encode_npz, _decode_npz), ".parquet": (_encode_parquet, _decode_parquet)}
"""The functions that write and read the content of a file, by the end of its name."""
