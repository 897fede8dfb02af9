"""Measures `connectx web`: moves for 200 pages at once, and the time until values are exact."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from random import Random
from statistics import quantiles
from time import perf_counter
from typing import Any
from urllib.parse import urlencode

from benchmarks.results import Report, table
from benchmarks.solver.make_positions import random_moves

PAGES = 200
"""Pages that play, each about one move per second."""
WATCHING = 30
"""The number of those pages that also show values."""
LOAD_SECONDS = 20.0
POSITIONS = 200
FEWEST_PLIES, MOST_PLIES = 12, 36
"""The plies of the positions whose values are requested."""
GOAL_MOVE, GOAL_VALUES = 0.1, 0.2
"""Seconds within which 95 % of a quick agent's moves, and of values, should arrive."""
QUICK_AGENTS: tuple[dict[str, Any], ...] = (
    {"name": "random"},
    {"name": "greedy"},
    *({"name": "level", "options": {"n": n}} for n in (1, 2, 3)),
)
GAME = "connectx-6x7x4"


@dataclass(frozen=True)
class Address:
    """The address of a server, and the token of its run."""

    host: str
    port: int
    token: str


@contextmanager
def started_server(*arguments: str) -> Iterator[tuple[Address, subprocess.Popen[str]]]:
    """Run `connectx web` on a free port until the block ends."""
    command = [sys.executable, "-m", "submission", "web", "--port", "0", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            line = server.stdout.readline() if server.stdout else ""
            found = re.search(r"http://([^/]+):(\d+)/\?token=(\S+)", line)
            if found is None:
                raise OSError(f"the server has not started: {line}")
            yield Address(found[1], int(found[2]), found[3]), server
        finally:
            server.terminate()


class PageClient:
    """A simulated page: a persistent connection for questions, and one for each stream.

    Args:
        address: the server's address.
        name: the page's id.
    """

    def __init__(self, address: Address, name: str) -> None:
        self._address = address
        self._name = name
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, **fields: Any) -> Any:
        """The answer to a question.

        Raises:
            ValueError: the server refuses it.
        """
        if self._streams is None:
            self._streams = await self._connect()
        reader, writer = self._streams
        body = json.dumps({"page": self._name, **fields}).encode()
        writer.write(self._head("POST", f"/api/{path}", len(body)) + body)
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        answer = json.loads(await reader.readexactly(int(length[1]) if length else 0))
        if b" 200 " not in head.split(b"\r\n", 1)[0]:
            raise ValueError(answer["error"])
        return answer

    async def follow(self, path: str, **fields: str) -> AsyncGenerator[Any, None]:
        """The snapshots of a stream."""
        reader, writer = await self._connect()
        query = urlencode({"page": self._name, **fields})
        writer.write(self._head("GET", f"/api/{path}?{query}", 0))
        try:
            async for line in reader:
                if line.startswith(b"event: end"):
                    return
                if line.startswith(b"data: "):
                    yield json.loads(line.removeprefix(b"data: "))
        finally:
            writer.close()
            await writer.wait_closed()

    async def close(self) -> None:
        """Close the connection for questions."""
        if self._streams is not None:
            self._streams[1].close()
            await self._streams[1].wait_closed()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(self._address.host, self._address.port, limit=2**22)

    def _head(self, method: str, path: str, length: int) -> bytes:
        host = f"{self._address.host}:{self._address.port}"
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: {host}",
            f"X-Connectx-Token: {self._address.token}",
            *(["Content-Type: application/json", f"Content-Length: {length}"] if length else []),
        ]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def play_in_pages(address: Address, seconds: float = LOAD_SECONDS) -> list[float]:
    """Play in all pages at once, and return the seconds of their moves."""
    until = perf_counter() + seconds
    pages = [play(address, number, until) for number in range(PAGES)]
    watching = [watch(address, number, until) for number in range(WATCHING)]
    taken, _ = await asyncio.gather(asyncio.gather(*pages), asyncio.gather(*watching))
    return [each for page in taken for each in page]


async def play(address: Address, number: int, until: float) -> list[float]:
    """Request a move about once a second, in random positions; return the seconds of each."""
    rng, taken = Random(number), list[float]()
    page = PageClient(address, f"playing{number:05}")
    await asyncio.sleep(rng.random())
    while perf_counter() < until:
        moves = random_moves(rng.randrange(MOST_PLIES), rng)
        begun = perf_counter()
        agent = QUICK_AGENTS[number % len(QUICK_AGENTS)]
        await page.post("move", game=GAME, moves=moves, agent=agent)
        taken.append(perf_counter() - begun)
        await asyncio.sleep(rng.uniform(0.5, 1.5))
    await page.close()
    return taken


async def watch(address: Address, number: int, until: float) -> None:
    """Follow the values of random positions, each for as long as a player might."""
    rng = Random(number)
    page = PageClient(address, f"playing{number:05}")
    while perf_counter() < until:
        moves = random_moves(rng.randrange(MOST_PLIES), rng)
        async with aclosing(page.follow("values", game=GAME, moves=moves)) as snapshots:
            async for _ in snapshots:
                if perf_counter() > until:
                    break
        await asyncio.sleep(rng.uniform(0.5, 1.5))


async def time_values(address: Address) -> list[float]:
    """Request the values of random positions in turn; return the seconds until each is exact."""
    rng, taken = Random(1), list[float]()
    page = PageClient(address, "valuespage")
    for _ in range(POSITIONS):
        moves = random_moves(rng.randrange(FEWEST_PLIES, MOST_PLIES + 1), rng)
        begun = perf_counter()
        async with aclosing(page.follow("values", game=GAME, moves=moves)) as snapshots:
            async for snapshot in snapshots:
                if all(column["exact"] for column in snapshot["columns"]):
                    break
        taken.append(perf_counter() - begun)
    return taken


async def until_ready(address: Address) -> None:
    """Wait until the searches are compiled."""
    page, moves = PageClient(address, "readypage"), random_moves(MOST_PLIES, Random(0))
    async for _ in page.follow("values", game=GAME, moves=moves):
        pass
    await page.post("move", game=GAME, moves="", agent={"name": "mcts"}, seconds=0.1)
    await page.close()


async def measure_web(address: Address) -> dict[str, list[float]]:
    """Measure the seconds of values, and of moves while many pages play."""
    await until_ready(address)
    values = await time_values(address)
    return {"values": values, "moves": await play_in_pages(address)}


def web_report(taken: dict[str, list[float]]) -> Report:
    """The medians and the 95 % and 99 % quantiles, beside the goals."""
    rows = table("what", "asked", "median", "95 %", "99 %", "goal, 95 %", words=("what",))
    names = {
        "values": (f"all values exact, {FEWEST_PLIES} plies and more", GOAL_VALUES),
        "moves": (f"a move of a quick agent, {PAGES} pages playing", GOAL_MOVE),
    }
    for kind, (name, goal) in names.items():
        cuts = quantiles(taken[kind], n=100)
        shown = [f"{1000 * cuts[cut - 1]:.0f} ms" for cut in (50, 95, 99)]
        rows.add_row(name, str(len(taken[kind])), *shown, f"{1000 * goal:.0f} ms")
    return ["`connectx web`: from the question to the answer, by HTTP on one machine", rows]
