"""Runs the server of `connectx web`."""

import errno
import logging
import secrets
import socket
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Timer
from types import FrameType

import uvicorn

from agents.parallel.workers import CORES
from submission.reviewing.replays import read_replays
from submission.terminal import console, say
from submission.web.connections import BATCH, Connection, Once, most_connections
from submission.web.guard import Guard, is_loopback
from submission.web.opened_files import OpenedFile
from submission.web.routes import Server

TOKEN_BYTES = 24
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104  # asked for by the user
"""Hosts that mean all addresses of this machine, and the address by which it reaches itself."""
BROWSER_SECONDS = 0.3  # time for the server to start before the browser is opened
WAITING = 512  # connections that the system queues until they are accepted
LOGGERS = ("asyncio", "uvicorn.error")  # they report errors


class WebServer(uvicorn.Server):
    """Drops all connections when it ends: streams may never end, so it does not wait for them."""

    def __init__(self, config: uvicorn.Config, leave: Callable[[], None]) -> None:
        super().__init__(config)
        self._leave = leave

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, with a longer queue of connections than asyncio's default."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(WAITING)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End all streams and connections, then shut down."""
        self._leave()
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Start to shut down; that is quick, so a second Ctrl-C is ignored."""
        if not self.should_exit:
            super().handle_exit(sig, frame)


def serve(files: Sequence[Path], host: str, port: int, open_browser: bool) -> None:
    """Serve the page with these files of games, at this port or a free one, until Ctrl-C."""
    server = Server(CORES, [OpenedFile(read_replays(path)) for path in files])
    listening = listen(host, port)
    real_port = listening.getsockname()[1]
    if port not in (0, real_port):
        console.print(f"Port {port} is taken: using {real_port} instead.")
    if not is_loopback(host):
        console.print(
            f"Warning: whoever can reach {host} and knows the address below can use this server, "
            "and the connection is not encrypted.",
            style="yellow",
        )
    token = secrets.token_urlsafe(TOKEN_BYTES)
    name = EVERYWHERE.get(host) or (f"[{host}]" if ":" in host else host)
    address = f"http://{name}:{real_port}/?token={token}"
    config = uvicorn.Config(
        Guard(server.app(), token=token, host=host, port=real_port),
        access_log=False,
        backlog=BATCH,
        http=Connection,
        lifespan="on",
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=1,
        ws="none",
    )
    Connection.most = most_connections(CORES)
    once = Once()
    for logger in LOGGERS:
        logging.getLogger(logger).addFilter(once)
    say(f"Open {address} (Ctrl-C ends it)")
    if host in EVERYWHERE:
        say(f"On another machine, open it with this one's address in the place of {name}.")
    if open_browser:
        timer = Timer(BROWSER_SECONDS, webbrowser.open, [address])
        timer.daemon = True
        timer.start()
    try:
        with listening:
            WebServer(config, server.streams.end_all).run(sockets=[listening])
    finally:
        for line in once.repeated():
            console.print(line)


def listen(host: str, port: int) -> socket.socket:
    """Open a socket that listens at a port, or at a free one if the port is 0 or taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in (port, 0):
        # The protocol is named so that asyncio sends at once (TCP_NODELAY).
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        with suppress(OSError):
            option = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
            listening.setsockopt(socket.SOL_SOCKET, option, 1)
        try:
            listening.bind((host, number))
            listening.listen(WAITING)
        except OSError as error:
            listening.close()
            if number and error.errno in (errno.EADDRINUSE, errno.EACCES):
                continue
            raise OSError(
                f"cannot listen at {host} ({error.strerror}): choose another --host"
            ) from error
        return listening
    raise OSError(f"cannot listen at {host}: no port is free")
