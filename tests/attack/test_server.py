"""The server of the page under load and nonsense: it answers, and prints little."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, aclosing, closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from benchmarks.solver.make_positions import random_moves
from benchmarks.web_pages import Address, PageClient
from tests.attack.changes import changed
from tests.attack.written_files import FORMATS
from tests.helpers.attacks import Tally, chance, scaled
from tests.helpers.systems import open_files
from tests.helpers.web_server import Running, running_server

pytestmark = pytest.mark.attack

STREAMS = 300
HALF_REQUESTS = 1100
QUESTIONS = 10
"""That are asked meanwhile."""
REQUESTS = 400
"""With a body or query that is changed."""
ANSWER_SECONDS = 10.0
"""For any answer, on a machine that is busy with others."""
SERVERS_FILES = 1024
"""The limit of open files of most systems."""
LONGEST_QUERY = 20_000
MOST_OUTPUT = 100_000
"""Bytes that the server may write to the terminal."""

GAME = {"game": "connectx-6x7x4", "moves": "44"}
PAGE = {"page": "attackpage"}
POSTS: Mapping[str, Any] = {
    "position": GAME,
    "move": {**PAGE, **GAME, "agent": {"name": "level", "options": {"n": 2}}, "seconds": 0.1},
    "search/picture": {**PAGE, "step": 3, "root": [3, 2], "nodes": 20},
    "replays": {"file": 0, "offset": 0, "count": 20, "player": "greedy", "failed": False},
    "standings": {"file": 0},
}
GETS: Mapping[str, Any] = {
    "values": {**PAGE, **GAME},
    "review": {**PAGE, **GAME},
    "search": {**PAGE, **GAME, "agent": "alphabeta", "options": '{"depth": 2}', "nodes": "20"},
}


@pytest.fixture
def server(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Running]:
    """A server with a file of games, whose words are captured."""
    games = FORMATS["results"].write(tmp_path)
    with ExitStack() as stack:
        with open_files(SERVERS_FILES):
            server = stack.enter_context(running_server(str(games)))
        yield server


def require_answers(server: Running, tally: Tally, when: str) -> None:
    """Ask as a page does that is opened, and then for a move."""
    base, token = server.base, server.address.token
    begin = monotonic()
    try:
        with httpx.Client(trust_env=False, timeout=ANSWER_SECONDS, follow_redirects=True) as page:
            opened = page.get(f"{base}/?token={token}").status_code
        moved = server.client.post("/api/move", json=POSTS["move"], timeout=ANSWER_SECONDS)
    except httpx.HTTPError as error:
        tally.hold(False, f"{when}: {error!r} after {monotonic() - begin:.1f} s")
        return
    told = opened, moved.status_code, moved.text[:300]
    tally.hold(told[:2] == (200, 200), f"{when}: the page and a move are answered by {told}")
    tally.add("requests", 2)


def require_quiet(server: Running, tally: Tally, capfd: pytest.CaptureFixture[str]) -> None:
    tally.hold(server.process.poll() is None, "the server has ended")
    said = capfd.readouterr().err
    tally.hold(len(said) < MOST_OUTPUT, f"the server has written {len(said)} bytes: {said[:999]}")
    tally.hold("Traceback" not in said, f"the server has written\n{said[-3000:]}")


async def follow(address: Address, number: int, begun: asyncio.Semaphore) -> None:
    """Follow values until it is stopped."""
    page = PageClient(address, f"following{number:05}")
    moves = random_moves(6, chance("stream", number))
    with suppress(OSError, ValueError, asyncio.IncompleteReadError):
        async with aclosing(page.follow("values", game=str(GAME["game"]), moves=moves)) as stream:
            async for _ in stream:
                begun.release()


async def half(address: Address, number: int) -> asyncio.StreamWriter | None:
    """Begin a request, which never ends; None where nobody takes it."""
    whole = f"POST /api/move HTTP/1.1\r\nHost: {address.host}:{address.port}\r\nX: ".encode()
    with suppress(OSError):
        _, writer = await asyncio.open_connection(address.host, address.port)
        writer.write(whole[: 1 + number % len(whole)])
        return writer
    return None


async def besiege(server: Running, tally: Tally) -> None:
    """Follow streams, leave requests half said, and ask as others do meanwhile."""
    address, begun = server.address, asyncio.Semaphore(0)
    count = scaled(STREAMS)
    streams = [asyncio.ensure_future(follow(address, n, begun)) for n in range(count)]
    for _ in range(count // 4):
        await asyncio.wait_for(begun.acquire(), 60)
    await asyncio.to_thread(require_answers, server, tally, "under streams")
    halves = await asyncio.gather(*(half(address, n) for n in range(scaled(HALF_REQUESTS))))
    tally.add("streams", count)
    tally.add("half requests", sum(writer is not None for writer in halves))
    for number in range(QUESTIONS):
        await asyncio.to_thread(require_answers, server, tally, f"besieged, question {number}")
    for stream in streams:
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
    for writer in halves:
        if writer is not None:
            writer.close()
    await asyncio.to_thread(require_answers, server, tally, "afterwards")


def test_the_page_answers_under_streams_and_half_requests(
    server: Running, tally: Tally, capfd: pytest.CaptureFixture[str]
) -> None:
    searchers = len(server.searchers)
    with open_files(2 * (STREAMS + HALF_REQUESTS) + 500):
        asyncio.run(besiege(server, tally))
    require_quiet(server, tally, capfd)
    tally.hold(len(server.searchers) == searchers, "processes that search are gone or more")


def test_changed_questions_are_answered_or_refused(
    server: Running, tally: Tally, capfd: pytest.CaptureFixture[str]
) -> None:
    rng = chance("questions")
    for number in range(scaled(REQUESTS)):
        name = rng.choice([*POSTS, *GETS])
        good = json.dumps(POSTS[name]) if name in POSTS else urlencode(GETS[name])
        sent = changed(rng, good.encode())
        tally.add("requests")
        tally.add("fuzzed bytes of questions", len(sent))
        fault = fault_of_answer(server, name, sent)
        tally.hold(fault is None, f"request {number}, {name}: {fault} to {sent[:300]!r}")
    require_answers(server, tally, "after changed questions")
    require_quiet(server, tally, capfd)


def fault_of_answer(server: Running, name: str, sent: bytes) -> str | None:
    """What is wrong with an answer, of a stream with its beginning; None where all is in order."""
    query = bytes(byte for byte in sent[:LONGEST_QUERY] if 32 < byte < 127).decode()
    method, path = ("POST", f"/api/{name}") if name in POSTS else ("GET", f"/api/{name}?{query}")
    headers = {"Content-Type": "application/json", "X-Connectx-Token": server.address.token}
    address = server.address.host, server.address.port
    with closing(HTTPConnection(*address, timeout=ANSWER_SECONDS)) as connection:
        try:
            connection.request(method, path, sent if method == "POST" else None, headers)
            answer = connection.getresponse()
            status = answer.status
            told = answer.read().decode() if status >= 400 else ""
        except (HTTPException, OSError) as error:
            return repr(error)
    if status < 400:
        return None
    try:
        sentence = str(json.loads(told)["error"])
    except (ValueError, KeyError):
        return f"{status} {told[:300]!r}"
    fits = sentence.isprintable() and 0 < len(sentence) < 1000
    return None if (status < 500 or status == 503) and fits else f"{status} {sentence[:300]!r}"
