"""Connections that ask nothing keep nobody out, and errors do not fill the terminal."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from submission.web import connections
from submission.web.connections import BATCH, Connection, Once, most_connections
from tests.helpers.systems import open_files
from tests.helpers.web_server import running_server

resource = pytest.importorskip("resource")

HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0"
WHOLE = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
SOON = 0.1
"""Seconds for headers, in these tests."""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[bytes], Awaitable[Streams]]


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Takes longer to answer than headers may take to arrive."""
    scope["state"]["asked"].put_nowait(None)
    await asyncio.sleep(3 * SOON)
    start = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]}
    await send(start)
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def listening() -> AsyncIterator[Connect]:
    """A server of this process; what connects to it, and sends something."""
    config, state = uvicorn.Config(app, lifespan="off", log_config=None, ws="none"), ServerState()
    config.load()
    asked = asyncio.Queue[None]()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Connection(config=config, server_state=state, app_state={"asked": asked}),
        *("127.0.0.1", 0),
    )

    writers = list[asyncio.StreamWriter]()

    async def connect(sent: bytes) -> Streams:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writers.append(writer)
        writer.write(sent)
        if sent.startswith(WHOLE):
            await asked.get()
        return reader, writer

    try:
        yield connect
    finally:
        for connection in list(state.connections):
            connection.transport.abort()
        server.close()
        for writer in writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
        await asyncio.gather(*state.tasks)


async def ended(streams: Streams) -> bytes:
    """All that comes until the other side closes."""
    try:
        return await asyncio.wait_for(streams[0].read(), 10)
    except ConnectionResetError:
        return b""


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", SOON)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("sent", [b"", HALF])
def test_who_does_not_ask_in_time_is_cut_off(sent: bytes) -> None:
    async def ask() -> bytes:
        async with listening() as connect:
            return await ended(await connect(sent))

    assert asyncio.run(ask()) == b""


@pytest.mark.usefixtures("soon")
def test_an_answer_takes_the_time_it_takes_and_the_next_question_has_a_deadline_again() -> None:
    async def ask() -> bytes:
        async with listening() as connect:
            return await ended(await connect(WHOLE + HALF))

    answer = asyncio.run(ask())
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert answer.endswith(b"ok")


def test_beyond_the_limit_the_longest_idle_one_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Connection, "most", 3)

    async def ask() -> None:
        async with listening() as connect:
            busy = await connect(WHOLE)
            first, second = await connect(HALF), await connect(HALF)
            asking = await connect(WHOLE)
            assert await ended(first) == b""
            later = await connect(WHOLE)
            assert await ended(second) == b""
            assert await ended(await connect(b"")) == b""  # where all are busy, who comes goes
            for each in (busy, asking, later):
                assert (await each[0].readline()).startswith(b"HTTP/1.1 200")

    asyncio.run(ask())


def test_there_are_fewer_connections_than_files() -> None:
    with open_files(256):
        assert BATCH <= most_connections(2) < 256 - 5 * BATCH
    with open_files(1024):
        assert 512 < most_connections(4) < 1024 - 5 * BATCH


MANY = 1100


@pytest.mark.thorough
def test_many_that_never_ask_keep_nobody_out(capfd: pytest.CaptureFixture[str]) -> None:
    """More than the server may have open files; it is asked while they are there."""
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < MANY + 200:
        pytest.skip("this machine's limit of open files is too low")
    with ExitStack() as stack:
        with open_files(400):
            server = stack.enter_context(running_server())
        with open_files(MANY + 200):
            for _ in range(MANY):
                at = server.address.host, server.address.port
                asking = stack.enter_context(socket.create_connection(at, 10))
                asking.sendall(HALF)
            assert server.client.get("/api/setup").status_code == 200
    assert capfd.readouterr().err == ""


def test_a_message_is_told_once_and_counted() -> None:
    once, logger, told = Once(), logging.Logger("uvicorn.error"), list[str]()
    logger.addFilter(once)
    handler = logging.Handler()
    handler.emit = lambda record: told.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    for number in range(1000):
        logger.warning("Invalid HTTP request received.")
        logger.error("socket.accept() out of system resource\nsocket: <fd=%s>", number)
        logger.error("another one: %s", number)
    assert told[:2] == [
        "Invalid HTTP request received.",
        "socket.accept() out of system resource\nsocket: <fd=0>",
    ]
    assert len(told) <= connections.MOST_KINDS + 1
    assert once.repeated()[:2] == [
        "999 more times: Invalid HTTP request received.",
        "999 more times: socket.accept() out of system resource",
    ]
