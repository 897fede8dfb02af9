"""Read untrusted archives of numpy arrays (`.npz`) within a budget of memory.

An archive states the length of an array before decompression, and no more is decompressed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from math import prod
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile


class ArrayArchive:
    """The arrays of an archive, each read on access; ValueError if the content is no archive.

    All arrays that are read may together take `budget` bytes.
    """

    def __init__(self, content: bytes, budget: int) -> None:
        try:
            self._archive = ZipFile(BytesIO(content))
        except Exception as error:  # a torn or hostile file may raise anything
            raise ValueError("it is not an archive of arrays") from error
        self._budget = budget

    def __getitem__(self, name: str) -> Any:
        """The array of this name.

        Raises:
            ValueError: there is none, it is damaged, or it exceeds what is left of the budget.
        """
        from numpy.lib import format as npy

        with self._opened(name) as (file, size):
            self._budget -= size
            if self._budget < 0:
                raise ValueError("it takes more than is left of the budget")
            is_first = npy.read_magic(file) == (1, 0)
            read_header = npy.read_array_header_1_0 if is_first else npy.read_array_header_2_0
            shape, _, dtype = read_header(file)
            if not dtype.itemsize or prod(shape) * dtype.itemsize != size - file.tell():
                raise ValueError(f"it is not as long as an array of shape {shape}")
            file.seek(0)
            return npy.read_array(file, allow_pickle=False)

    def beginning(self, name: str, most: int) -> bytes:
        """The first `most` bytes of an array as it is stored, read without numpy."""
        with self._opened(name) as (file, _):
            return file.read(most)

    @contextmanager
    def _opened(self, name: str) -> Iterator[tuple[IO[bytes], int]]:
        """Open an array as it is stored, with its size in bytes; ValueError if it is missing."""
        try:
            entry = self._archive.getinfo(f"{name}.npy")
            if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise ValueError("numpy compresses otherwise, and a part could have any length")
            with self._archive.open(entry) as file:
                yield file, entry.file_size
        except Exception as error:
            raise ValueError(f"its array {name[:20]!r} cannot be read") from error
