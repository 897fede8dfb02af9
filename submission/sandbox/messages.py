"""Messages between the processes of a sandbox: JSON objects, a line each."""

import json
from typing import Any

Message = dict[str, Any]

LINE_BYTES = 2**16
"""A longer line from a stranger's process is no message."""


def encoded(message: Message) -> bytes:
    """The message as a line."""
    return json.dumps(message).encode() + b"\n"


class KeyedLines:
    """Finds the messages that bear a key among whatever else a stranger's process writes.

    Args:
        key: what every genuine message has as its `key`.
    """

    def __init__(self, key: str) -> None:
        self._key = key
        self._unread = b""

    def take_in(self, chunk: bytes) -> list[Message]:
        """The messages that are complete with the next bytes."""
        *lines, unread = (self._unread + chunk).split(b"\n")
        self._unread = unread[-LINE_BYTES:]
        mark = self._key.encode()
        found = (self._message(line) for line in lines if mark in line)
        return [message for message in found if message is not None]

    def _message(self, line: bytes) -> Message | None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return None
        is_genuine = isinstance(message, dict) and message.get("key") == self._key
        return message if is_genuine else None
