"""Helpers, copied into a function's file, that make values for which there are no literals."""

from typing import Any


def bytes_of(text: str) -> bytes:
    """The bytes that a text holds, compressed and in base85."""
    from base64 import b85decode
    from zlib import decompress

    return decompress(b85decode(text))


def arrays_of(content: bytes) -> Any:
    """The array, or the open archive of arrays, in the content of a .npy or .npz file."""
    from io import BytesIO

    import numpy

    return numpy.load(BytesIO(content))


def restored(*parts: Any) -> Any:
    """The object whose `__reduce_ex__` returned these parts."""
    from copy import copy

    class Original:
        def __reduce_ex__(self, protocol: object) -> Any:
            return parts

    return copy(Original())
