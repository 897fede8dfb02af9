"""Traces as JSON text, and back."""

import json

from agents.tracing.json_codec import decoded, encoded
from agents.tracing.trace import SearchTrace

VERSION = 1
"""Of the format; another one is refused."""


def to_json(trace: SearchTrace) -> str:
    """A trace as JSON: {"version": 1, "trace": ...}, by the names of the data model's fields.

    Raises:
        ValueError: an action is neither a number nor a word, nor a tuple of them.
    """
    return json.dumps({"version": VERSION, "trace": encoded(trace)})


def from_json(text: str) -> SearchTrace:
    """The trace that `to_json` wrote.

    Raises:
        ValueError: the text is something else, or of another version.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"this text is no trace of a search, for it is no JSON: {error}"
        ) from error
    if not isinstance(document, dict) or "version" not in document:
        raise ValueError("this JSON is no trace of a search, as it says no version")
    if document["version"] != VERSION:
        raise ValueError(
            f"this trace is of version {document['version']!r}, and only version {VERSION} can be "
            "read: record the search again"
        )
    try:
        trace: SearchTrace = decoded(SearchTrace, document.get("trace"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"this JSON is no trace of a search: {error}") from error
    return trace
