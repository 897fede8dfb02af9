"""A book as a Python module, so that a bundle carries it like any other source."""

from agents.book.format import BookContent, encode_book
from submission.bundling.base85_text import base85_lines

MODULE = '''"""An opening book: {rows} rows, {columns} columns, {inarow} in a row, {plies} plies.

Written by `connectx book`: the bytes of `agents.book.format` in base85.
"""

SHIPPED_BOOK = (
{lines}
)
'''


def book_module(content: BookContent) -> str:
    """The text of a module that has the book in its constant `SHIPPED_BOOK`."""
    scope = content.scope
    return MODULE.format(
        rows=scope.rows,
        columns=scope.columns,
        inarow=scope.inarow,
        plies=scope.plies,
        lines=base85_lines(encode_book(content)),
    )
