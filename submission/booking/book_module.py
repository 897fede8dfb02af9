"""A book as a Python module, so that a bundle carries it like any other source."""

from base64 import b85encode

from agents.book.format import BookContent, encode_book

LINE_LENGTH = 94

MODULE = '''"""An opening book: {rows} rows, {columns} columns, {inarow} in a row, {plies} plies.

Written by `connectx book`: the bytes of `agents.book.format` in base85.
"""

SHIPPED_BOOK = (
{lines}
)
'''


def book_module(content: BookContent) -> str:
    """The text of a module that has the book in its constant `SHIPPED_BOOK`."""
    data = b85encode(encode_book(content)).decode("ascii")
    starts = range(0, len(data), LINE_LENGTH)
    lines = "\n".join(f'    "{data[start : start + LINE_LENGTH]}"' for start in starts)
    scope = content.scope
    return MODULE.format(
        rows=scope.rows,
        columns=scope.columns,
        inarow=scope.inarow,
        plies=scope.plies,
        lines=lines,
    )
