"""Limits the number and the idle time of the connections of `connectx web`.

A browser sends its request at once. A client that connects without sending one, or sends it byte by
byte, must not lock the pages out by using up all open files, nor fill the terminal with errors.
"""

import logging
from asyncio import TimerHandle, Transport
from collections import Counter
from math import inf

from uvicorn.protocols.http.h11_impl import H11Protocol

try:
    import resource
except ModuleNotFoundError:  # on Windows, which has no such limit
    resource = None  # type: ignore[assignment]

HEADER_SECONDS = 10.0
"""Time from connecting, or from the last response, for the headers of a request to arrive."""
MOST_CONNECTIONS = 2000  # of all pages together
BATCH = 16  # connections accepted together before any of them is counted
OTHER_FILES = 128  # open files of this process besides connections, with room for a few batches
FILES_OF_A_PROCESS = 4  # open files for each process that searches
MOST_KINDS = 100  # of messages that are counted apart


def most_connections(processes: int) -> int:
    """The number of connections that the limit of open files allows beside search processes."""
    if resource is None:
        return MOST_CONNECTIONS
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return max(BATCH, min(MOST_CONNECTIONS, files - OTHER_FILES - FILES_OF_A_PROCESS * processes))


class Connection(H11Protocol):
    """A connection that is closed when it is idle too long, or when a new one needs its place."""

    most = MOST_CONNECTIONS  # connections at a time
    idle_since: float | None = None
    """When it became idle; None between a request and its response."""
    _closing: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Accept a connection; if there are too many, close the one that has been idle longest."""
        super().connection_made(transport)
        self._idle()
        if len(self.connections) > self.most:
            ours = (one for one in self.connections if isinstance(one, Connection))
            longest = min(ours, key=lambda one: inf if one.idle_since is None else one.idle_since)
            self.connections.discard(longest)
            longest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._be_busy()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Process received data; a request is answered as soon as its headers are complete."""
        super().handle_events()
        if self.cycle is not None and not self.cycle.response_complete:
            self._be_busy()

    def on_response_complete(self) -> None:
        """Wait for another request."""
        self._idle()
        super().on_response_complete()

    def _idle(self) -> None:
        self._be_busy()
        self.idle_since = self.loop.time()
        self._closing = self.loop.call_later(HEADER_SECONDS, self.transport.abort)

    def _be_busy(self) -> None:
        self.idle_since = None
        if self._closing is not None:
            self._closing.cancel()


class Once(logging.Filter):
    """Passes the first message of each kind, and counts the others."""

    def __init__(self) -> None:
        super().__init__()
        self._counts = Counter[str]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether no earlier message had the same first line."""
        kind = record.getMessage().strip().partition("\n")[0]
        if kind not in self._counts and len(self._counts) >= MOST_KINDS:
            kind = "other messages"
        self._counts[kind] += 1
        return self._counts[kind] == 1

    def repeated(self) -> list[str]:
        """A line for each kind of message that was held back."""
        return [f"{n - 1} more times: {kind}" for kind, n in self._counts.items() if n > 1]
