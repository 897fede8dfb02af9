"""Lines of JSON from a process in which strangers' code runs; those that bear a key are genuine."""

import json

from submission.isolation.messages import Message

LINE_BYTES = 2**16
"""A longer line is no message."""


class KeyedLines:
    """Finds messages among whatever else a process writes.

    Args:
        key: what every message must have as its `key`.
    """

    def __init__(self, key: str) -> None:
        self._key = key
        self._unread = b""

    def take_in(self, chunk: bytes) -> list[Message]:
        """The messages that are complete with the next bytes."""
        *lines, unread = (self._unread + chunk).split(b"\n")
        self._unread = unread[-LINE_BYTES:]
        return [message for line in lines if (message := self._message(line)) is not None]

    def _message(self, line: bytes) -> Message | None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return None
        genuine = isinstance(message, dict) and message.get("key") == self._key
        return message if genuine else None
