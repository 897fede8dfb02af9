"""A book or a repertoire as a Python module, so that a bundle carries it like any other source."""

from agents.book.format import BookContent, base85_lines, encode_book
from agents.book.repertoire import RepertoireScope

MODULE = '''"""{subject}.

Written by `connectx book{option}`: the bytes of `{format}` in base85.
"""

{constant} = (
{lines}
)
'''


def book_module(content: BookContent) -> str:
    """The text of a module that has the book in its constant `SHIPPED_BOOK`."""
    scope = content.scope
    return MODULE.format(
        subject=f"An opening book: {scope.rows} rows, {scope.columns} columns, "
        f"{scope.inarow} in a row, {scope.plies} plies",
        option="",
        format="agents.book.format",
        constant="SHIPPED_BOOK",
        lines=base85_lines(encode_book(content)),
    )


def repertoire_module(scope: RepertoireScope, data: bytes) -> str:
    """The text of a module that has a repertoire's bytes in its constant `SHIPPED_REPERTOIRE`."""
    return MODULE.format(
        subject=f"A repertoire: {scope.rows} rows, {scope.columns} columns, {scope.inarow} in a "
        "row",
        option=" --repertoire",
        format="agents.book.repertoire_format",
        constant="SHIPPED_REPERTOIRE",
        lines=base85_lines(data),
    )
