"""Refusals of strangers' files: one sentence each, fit for a terminal."""

LONGEST_SENTENCE = 1000
"""Characters, including the path of a file and advice."""


def is_sentence(error: BaseException) -> bool:
    """Whether an error's message is one line of sane length without control characters."""
    text = str(error)
    return text.isprintable() and 0 < len(text) < LONGEST_SENTENCE


def nested(depth: int) -> str:
    """JSON of lists nested to this depth."""
    return "[" * depth + "]" * depth
