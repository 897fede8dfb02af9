"""Messages between processes over a socket: JSON objects, with an open file if need be."""

import json
import socket
from collections.abc import Sequence
from typing import Any

Message = dict[str, Any]

LENGTH_BYTES = 4

MOST_FILES = 1


def send_message(channel: socket.socket, message: Message, files: Sequence[int] = ()) -> None:
    """Send a message, and copies of open files.

    Raises:
        OSError: the other end is closed.
    """
    content = json.dumps(message).encode()
    socket.send_fds(channel, [len(content).to_bytes(LENGTH_BYTES, "big")], files)
    channel.sendall(content)


def receive_message(channel: socket.socket) -> tuple[Message, list[int]]:
    """The next message, and the open files that came with it.

    Raises:
        EOFError: the other end is closed.
        TimeoutError: the channel has a time limit, and nothing came.
    """
    length, files, _, _ = socket.recv_fds(channel, LENGTH_BYTES, MOST_FILES)
    content = _receive_exactly(channel, int.from_bytes(length, "big")) if length else b""
    if not content:
        raise EOFError
    return json.loads(content), files


def _receive_exactly(channel: socket.socket, size: int) -> bytes:
    content = b""
    while len(content) < size:
        chunk = channel.recv(size - len(content))
        if not chunk:
            raise EOFError
        content += chunk
    return content
