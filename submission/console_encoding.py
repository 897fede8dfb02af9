"""Characters that a console's encoding does not have: written in others, and no reason to fail."""

import codecs
from io import TextIOWrapper
from typing import TextIO

READABLE = "readable"
"""The error handler of streams, as `backslashreplace` is one."""

IN_ASCII = {
    **{"\N{LESS-THAN OR EQUAL TO}": "<=", "\N{GREATER-THAN OR EQUAL TO}": ">="},
    **{"\N{NOT EQUAL TO}": "!=", "\N{RIGHTWARDS ARROW}": "->", "\N{INFINITY}": "inf"},
    **{"\N{PLUS-MINUS SIGN}": "+-", "\N{MULTIPLICATION SIGN}": "x", "\N{MINUS SIGN}": "-"},
    **{"\N{GREEK SMALL LETTER ALPHA}": "alpha", "\N{GREEK SMALL LETTER BETA}": "beta"},
    **{"\N{EN DASH}": "-", "\N{EM DASH}": "-", "\N{HORIZONTAL ELLIPSIS}": "..."},
    **{"\N{NO-BREAK SPACE}": " ", "\N{REPLACEMENT CHARACTER}": "?"},
    **dict.fromkeys("\u2018\u2019", "'"),
    **dict.fromkeys("\u201c\u201d", '"'),
    **dict.fromkeys(map(chr, range(0x2500, 0x2580)), "+"),  # boxes: corners and crossings
    **dict.fromkeys("─━╌╍┄┅╴╶╸╺", "-"),
    **dict.fromkeys("│┃║├╞", "|"),
    **dict.fromkeys("└╘", "`"),
    **dict.fromkeys("═", "="),
    **dict.fromkeys(map(chr, range(0x2800, 0x2900)), "*"),  # braille: rich's spinners
}


def show_all_characters(*streams: TextIO | None) -> None:
    """Let text streams write whatever they are given.

    What the encoding lacks becomes ASCII that reads alike, such as `<=`, or else an escape, such
    as `\\u4e2d`. Where the encoding is UTF-8, all stays as it is.
    """
    codecs.register_error(READABLE, _in_ascii)
    for stream in streams:
        if isinstance(stream, TextIOWrapper):  # a notebook's is none, and writes everything
            stream.reconfigure(errors=READABLE)


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(IN_ASCII.get(c) or _escape(c) for c in lacking), error.end


def _escape(character: str) -> str:
    return character.encode("ascii", "backslashreplace").decode()
