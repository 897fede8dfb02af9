"""Runs the server of `connectx web`."""

import errno
import secrets
import socket
import webbrowser
from contextlib import suppress
from threading import Timer

import uvicorn

from submission.terminal import console
from submission.web.guard import Guard, is_loopback
from submission.web.routes import make_app

TOKEN_BYTES = 24
BROWSER_SECONDS = 0.3
"""Time for the server to be there before the browser asks it."""


def serve(host: str, port: int, open_browser: bool) -> None:
    """Serve the page until Ctrl-C.

    Args:
        host: the name or address to listen at.
        port: where to listen; 0, or one that is taken, is replaced by a free one.
        open_browser: whether to open the page.

    Raises:
        OSError: the host is no address of this machine.
        KeyboardInterrupt: Ctrl-C.
    """
    listening = listen(host, port)
    real_port = listening.getsockname()[1]
    if port not in (0, real_port):
        console.print(f"Port {port} is taken: this is {real_port}.")
    if not is_loopback(host):
        console.print(
            f"Warning: whoever can reach {host} and knows the address below can use this server, "
            "and the connection is not encrypted.",
            style="yellow",
        )
    token = secrets.token_urlsafe(TOKEN_BYTES)
    name = f"[{host}]" if ":" in host else host
    address = f"http://{name}:{real_port}/?token={token}"
    app = Guard(make_app(), token=token, host=host, port=real_port)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=1,
    )
    console.print(f"Open {address} (Ctrl-C ends it)", soft_wrap=True, markup=False, highlight=False)
    if open_browser:
        Timer(BROWSER_SECONDS, webbrowser.open, [address]).start()
    uvicorn.Server(config).run(sockets=[listening])


def listen(host: str, port: int) -> socket.socket:
    """Open a socket that listens at a port, or at a free one where that is taken.

    Raises:
        OSError: the host is no address of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in (port, 0):
        listening = socket.socket(family)
        with suppress(OSError):
            if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
            else:
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
            listening.listen(512)
        except OSError as error:
            listening.close()
            if number and error.errno in (errno.EADDRINUSE, errno.EACCES):
                continue
            raise OSError(
                f"cannot listen at {host} ({error.strerror}): choose another --host"
            ) from error
        return listening
    raise OSError(f"cannot listen at {host}: no port is free")
