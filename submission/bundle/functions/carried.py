"""Functions in a function's file that make values for which there are no literals."""

from typing import Any


def array_of(text: str) -> Any:
    """The array in a text: a file in numpy's format, compressed and in base85."""
    from base64 import b85decode
    from io import BytesIO
    from zlib import decompress

    import numpy

    return numpy.load(BytesIO(decompress(b85decode(text))))


def restored(*parts: Any) -> Any:
    """The object that its `__reduce_ex__` has taken apart into these parts."""
    from copy import copy

    class Original:
        def __reduce_ex__(self, protocol: object) -> Any:
            return parts

    return copy(Original())
