"""Bytes as Python source: a text in base85, in lines that an editor can show."""

from base64 import b85encode

LINE_LENGTH = 94


def base85_lines(content: bytes) -> str:
    """String literals, a line for each and indented, that together are `content` in base85."""
    text = b85encode(content).decode("ascii")
    starts = range(0, len(text), LINE_LENGTH)
    return "\n".join(f'    "{text[start : start + LINE_LENGTH]}"' for start in starts)
