"""Replaces characters that a console's encoding lacks, so that printing never fails."""

import codecs
from io import TextIOWrapper
from typing import TextIO

READABLE = "readable"  # the name of an error handler for streams, like `backslashreplace`

IN_ASCII = {
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "→": "->",
    "∞": "inf",
    "±": "+-",
    "\N{MULTIPLICATION SIGN}": "x",
    "\N{MINUS SIGN}": "-",
    "\N{EN DASH}": "-",
    "\N{EM DASH}": "-",
    "…": "~",  # one character, which keeps a table's columns aligned
    "\N{GREEK SMALL LETTER ALPHA}": "alpha",
    "\N{GREEK SMALL LETTER BETA}": "beta",
    "\N{NO-BREAK SPACE}": " ",
    "\N{REPLACEMENT CHARACTER}": "?",
    **dict.fromkeys("\u2018\u2019", "'"),
    **dict.fromkeys("\u201c\u201d", '"'),
    **dict.fromkeys(map(chr, range(0x2500, 0x2580)), "+"),  # corners and crossings of boxes
    **dict.fromkeys("─━╴╶╸╺", "-"),
    **dict.fromkeys("│┃║├╞", "|"),
    **dict.fromkeys("└╘", "`"),
    "═": "=",
    **dict.fromkeys(map(chr, range(0x2800, 0x2900)), "*"),  # the spinner
}


def show_all_characters(*streams: TextIO | None) -> None:
    r"""Let text streams write any character.

    A character that the encoding lacks becomes similar ASCII, as in `<=`, or else an escape, as in
    `\u4e2d`. With UTF-8 nothing changes.
    """
    for stream in streams:
        if isinstance(stream, TextIOWrapper):  # not a notebook's, which writes everything
            stream.reconfigure(errors=READABLE)


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    similar = [IN_ASCII.get(c) or c.encode("ascii", "backslashreplace").decode() for c in lacking]
    return "".join(similar), error.end


codecs.register_error(READABLE, _in_ascii)
