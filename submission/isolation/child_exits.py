"""Waiting for the end of a child and for other news at the same time."""

import signal
import socket


class ChildExits:
    """A socket that becomes readable when a child of this process ends; for the main thread."""

    def __init__(self) -> None:
        self.news, self._writer = socket.socketpair()
        self.news.setblocking(False)
        self._writer.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)

    def clear(self) -> None:
        """Take the news, so that the socket waits for the next."""
        self.news.recv(4096)

    def close(self) -> None:
        """Stop watching, in this process or in a fork of it."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self.news.close()
        self._writer.close()
