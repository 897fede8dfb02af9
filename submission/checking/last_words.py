"""The end of a submission's standard error, without what the report says elsewhere."""

import re
from collections.abc import Sequence

from submission.checking.observed_game import ObservedGame
from submission.entry import PLAYED_WITH
from submission.sandbox.inside.kaggle_agent import LONGEST_TEXT
from submission.sandbox.move import STDERR_LINES

FALL_BACK = "; falling back"
"""Ends a bundle's message that its agent gave no column; see `submission.entry`."""

KAGGLES_TRACEBACK = re.compile(
    r'^Traceback \(most recent call last\):\n  File "[^"\n]*kaggle_environments', re.MULTILINE
)

CHAINED = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
"""Stand above the second and further tracebacks of a chain."""

FRAME = r'^  File "[^"\n]*", line \d+ in .*\n?'
"""A frame of a stack that was written when a process crashed or was ended."""

UNTOLD = re.compile(
    r'^  File "(?:[^"\n]*(?:kaggle_environments|submission.sandbox)[^"\n]*|<string>)", line \d+ in '
    r".*\n?|^Extension modules: .*\n?"
    r'|^  File "(?![^"\n]*", line \d+ in .)[^\n]*\Z',  # the process ended amid this line
    re.MULTILINE,
)

OUTER_FRAMES = re.compile(f"((?:{FRAME}){{3}})(?:{FRAME})+", re.MULTILINE)


def last_words(records: Sequence[ObservedGame]) -> str:
    """The last lines of standard error of the first of these games that has any.

    The traceback that Kaggle's runner writes when an exception ends a game is left out: the fault
    has its lines in the submission. Other stacks keep their innermost frames, without frames of
    Kaggle or of this project. The versions that a bundle reports are left out, too.
    """
    for record in records:
        text = OUTER_FRAMES.sub(r"\1", UNTOLD.sub("", _own_words(record)))
        lines = text.splitlines()
        words = "\n".join(line for line in lines if not line.startswith(PLAYED_WITH)).strip()
        if words:
            return "\n".join(words.splitlines()[-STDERR_LINES:])
    return ""


def _own_words(record: ObservedGame) -> str:
    """Standard error up to the traceback with which Kaggle's runner ended the game.

    Only the end of a move's output is kept, so the traceback may lack its beginning.
    """
    text, failure = record.stderr, record.failure
    last_move = max(0, len(text) - LONGEST_TEXT)
    if failure is None or failure.status != "ERROR" or '  File "' not in text[last_move:]:
        return text
    begin = KAGGLES_TRACEBACK.search(text, last_move)
    own = text[: begin.start()].rstrip() if begin else ""
    if own and not any(own.endswith(chain) or chain.endswith(own) for chain in CHAINED):
        return own
    return text[:last_move] if begin or failure.lines else text


def fallen_back(records: Sequence[ObservedGame]) -> list[str]:
    """The reasons why a bundle's agent gave no column, as told on standard error."""
    return [
        line.removesuffix(FALL_BACK)
        for record in records
        for line in record.stderr.splitlines()
        if line.endswith(FALL_BACK)
    ]
