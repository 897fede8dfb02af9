"""Strangers' text, fit to be shown."""


def plain_text(text: str) -> str:
    """The text without the control characters with which it could steer a terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)
